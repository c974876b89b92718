/** `sluice simulate`: logs as container runtimes, tools and other proxies keep them. */
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { createShop, json, LOG, line, write } from './shop.ts'

createShop()

const LINES = LOG.split('\n').filter(Boolean)
const totals = { requests: 8, passed: 3, delayed: 1, rejected: 2, unmatched: 2 }
const AT = '2026-01-05T12:00:09.123456789Z'

describe('a log in a wrapper', () => {
  const wrapped: readonly (readonly [name: string, log: string])[] = [
    ['cri', LINES.map((text) => `${AT} stdout F ${text}\n`).join('')],
    ['kubectl', LINES.map((text) => `${AT} ${text}\n`).join('')],
    ['docker', LINES.map((text) => `${JSON.stringify({ log: `${text}\n`, stream: 'stdout', time: AT })}\n`).join('')],
  ]
  it.each(wrapped)('of %s has the same report', async (name, log) => {
    write(`${name}.log`, log)
    for (const flag of ['', ` --log-format ${name}`, ' --log-format combined'])
      expect(await json(`k8s --spread none --log ${name}.log${flag}`)).toMatchObject({
        totals,
        traffic: { name: `${name} combined`, lines: 8, unreadable: 0 },
      })
  })

  it('is whole again where its lines come in pieces, over the ends of blocks too', async () => {
    const long = line('10.0.0.9', 4, `GET /tea?${'x'.repeat(20_000)} HTTP/1.1`).trim()
    const pieces = [`${AT} stdout P ${long.slice(0, 16_384)}`, `${AT} stdout F ${long.slice(16_384)}`]
    const log = [...Array.from({ length: 200 }, () => pieces).flat(), `${AT} stdout F ${LINES[0]}`].join('\n')
    expect(log.length).toBeGreaterThan(2 ** 21)
    write('pieces.log', log)
    expect(await json('k8s --log pieces.log --threads 2')).toMatchObject({
      traffic: { lines: 401, unreadable: 0 },
      routes: [
        { name: 'tea', requests: 200 },
        { name: 'coffee', requests: 1 },
      ],
    })
  })

  it('may have the error log beside it', async () => {
    const errors = ['2026/01/05 12:00:09 [error] 7#7: *1 limiting requests', '', 'out of luck']
    const log = [
      ...LINES.map((text) => `${AT} stdout F ${text}`),
      ...errors.map((text) => `${AT} stderr F ${text}`),
      `${AT} stdout F out of luck`,
    ]
    write('errors.log', `${log.join('\n')}\n`)
    expect(await json('k8s --spread none --log errors.log')).toMatchObject({
      totals,
      traffic: { lines: 12, unreadable: 1 },
    })
  })
})

it('a packed log with something else behind it is read up to there, and the report says so', async () => {
  write('behind.gz', Buffer.concat([gzipSync(LOG), Buffer.from('rotated')]))
  const { totals: counted, warnings } = await json('k8s --spread none --log behind.gz')
  expect(counted).toEqual(totals)
  expect(warnings).toContain(
    'behind.gz: behind the packed data is something else, which is not read; only the part before that was simulated',
  )
})

it('a packed log with a wrong byte is read, and the report says that lines may be wrong', async () => {
  /** At level 0 the data is stored as it is: one byte changes one line. */
  const packed = gzipSync(LOG, { level: 0 })
  packed.writeUInt8(packed.readUInt8(packed.length - 12) ^ 1, packed.length - 12)
  write('byte.gz', packed)
  const { totals: counted, warnings } = await json('k8s --spread none --log byte.gz')
  expect(counted).toEqual(totals)
  expect(warnings).toContain(
    'byte.gz: the packed data is damaged: its checksum does not match, so some of its lines may be wrong; only the part before that was simulated',
  )
})
