import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { gzipSync } from 'node:zlib'
import { beforeEach, expect, it } from 'vitest'
import { arrangeLogs } from '../../src/simulate/core/log-reading.ts'
import { createPlanRun } from '../../src/simulate/core/run-plan.ts'
import { rangesOf } from '../../src/simulate/logs/blocks.ts'
import { openLogFile } from '../../src/simulate/logs/log-input.ts'
import { readLogs } from '../../src/simulate/logs/replay.ts'
import {
  answerTasks,
  canStartThreads,
  createTaskReader,
  startThread,
  type Task,
} from '../../src/simulate/logs/threads.ts'
import { createRandom } from '../../src/traffic/shape.ts'
import { createFolder } from '../files/folder.ts'
import { PLATFORM, planOf } from './plans.ts'

let folder: string
beforeEach(() => {
  folder = createFolder()
})

/** A log of many clients, a few lines of it unreadable. */
function logText(lines: number, startMinute: number): string {
  const random = createRandom(7)
  return Array.from({ length: lines }, (_, index) => {
    if (index % 5000 === 4999) return 'garbage'
    const second = Math.floor((index / lines) * 60)
    const time = `05/Jan/2026:12:${String(startMinute).padStart(2, '0')}:${String(second).padStart(2, '0')} +0000`
    const client = Math.floor(random() * random() * 3000)
    const address = client % 50 === 0 ? `2001:db8::${client.toString(16)}` : `10.0.${client >> 8}.${client & 255}`
    return `${address} - - [${time}] "GET /${client % 7}?${index % 11} HTTP/1.1" 200 ${index} "-" "curl/8.5.0"`
  }).join('\n')
}

const plan = planOf(
  [
    { key: '$binary_remote_addr', rate: '1r/s', burst: 1, zoneBytes: 128 * 1024 },
    { key: '$request_uri', rate: '30r/s', burst: 5 },
  ],
  [
    { path: '/', limits: [0, 1] },
    { path: '/3', limits: [0] },
  ],
)

/** Opens logs of the folder. */
async function open(files: readonly string[], quick = true) {
  const inputs = await Promise.all(files.map((name) => openLogFile(join(folder, name), name)))
  const logs = arrangeLogs(inputs, { format: undefined, fields: new Map() })
  if (!logs.ok) throw new Error(logs.problem)
  return { ...logs.value, encoder: { kind: logs.value.kind, constants: [], plan, platform: PLATFORM, quick } }
}

const PROGRESS = { onBytes: () => {}, onLines: () => {} }

async function read(files: readonly string[], threads: number, quick = true) {
  const outcomes = [0, 0, 0, 0]
  const run = createPlanRun({
    plan,
    pageSize: 4096,
    spread: 'even',
    onOutcome(_, { outcome }) {
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    },
  })
  const logs = await open(files, quick)
  const reading = await readLogs({ ...logs, ...PROGRESS, threads, maxBadLines: Number.POSITIVE_INFINITY }, run)
  run.finish()
  const limits = [0, 1].map((limit) => {
    const used = run.scenarios[0]?.limits.used(limit)
    return {
      counters: used?.state.counters,
      waits: used?.state.waits.summary(),
      top: used?.rejectedKeys.list(20),
      evictions: used?.state.zone.evictions,
    }
  })
  return { outcomes, reading, limits }
}

it('gives the same on one thread and on several, quick and in full, packed and plain', async () => {
  const text = `${logText(30_000, 1)}\n`
  writeFileSync(join(folder, 'access.log'), text)
  writeFileSync(
    join(folder, 'access.log.gz'),
    Buffer.concat([gzipSync(text.slice(0, 1_000_003)), gzipSync(text.slice(1_000_003))]),
  )
  const alone = await read(['access.log'], 0)
  expect(alone.reading).toMatchObject({ lines: 30_000, unreadable: 6, gaveUp: false })
  expect(alone.reading.examples[1]).toMatchObject({ log: 'access.log', line: 10_000, text: 'garbage' })
  expect(Math.min(...alone.outcomes.slice(0, 3))).toBeGreaterThan(100)
  expect(alone.limits[0]?.evictions).toBeGreaterThan(0)
  expect(canStartThreads()).toBe(true)
  const { reading, ...rest } = alone
  expect(await read(['access.log'], 3)).toEqual(alone)
  expect(await read(['access.log'], 0, false)).toEqual(alone)
  expect(await read(['access.log.gz'], 0)).toMatchObject(rest)
  expect(await read(['access.log.gz'], 2)).toMatchObject(rest)
})

it('takes rotated logs in the order of their times', async () => {
  writeFileSync(join(folder, 'new.log'), logText(2000, 9))
  writeFileSync(join(folder, 'old.log'), logText(2000, 5))
  writeFileSync(join(folder, 'both.log'), `${logText(2000, 5)}\n${logText(2000, 9)}`)
  const { outcomes, limits } = await read(['both.log'], 0)
  expect(await read(['new.log', 'old.log'], 0)).toMatchObject({ outcomes, limits })
})

it('goes on with the next log where one breaks', async () => {
  const packed = gzipSync(logText(50_000, 1))
  writeFileSync(join(folder, 'cut.gz'), packed.subarray(0, packed.length - 100))
  writeFileSync(join(folder, 'next.log'), logText(1000, 3))
  const { reading } = await read(['cut.gz', 'next.log'], 0)
  expect(reading.broken).toEqual([{ log: 'cut.gz', reason: 'the packed data is cut off' }])
  expect(reading.lines).toBeGreaterThan(1000)
})

it('fails where a log vanishes, on a thread too', async () => {
  writeFileSync(join(folder, 'gone.log'), logText(40_000, 1))
  const logs = await open(['gone.log'])
  rmSync(join(folder, 'gone.log'))
  const run = createPlanRun({ plan, pageSize: 4096, spread: 'even', onOutcome: () => {} })
  const reading = readLogs({ ...logs, ...PROGRESS, threads: 2, maxBadLines: 10 }, run)
  await expect(reading).rejects.toMatchObject({ code: 'ENOENT' })
})

it('a thread answers each task with its batch, or with the error of the system', async () => {
  const path = join(folder, 'access.log')
  writeFileSync(path, logText(200, 1))
  const { encoder } = await open(['access.log'])
  const { port1, port2 } = new MessageChannel()
  answerTasks(port2, encoder)
  const answer = async (task: Task) => {
    port1.postMessage(task)
    const [[first]] = await once(port1, 'message')
    return first
  }
  const own = createTaskReader(encoder)
  for (const range of rangesOf(9000, 3000)) {
    const task: Task = { type: 'range', path, range }
    expect(await answer(task)).toEqual({ batch: own.read(task) })
  }
  const gone = join(folder, 'gone.log')
  expect(await answer({ type: 'range', path: gone, range: { start: 0, end: 9 } })).toEqual({
    message: `ENOENT: no such file or directory, open '${gone}'`,
    details: { errno: -2, code: 'ENOENT', syscall: 'open', path: gone },
  })
  own.close()
  port1.close()
})

it('a thread that ends rejects the tasks that it has not answered', async () => {
  writeFileSync(join(folder, 'access.log'), logText(200, 1))
  const { encoder } = await open(['access.log'])
  const thread = startThread(encoder)
  const reading = thread.read({ type: 'range', path: join(folder, 'access.log'), range: { start: 0, end: 9000 } })
  const rejected = expect(reading).rejects.toThrow('the thread that is to read logs has ended')
  await thread.end()
  await rejected
})
