/** `sluice try --format json` as a process of its own, and what it says. */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Ajv from 'ajv'
import { expect } from 'vitest'
import { isObject, type JsonObject } from '../../../src/json/member.ts'
import { freePort } from '../../free-ports.ts'
import { send } from '../backends.ts'
import { afterThisTest, newFolder } from '../proxy/driving.ts'
import type { NginxProgram } from '../real-nginx.ts'

const schemaOf = (name: string): object =>
  JSON.parse(readFileSync(new URL(`../../../schemas/${name}.schema.json`, import.meta.url), 'utf8'))

/** True for what schemas/try.schema.json allows. */
const isEvent = new Ajv.default({ strict: true, strictTypes: false, strictRequired: false })
  .addSchema(schemaOf('lint'))
  .compile(schemaOf('try'))

const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url))

/** Texts of files by their names; undefined for one that is gone. */
export type Texts = Readonly<Record<string, string | undefined>>

/** A process, its manifests, and its events. */
export type Trying = {
  readonly child: ChildProcess
  readonly folder: string
  /** Where it makes its own folder. */
  readonly temporary: string
  readonly events: readonly JsonObject[]
  readonly stderr: () => string
  /** Writes files of the manifests; undefined removes one. */
  write(files: Texts): void
  /** The first event with these members, from an index on (default: the beginning); waits for it. */
  event(members: JsonObject, from?: number): Promise<JsonObject>
  /** Writes files, and waits until they are in force; what was said meanwhile. */
  change(files: Texts): Promise<readonly JsonObject[]>
  /** The statuses of some requests, sent at once, sorted. */
  statuses(path: string, count: number): Promise<readonly number[]>
  /** The port of a listener. */
  port(listener?: string): Promise<number>
  /** The error log of its nginx. */
  errorLog(): string
  /** The exit code, once it has ended. */
  readonly ended: Promise<number | null>
  /** Sends a signal, and waits for the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>
}

/**
 * Starts it on some files, with a port of its own: the default is the same for all, and a test that asks again and again
 * while its nginx is started anew would ask that of another test.
 */
export async function tryFiles(
  program: Pick<NginxProgram, 'path'>,
  files: Texts,
  args: readonly string[] = [],
): Promise<Trying> {
  const own = args.includes('--port') ? [] : ['--port', String(await freePort())]
  const root = newFolder()
  chmodSync(root, 0o755)
  const [folder, temporary] = [join(root, 'm'), join(root, 't')]
  for (const path of [folder, temporary]) mkdirSync(path)
  const write: Trying['write'] = (texts) => {
    for (const [name, text] of Object.entries(texts))
      if (text === undefined) rmSync(join(folder, name))
      else writeFileSync(join(folder, name), text)
  }
  write(files)
  const child = spawn(
    process.execPath,
    [CLI, 'try', '--format', 'json', '--nginx-bin', program.path, ...own, ...args],
    { cwd: folder, env: { ...process.env, TMPDIR: temporary }, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  const events: JsonObject[] = []
  const said = { stderr: '', rest: '', wrong: '' }
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (said.rest + text).split('\n')
    said.rest = lines.pop() ?? ''
    for (const line of lines) {
      const event: unknown = JSON.parse(line)
      if (!isEvent(event)) said.wrong += `${line}: ${JSON.stringify(isEvent.errors)}\n`
      if (isObject(event)) events.push(event)
    }
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const end: Trying['end'] = (signal = 'SIGINT') => {
    if (child.exitCode === null) child.kill(signal)
    return ended
  }
  afterThisTest(async () => {
    await end('SIGTERM')
    expect(said.wrong, 'what the schema does not allow').toBe('')
  })
  const event: Trying['event'] = async (members, from = 0) => {
    for (;;) {
      const found = events.slice(from).find((one) => matches(one, members))
      if (found) return found
      const next = new Promise((resolve) => child.stdout.once('data', resolve))
      if ((await Promise.race([next, ended.then(() => 'ended')])) === 'ended')
        throw new Error(`no ${JSON.stringify(members)} before the end: ${said.stderr}`)
    }
  }
  const port: Trying['port'] = async (listener = 'http') => {
    const { url } = await event({ event: 'listening', listener })
    return Number(new URL(String(url)).port)
  }
  return {
    child,
    folder,
    temporary,
    events,
    stderr: () => said.stderr,
    write,
    event,
    async change(texts) {
      const from = events.length
      write(texts)
      await event({ event: 'applied' }, from)
      return events.slice(from)
    },
    async statuses(path, count) {
      const at = await port()
      const all = await Promise.all(Array.from({ length: count }, () => send(at, path)))
      return all.sort((a, b) => a - b)
    },
    port,
    errorLog() {
      const [own = ''] = readdirSync(temporary)
      return readFileSync(join(temporary, own, '1', 'error.log'), 'utf8')
    },
    ended,
    end,
  }
}

/** The same, when the first version is in force; a text is that of one file. */
export async function tryUntilApplied(
  program: Pick<NginxProgram, 'path'>,
  files: string | Texts,
  args?: readonly string[],
): Promise<Trying> {
  const trying = await tryFiles(program, typeof files === 'string' ? { 'shop.yaml': files } : files, args)
  await trying.event({ event: 'applied' })
  return trying
}

/** True where an event has some members, and theirs. */
function matches(value: unknown, wanted: unknown): boolean {
  if (!isObject(wanted)) return value === wanted
  return isObject(value) && Object.entries(wanted).every(([name, member]) => matches(value[name], member))
}

/** The events of a kind, without the word itself. */
export const only = (events: readonly JsonObject[], kind: string): readonly JsonObject[] =>
  events.filter(({ event }) => event === kind).map(({ event: _, ...rest }) => rest)
