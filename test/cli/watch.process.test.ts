/** `sluice lint --watch`, as a process: it judges again when files change, and ends at Ctrl-C. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { createFolder, policy, WRONG } from '../files/folder.ts'

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))

/** Starts a watch; what it prints is collected, standard error and output in one. */
const start = (cwd: string, ...argv: readonly string[]) => startInto('pipe', cwd, ...argv)

/** Starts a watch whose standard output goes elsewhere. */
function startInto(stdout: 'pipe' | number, cwd: string, ...argv: readonly string[]) {
  const child: ChildProcess = spawn(process.execPath, [CLI, 'lint', '--watch', ...argv], {
    cwd,
    env: { ...process.env, NO_COLOR: '1' },
    stdio: ['ignore', stdout, 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (printed += chunk))
  const exit = new Promise<unknown>((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal)))
  return {
    child,
    exit,
    /** Waits for a text, and forgets what came up to it. */
    async sees(text: string | RegExp): Promise<void> {
      await expect.poll(() => printed).toMatch(text)
      printed = printed.slice(printed.search(text)).replace(text, '')
    },
    printed: () => printed,
  }
}

it('judges again when a file changes, comes and goes, in new folders too', async () => {
  const cwd = createFolder({ 'k8s/a.yaml': policy(), '.git/': '', 'node_modules/a/b.yaml': WRONG })
  const { sees, child, exit } = start(cwd)
  await sees('no problems in 1 file')
  await sees(/watching \d folders; Ctrl-C ends/)
  writeFileSync(join(cwd, 'k8s/a.yaml'), WRONG)
  await sees('changed: k8s/a.yaml')
  await sees('1 error in 1 file')
  mkdirSync(join(cwd, 'apps/new'), { recursive: true })
  await sees('changed: apps')
  await sees('1 error in 1 file')
  writeFileSync(join(cwd, 'apps/new/b.yaml'), WRONG.replace('coffee', 'tea'))
  await sees('changed: apps/new/b.yaml')
  await sees('2 errors in 2 files')
  renameSync(join(cwd, 'k8s'), join(cwd, 'apps/k8s'))
  await sees('2 errors in 2 files')
  rmSync(join(cwd, 'apps'), { recursive: true })
  await sees('nothing to judge in 0 files')
  child.kill('SIGINT')
  expect(await exit).toBe(0)
})

it('goes on when settings are half written, and reads them again', async () => {
  const cwd = createFolder({ 'a.yaml': WRONG, 'sluice.config.yaml': '' })
  const { sees, child, exit } = start(cwd, 'a.yaml', '--output', 'json=report.json')
  await sees('1 error')
  await sees('watching')
  writeFileSync(join(cwd, 'sluice.config.yaml'), 'rules: [\n')
  await sees('changed: sluice.config.yaml')
  await sees('sluice: sluice.config.yaml:')
  writeFileSync(join(cwd, 'sluice.config.yaml'), 'rules: { gateway/rate-syntax: warning }\n')
  await sees('1 warning')
  expect(JSON.parse(readFileSync(join(cwd, 'report.json'), 'utf8')).summary).toMatchObject({ warnings: 1 })
  child.kill('SIGTERM')
  expect(await exit).toBe(0)
})

it('does not take its own report, or what an editor writes beside a file, for a change', async () => {
  const cwd = createFolder({ 'a.yaml': WRONG })
  const { sees, child, exit, printed } = start(cwd, '--output', 'json=report.json')
  await sees('watching')
  writeFileSync(join(cwd, '.a.yaml.swp'), 'x')
  writeFileSync(join(cwd, 'notes.txt'), 'x')
  symlinkSync('me@host.1', join(cwd, '.#a.yaml'))
  writeFileSync(join(cwd, '4913'), '')
  rmSync(join(cwd, '4913'))
  writeFileSync(join(cwd, 'sedX1y2Z3'), policy())
  renameSync(join(cwd, 'sedX1y2Z3'), join(cwd, 'a.yaml'))
  await sees('changed: a.yaml\n')
  await sees('no problems')
  writeFileSync(join(cwd, 'a.yaml'), WRONG)
  await sees('changed: a.yaml\n')
  await sees('1 error')
  expect(printed()).not.toContain('changed')
  child.kill('SIGINT')
  expect(await exit).toBe(0)
})

it('does not follow its own standard output', async () => {
  const cwd = createFolder({ 'a.yaml': WRONG, 'report.json': '' })
  const report = join(cwd, 'report.json')
  const { sees, child, exit, printed } = startInto(openSync(report, 'a'), cwd, '--format', 'json')
  await sees('watching')
  for (const errors of [0, 1, 0]) {
    writeFileSync(join(cwd, 'a.yaml'), errors === 0 ? policy() : WRONG)
    await sees('changed: a.yaml\n')
    await expect.poll(() => readFileSync(report, 'utf8').split('\n').at(-2)).toContain(`"errors":${errors},`)
  }
  expect(printed()).not.toContain('report.json')
  child.kill('SIGINT')
  expect(await exit).toBe(0)
})

it('looks only at settings and folders where it reads nothing', async () => {
  const cwd = createFolder({ 'k8s/a.yaml': policy() })
  const { sees, child, exit, printed } = start(cwd, 'k8s')
  await sees('watching 2 folders')
  writeFileSync(join(cwd, 'report.json'), '{}')
  writeFileSync(join(cwd, 'k8s/a.yaml'), WRONG)
  await sees('changed: k8s/a.yaml\n')
  await sees('1 error')
  writeFileSync(join(cwd, 'other.yaml'), WRONG)
  writeFileSync(join(cwd, 'sluice.config.yaml'), 'rules: { gateway/rate-syntax: warning }\n')
  await sees('changed: sluice.config.yaml\n')
  await sees('1 warning')
  expect(printed()).not.toMatch(/changed:.*(?:report|other)/)
  child.kill('SIGINT')
  expect(await exit).toBe(0)
})

it('watches the bases of kustomizations, wherever they are', async () => {
  const cwd = createFolder({
    'overlays/eu/kustomization.yaml':
      'namespace: eu\nresources: [../../base, ../../more]\ncomponents: [../../patches]\n',
    'base/kustomization.yaml': 'resources: [coffee.yaml]\n',
    'base/coffee.yaml': policy({ namespace: '' }),
    'more/kustomization.yaml': 'resources: [tea.yaml]\n',
    'more/tea.yaml': policy({ name: 'tea', namespace: '' }),
    'patches/kustomization.yaml': 'kind: Component\npatches: [{ path: rate.patch }]\n',
    'patches/rate.patch': policy({ namespace: '' }),
    'unread/a.yaml': WRONG,
  })
  const { sees, child, exit, printed } = start(join(cwd, 'overlays'))
  await sees('no problems')
  await sees('watching 5 folders')
  writeFileSync(join(cwd, 'unread/a.yaml'), policy())
  writeFileSync(join(cwd, 'patches/rate.patch'), policy({ namespace: '', rate: '10R/S' }))
  await sees('changed: ../patches/rate.patch\n')
  await sees('1 error')
  writeFileSync(join(cwd, 'more/tea.yaml'), policy({ name: 'tea', namespace: '', rate: '10R/S' }))
  await sees('changed: ../more/tea.yaml\n')
  await sees('2 errors')
  writeFileSync(join(cwd, 'base/kustomization.yaml'), 'resources: [coffee.yaml, milk.yaml]\n')
  writeFileSync(join(cwd, 'base/milk.yaml'), policy({ name: 'milk', namespace: '', rate: '10R/S' }))
  await sees('3 errors')
  expect(printed()).not.toContain('unread')
  child.kill('SIGINT')
  expect(await exit).toBe(0)
})

it.runIf(process.platform === 'linux')('keeps as many watches as there are folders', async () => {
  const cwd = createFolder({ 'a/b/c.yaml': policy() })
  const { sees, child, exit } = start(cwd)
  await sees('watching 3 folders')
  const watches = (): number => {
    const folder = `/proc/${child.pid}/fdinfo`
    const infos = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    return infos.join('').match(/^inotify wd/gm)?.length ?? 0
  }
  const before = watches()
  for (let round = 0; round < 5; round++) {
    mkdirSync(join(cwd, `d${round}`))
    await sees(`changed: d${round}`)
    await sees('no problems')
    rmSync(join(cwd, `d${round}`), { recursive: true })
    await sees(`changed: d${round}`)
    await sees('no problems')
  }
  await expect.poll(watches).toBe(before)
  child.kill('SIGINT')
  expect(await exit).toBe(0)
})

it('ends when nobody reads what it writes any more', async () => {
  const cwd = createFolder({ 'a.yaml': WRONG })
  const { sees, child, exit } = start(cwd)
  await sees('watching')
  child.stdout?.destroy()
  writeFileSync(join(cwd, 'a.yaml'), policy())
  expect(await exit).toBe(0)
})
