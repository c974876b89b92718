/** The built program as a process. `npm test` builds it before. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  constants,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
} from 'node:fs'
import { Socket } from 'node:net'
import { basename, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/core/commands.ts'
import { createFolder, policy, WRONG } from '../files/folder.ts'

const CLI = resolve('dist/cli.js')
const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants

const run = (argv: readonly string[], options: Parameters<typeof spawnSync>[2] = {}, cli = CLI) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...argv], { encoding: 'utf8', ...options })
  return { status, stdout, stderr }
}

const shell = (script: string, cwd: string) =>
  spawnSync('bash', ['-c', script], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    env: { ...process.env, SLUICE: `${process.execPath} ${CLI}` },
  })

/** Far more than a pipe holds. */
const LONG = Array.from({ length: 5000 }, (_, index) => policy({ name: `p${index}`, rate: '10R/S' })).join('---\n')

describe('the program', () => {
  it('can be started by its name', () =>
    expect(execFileSync(CLI, ['--version'], { encoding: 'utf8' })).toMatch(/^\d+\.\d+\.\d+\n$/))

  it('evaluates little when it starts: the lint alone, and of it what the run needs', () => {
    const folder = createFolder({})
    const coverage = createFolder({})
    run(['lint', folder], { env: { ...process.env, NODE_V8_COVERAGE: coverage } })
    const [report = ''] = readdirSync(coverage)
    const scripts: { url: string; functions: { ranges: { count: number }[] }[] }[] = JSON.parse(
      readFileSync(join(coverage, report), 'utf8'),
    ).result
    const calls = scripts
      .filter(({ url }) => url.endsWith('.cjs'))
      .map(({ url, functions }) => [
        basename(url),
        functions.reduce((sum, one) => sum + (one.ranges[0]?.count ?? 0), 0),
      ])
    expect(calls).toEqual([['lint.cjs', expect.any(Number)]])
    // Some 6,000: each table that is made when it is loaded, and not when it is asked for, adds hundreds.
    expect(calls[0]?.[1]).toBeLessThan(7000)
  })

  it('reads the standard input and ends with the code of the command', () => {
    expect(run(['lint', '-'], { input: WRONG })).toMatchObject({ status: 1, stderr: '' })
    expect(run(['lint', '-'], { input: policy() })).toMatchObject({ status: 0 })
    expect(run(['lint', '-'], { input: '' }).stdout).toContain('nothing to judge in 1 file')
    expect(run(['lint', 'gone'])).toMatchObject({ status: 2, stderr: 'sluice: gone: no such file or folder\n' })
  })

  it('writes a long report whole to a slow reader', () => {
    const folder = createFolder({ 'a.yaml': LONG })
    const { stdout } = shell('$SLUICE lint --format json | (sleep 0.5; cat)', folder)
    expect(JSON.parse(stdout).findings).toHaveLength(5000)
  })

  it('writes a long report whole to a pipe that does not wait', async () => {
    const folder = createFolder({ 'a.yaml': LONG })
    const pipe = join(createFolder(), 'pipe')
    execFileSync('mkfifo', [pipe])
    // The program shares with its parent that this end does not wait.
    const [output, input] = [O_RDONLY, O_WRONLY].map((access) => openSync(pipe, access | O_NONBLOCK))
    const child = spawn(process.execPath, [CLI, 'lint', '--format', 'json', 'a.yaml'], {
      cwd: folder,
      stdio: ['ignore', input, 'inherit'],
    })
    const ended = once(child, 'exit')
    closeSync(input ?? -1)
    await sleep(300)
    expect(JSON.parse(await text(new Socket({ fd: output ?? -1 }))).findings).toHaveLength(5000)
    expect(await ended).toEqual([1, null])
  })

  it('prints no error when its reader leaves, and keeps its code', () => {
    const folder = createFolder({ 'a.yaml': LONG })
    const { stdout, stderr } = shell('set -o pipefail; $SLUICE lint | head -1; echo $?', folder)
    expect({ stdout, stderr }).toEqual({ stdout: 'a.yaml\n1\n', stderr: '' })
  })

  it.runIf(existsSync('/dev/full'))('reports that its output cannot be written', () => {
    const folder = createFolder({ 'a.yaml': WRONG })
    expect(shell('$SLUICE lint > /dev/full', folder)).toMatchObject({
      status: 2,
      stderr: 'sluice: the output cannot be written: no space left on the device\n',
    })
  })

  it('survives a working directory that is gone', () => {
    const { status, stderr } = shell('mkdir gone; cd gone; rmdir ../gone; $SLUICE lint', createFolder())
    expect({ status, stderr }).toEqual({ status: 2, stderr: 'sluice: .: no such file or folder\n' })
  })

  it('ends at Ctrl-C with 130, also while it waits for input', () => {
    const { stdout } = shell(
      'set -m; (sleep 5 | (trap - INT; exec $SLUICE lint -)) & sleep 0.5; kill -INT -$!; wait $!; echo $?',
      createFolder(),
    )
    expect(stdout).toBe('130\n')
  })

  it('asks of the standard input no more than it needs', async () => {
    const child = spawn(process.execPath, [CLI, 'lint', createFolder({ 'a.yaml': policy() })], {
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    expect(await new Promise((settle) => child.on('exit', settle))).toBe(0)
  })
})

describe('without the client of Kubernetes, which needs a newer Node than the rest', () => {
  const copy = () => {
    const folder = createFolder({})
    cpSync('dist', folder, { recursive: true, filter: (path) => !/kubernetes-client|studio|types|\.cache/.test(path) })
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
    return join(folder, 'cli.js')
  }

  it('every command shows its help', () => {
    const cli = copy()
    for (const { name } of COMMANDS)
      expect({ name, ...run([name, '--help'], {}, cli) }).toMatchObject({ name, status: 0, stderr: '' })
  })

  it('mistakes of who asks a cluster are told', () => {
    const { status, stderr } = run(['mesh', 'servics'], {}, copy())
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'sluice: unknown "sluice mesh servics"; did you mean "sluice mesh services"?\n',
    })
  })
})

describe('the kept machine code', () => {
  const install = () => {
    const folder = createFolder()
    cpSync('dist', folder, { recursive: true, filter: (path) => !path.includes('.cache') })
    return folder
  }
  const keptIn = (folder: string) => (existsSync(join(folder, '.cache')) ? readdirSync(join(folder, '.cache')) : [])

  it('is written by the first run that judges something, and by no other', () => {
    const folder = install()
    const cli = join(folder, 'cli.js')
    run(['lint', '-'], { input: 'kind: ConfigMap' }, cli)
    run(['lint', '--bogus'], {}, cli)
    expect(keptIn(folder)).toEqual([])
    const first = run(['lint', '-', '--format', 'json'], { input: WRONG }, cli)
    const kept = keptIn(folder)
    expect(kept).toEqual([expect.stringMatching(/^[\da-f]{12}-v\d+\.\d+\.\d+-\w+-lint$/)])
    expect(run(['lint', '-', '--format', 'json'], { input: WRONG }, cli)).toEqual(first)
    expect(keptIn(folder)).toEqual(kept)
  })

  const nobody = { uid: 65534, gid: 65534 }
  // Only root can run a program as another user, who may reach neither root's home nor the Node in it.
  const canBeNobody = spawnSync(process.execPath, ['--version'], nobody).status === 0

  it.runIf(canBeNobody)('is done without where nothing can be written', () => {
    const folder = install()
    chmodSync(folder, 0o755)
    const outcome = run(['lint', '-'], { input: WRONG, ...nobody }, join(folder, 'cli.js'))
    expect(outcome).toMatchObject({ status: 1, stderr: '' })
    expect(keptIn(folder)).toEqual([])
  })
})
