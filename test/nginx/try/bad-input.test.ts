/** What users and editors do to the files of `sluice try`, and how it ends. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { processesWriting } from '../../../src/proxy/processes.ts'
import { sluice } from '../../cli/run.ts'
import { freePort } from '../../free-ports.ts'
import { gateway, policy, route } from '../../live/manifests.ts'
import { casesOf } from '../../support/cases.ts'
import { newFolder } from '../proxy/driving.ts'
import { describeNewestNginx } from '../with-nginx.ts'
import { only, tryFiles, tryUntilApplied } from './trying.ts'

const { each } = casesOf(import.meta.url)

const FRAME = gateway() + route('coffee') + route('tea')
const PER_MINUTE = 'key: $binary_remote_addr, rate: 1r/m'
const CLI = fileURLToPath(new URL('../../../dist/cli.js', import.meta.url))

describe('without an nginx', () => {
  /** The error of a command line in a folder with one file; exit code 2, and nothing is left. */
  const errorOf = async (text: string, ...args: readonly string[]): Promise<string> => {
    const cwd = newFolder()
    writeFileSync(join(cwd, 'shop.yaml'), text)
    const { code, stderr } = await sluice(['try', ...args], { cwd, env: process.env })
    expect([code, readdirSync(cwd)]).toEqual([2, ['shop.yaml']])
    return stderr
  }

  test('none on PATH: how to install one', () => {
    const folder = newFolder()
    writeFileSync(join(folder, 'shop.yaml'), FRAME)
    const env = { ...process.env, TMPDIR: folder, PATH: '/nowhere' }
    const { status, stderr } = spawnSync(process.execPath, [CLI, 'try'], { cwd: folder, env, encoding: 'utf8' })
    expect(stderr).toMatch(/^sluice: nginx cannot be started: no such program; install nginx .* --nginx-bin$/m)
    expect([status, readdirSync(folder)]).toEqual([2, ['shop.yaml']])
  })

  each<[string, RegExp]>('%s: a line that says what is wrong', async (args, message) =>
    expect(await errorOf(FRAME, ...args.split(' '))).toMatch(message),
  )

  each<[string, string, RegExp]>('%s in the manifests: clear words', async (_, text, message) =>
    expect(await errorOf(text)).toMatch(message),
  )
})

describeNewestNginx('sluice try', (program) => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'ends on %s with exit code 0, and leaves nothing',
    async (signal) => {
      const trying = await tryUntilApplied(program, { 'shop.yaml': FRAME + policy('coffee', PER_MINUTE) })
      const [own = ''] = readdirSync(trying.temporary)
      const log = join(trying.temporary, own, '1', 'error.log')
      expect(processesWriting(log).length).toBeGreaterThan(1)
      expect(await trying.end(signal)).toBe(0)
      expect(processesWriting(log)).toEqual([])
      expect(readdirSync(trying.temporary)).toEqual([])
    },
  )

  test('ended while it starts, it leaves nothing', async () => {
    const trying = await tryFiles(program, { 'shop.yaml': FRAME })
    await expect.poll(() => readdirSync(trying.temporary).length).toBe(1)
    expect(await trying.end()).toBe(0)
    expect(readdirSync(trying.temporary)).toEqual([])
  })

  test('a fresh nginx accepts a refused key, and says so', async () => {
    const text = policy('coffee', PER_MINUTE)
    const trying = await tryUntilApplied(program, { 'shop.yaml': FRAME, 'p.yaml': text })
    await trying.change({ 'p.yaml': text.replace('$binary_remote_addr', '$host') })
    const from = trying.events.length
    const [own = ''] = readdirSync(trying.temporary)
    for (const { pid } of processesWriting(join(trying.temporary, own, '1', 'error.log'))) process.kill(pid, 'SIGKILL')
    await trying.event({ event: 'condition', type: 'Accepted', status: 'True' }, from)
  })

  test('it ends when nobody reads what it writes any more', async () => {
    const trying = await tryUntilApplied(program, FRAME)
    trying.child.stdout?.destroy()
    trying.write({ 'p.yaml': policy('coffee', PER_MINUTE) })
    expect(await trying.ended).toBe(0)
    expect(readdirSync(trying.temporary)).toEqual([])
  })

  test('a thousand changes in a second are few versions, the last of which is in force', async () => {
    const trying = await tryUntilApplied(program, FRAME)
    for (let count = 0; count < 1_000; count += 1) {
      trying.write({ 'p.yaml': policy('coffee', PER_MINUTE, { settings: `rejectCode: ${410 + (count % 30)}` }) })
      if (count % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 15))
    }
    await trying.event({ event: 'condition', object: { name: 'coffee' } })
    await expect.poll(() => trying.statuses('/coffee', 1).then(([code]) => code)).toBe(410 + (999 % 30))
    expect(only(trying.events, 'applied').length).toBeLessThan(30)
  })

  test('several Gateways have an nginx each; one that comes is started, one that goes is ended', async () => {
    const trying = await tryUntilApplied(program, { 'shop.yaml': FRAME, 'other.yaml': gateway('other') })
    const urls = () => new Map(only(trying.events, 'listening').map(({ gateway: name, url }) => [name, String(url)]))
    expect([...urls().keys()].sort()).toEqual(['shop/edge', 'shop/other'])
    // Its port is not asked afterwards: what another test has started may listen there by then.
    const [own = ''] = readdirSync(trying.temporary)
    const processes = () => processesWriting(join(trying.temporary, own, '2', 'error.log')).length
    expect(processes()).toBeGreaterThan(1)
    await trying.change({
      'other.yaml': undefined,
      'third.yaml': gateway('third', '[{ name: http, port: 81, protocol: HTTP }]'),
    })
    await expect.poll(processes).toBe(0)
    expect((await fetch(urls().get('shop/third') ?? '')).status).toBe(404)
  })

  test('--port is that of the first listener; one that is taken is a mistake, any other is replaced', async () => {
    const [port, taken] = [await freePort(), await freePort()]
    const server = createServer().listen(taken, '127.0.0.1')
    const listeners = `[{ name: a, port: 80, protocol: HTTP }, { name: b, port: ${taken}, protocol: HTTP }]`
    const trying = await tryFiles(program, { 'shop.yaml': gateway('edge', listeners) }, ['--port', String(port)])
    expect(await trying.port('a')).toBe(port)
    expect(await trying.port('b')).not.toBe(taken)
    const other = await tryFiles(program, { 'shop.yaml': gateway('edge', listeners) }, ['--port', String(taken)])
    await expect.poll(other.stderr).toMatch(/--port \d+: something else listens there/)
    expect(await other.ended).toBe(2)
    server.close()
  })

  test('a folder whose nginx dies is served again', async () => {
    const trying = await tryUntilApplied(program, FRAME)
    const [own = ''] = readdirSync(trying.temporary)
    for (const { pid } of processesWriting(join(trying.temporary, own, '1', 'error.log'))) process.kill(pid, 'SIGKILL')
    await expect.poll(trying.stderr).toMatch(/the nginx of Gateway shop\/edge has ended; it is started again/)
    await expect.poll(() => trying.statuses('/coffee', 1)).toEqual([200])
  })

  test('a folder that is made later is watched too', async () => {
    const trying = await tryUntilApplied(program, FRAME)
    mkdirSync(join(trying.folder, 'limits'))
    await new Promise((resolve) => setTimeout(resolve, 300))
    const said = await trying.change({ 'limits/p.yaml': policy('coffee', PER_MINUTE) })
    expect(existsSync(join(trying.folder, 'limits/p.yaml'))).toBe(true)
    expect(only(said, 'condition').length).toBeGreaterThan(0)
  })
})
