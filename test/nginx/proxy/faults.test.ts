/** Programs that are missing or misbehave, addresses in use, disks that cannot be written: what a driver makes of them. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type DriverEvent, type Outcome, openDriver } from '../../../src/proxy/driver.ts'
import { identify, processesWriting } from '../../../src/proxy/processes.ts'
import { freePort } from '../../free-ports.ts'
import { mountTmpfs } from '../../store/small-disk.ts'
import { casesOf } from '../../support/cases.ts'
import { describeNewestNginx } from '../with-nginx.ts'
import { afterThisTest, drive, masterOf, newFolder, wrapper } from './driving.ts'
import { composing, part } from './forms.ts'

const { cases, each } = casesOf(import.meta.url)

const failure = (kind: string, message: RegExp) => ({
  result: 'failed',
  failure: expect.objectContaining({ kind, message: expect.stringMatching(message) }),
})

/** Listens on a port until it is told to stop. */
async function occupy(port: number): Promise<() => Promise<void>> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()))
  afterThisTest(stop)
  return stop
}

describeNewestNginx('a driver whose surroundings fail', (program) => {
  type Program = { readonly path?: string; readonly script?: string }

  each<[string, Program, string, RegExp]>(
    'a program that %s is refused',
    async (_, { path, script = '' }, kind, words) => {
      const nginx = path ?? wrapper(program.path, script)
      const opened = openDriver({ nginx, folder: newFolder() })
      await expect(opened).rejects.toMatchObject({ kind, message: expect.stringMatching(words) })
    },
  )

  test('a program that disappears while it is driven', async () => {
    const nginx = wrapper(program.path, '')
    const { apply, get } = await drive({ path: nginx })
    await apply({ tea: part('tea') })
    rmSync(nginx)
    expect(await apply({ tea: part('tea', '$uri', 'v2') })).toMatchObject(failure('missing', /no such program/))
    expect(await get('tea')).toBe('v1')
  })

  test('a program that disappears before it is started', async () => {
    const nginx = wrapper(program.path, '')
    const { apply } = await drive({ path: nginx }, { onStep: (step) => step === 'tested' && rmSync(nginx) })
    expect(await apply({ tea: part('tea') })).toMatchObject(failure('missing', /cannot be started: no such program$/))
  })

  each<[string, string, string, RegExp]>('nginx that %s at its start, again and again', async (_, how, kind, words) => {
    const failing = wrapper(program.path, `case "$*" in *daemon*) ${how};; esac`)
    const { apply, folder } = await drive({ path: failing }, { limits: { load: 1_000 } })
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(await apply({ tea: part('tea') })).toMatchObject(failure(kind, words))
    await expect.poll(() => processesWriting(join(folder, 'error.log'))).toEqual([])
  })

  test('nginx that worked and crashes from now on is started with longer and longer pauses', async () => {
    const flag = join(newFolder(), 'flag')
    const crashing = wrapper(program.path, `case "$*" in *daemon*) test -e ${flag} && kill -SEGV $$;; esac`)
    const events: DriverEvent[] = []
    const { apply, driver, get } = await drive({ path: crashing }, { onEvent: (event) => events.push(event) })
    await apply({ tea: part('tea') })
    writeFileSync(flag, '')
    process.kill(masterOf(driver), 'SIGKILL')
    await expect.poll(() => events.length).toBeGreaterThanOrEqual(5)
    expect(events.slice(0, 5)).toMatchObject([
      { event: 'ended', pause: 500 },
      { event: 'restarted', outcome: failure('crash', /SIGSEGV/) },
      { event: 'ended', pause: 1_000 },
      { event: 'restarted', outcome: failure('crash', /SIGSEGV/) },
      { event: 'ended', pause: 2_000 },
    ])
    rmSync(flag)
    await expect.poll(() => events.at(-1)).toMatchObject({ event: 'restarted', outcome: { result: 'applied' } })
    expect(await get('tea')).toBe('v1')
  })

  test.skipIf(process.getuid?.() !== 0)('workers that cannot run', async () => {
    const caps = 'setpriv --inh-caps=-setuid,-setgid --bounding-set=-setuid,-setgid'
    const weak = wrapper(program.path, `exec ${caps} ${program.path} "$@"`)
    const { apply, get, folder, port } = await drive({ path: weak })
    const compose: typeof composed = (forms) =>
      composed(forms).map((file) => ({ ...file, text: file.text.replace('user root;', 'user nobody nogroup;') }))
    const composed = composing(port)
    expect(await apply({ tea: part('tea') }, { compose })).toMatchObject(cases<object>('workers that cannot run'))
    expect(processesWriting(join(folder, 'error.log'))).toEqual([])
    expect(await apply({ tea: part('tea') })).toMatchObject({ result: 'applied' })
    // They have taken the place of those that could, which come back.
    expect(await apply({ tea: part('tea', '$uri', 'v2') }, { compose })).toMatchObject({
      result: 'refused',
      forms: new Map([['tea', part('tea')]]),
    })
    expect(await get('tea')).toBe('v1')
  })

  each<[string, string]>('nginx that says no reason while it is tested: %s', async (how, words) => {
    const silent = wrapper(program.path, `case "$*" in *-t*) ${how};; esac`)
    const { apply } = await drive({ path: silent })
    expect(await apply({ tea: part('tea') })).toMatchObject({ result: 'refused', words })
  })

  test('nginx that hangs while it is tested', async () => {
    const pid = join(newFolder(), 'pid')
    const hanging = wrapper(program.path, `case "$*" in *-t*) sleep 1000 & echo $! > ${pid}; wait;; esac`)
    const { apply } = await drive({ path: hanging }, { limits: { test: 3_000 } })
    expect(await apply({ tea: part('tea') })).toMatchObject(failure('hang', /-t" has not ended after 3000 ms/))
    await expect.poll(() => identify(Number(readFileSync(pid, 'utf8')))).toBeUndefined()
  })

  test('nginx that hangs on a reload: the old configuration serves; what came of it is found out later', async () => {
    const { apply, get, driver, folder } = await drive(program, { limits: { load: 3_000 } })
    await apply({ tea: part('tea') })
    const pid = masterOf(driver)
    process.kill(pid, 'SIGSTOP')
    afterThisTest(() => {
      if (identify(pid)) process.kill(pid, 'SIGCONT')
    })
    const conf = readlinkSync(join(folder, 'conf'))
    const hangs = failure('hang', /has not reloaded 3000 ms after the signal/)
    expect(await apply({ tea: part('tea', '$uri', 'v2') })).toMatchObject({
      ...hangs,
      forms: new Map([['tea', part('tea')]]),
    })
    expect([await get('tea'), readlinkSync(join(folder, 'conf'))]).toEqual(['v1', conf])
    process.kill(pid, 'SIGCONT')
    expect(await apply({ tea: part('tea', '$uri', 'v3') })).toMatchObject({ result: 'applied' })
    expect([await get('tea'), driver.master()?.pid]).toEqual(['v3', pid])
  })

  test('nginx that is killed while it reloads', async () => {
    let kill = () => {}
    const { apply, get, driver } = await drive(program, { onStep: (step) => step === 'signalled' && kill() })
    await apply({ tea: part('tea') })
    kill = () => process.kill(masterOf(driver), 'SIGKILL')
    expect(await apply({ tea: part('tea', '$uri', 'v2') })).toMatchObject(
      failure('crash', /^nginx ended while it was to reload$/),
    )
    kill = () => {}
    expect(await apply({ tea: part('tea', '$uri', 'v3') })).toMatchObject({ result: 'applied' })
    expect(await get('tea')).toBe('v3')
  })

  test('a hung nginx is killed by a stop', async () => {
    const { apply, driver, folder } = await drive(program, { limits: { stop: 500 } })
    await apply({ tea: part('tea') })
    process.kill(masterOf(driver), 'SIGSTOP')
    await driver.stop()
    expect(processesWriting(join(folder, 'error.log'))).toEqual([])
  })

  test('an address in use at the start, and then free', async () => {
    const { apply, get, port } = await drive(program)
    const free = await occupy(port)
    const inUse = failure(
      'port',
      new RegExp(`^bind\\(\\) to 127.0.0.1:${port} failed \\(98: Address (?:already )?in use\\)$`),
    )
    expect(await apply({ tea: part('tea') })).toMatchObject(inUse)
    await free()
    expect(await apply({ tea: part('tea') })).toMatchObject({ result: 'applied', refused: [] })
    expect(await get('tea')).toBe('v1')
  })

  test('an address in use that all parts want, while nginx runs: it goes on as it was', async () => {
    const { apply, get, port } = await drive(program)
    await apply({ tea: part('tea') })
    const taken = await freePort()
    await occupy(taken)
    const compose = composing(port, { frame: `server { listen 127.0.0.1:${taken}; }` })
    expect(await apply({ tea: part('tea', '$uri', 'v2') }, { compose })).toMatchObject({
      ...failure('port', /Address (?:already )?in use/),
      cost: { tests: 1, reloads: 1 },
    })
    expect(await get('tea')).toBe('v1')
  })

  test('an address in use that one part wants: the part is refused, the others are in force', async () => {
    const { apply, get } = await drive(program)
    const port = await freePort()
    await occupy(port)
    await apply({ tea: part('tea') })
    const listening = { own: `server { listen 127.0.0.1:${port}; }\n#location\n` }
    expect(await apply({ tea: part('tea', '$uri', 'v2'), ...listening })).toMatchObject({
      result: 'applied',
      refused: [{ part: 'own', words: expect.stringMatching(/Address (?:already )?in use/), keeps: 'nothing' }],
    })
    expect(await get('tea')).toBe('v2')
  })

  test('a full disk: the old configuration serves, and the new one is in force when there is space', async ({
    skip,
  }) => {
    const disk = mountTmpfs('512k')
    if (!disk) return skip('no tmpfs can be mounted here')
    const { apply, get } = await drive(program, { folder: join(disk.folder, 'proxy') })
    await apply({ tea: part('tea') })
    const filler = join(disk.folder, 'filler')
    spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=1k'])
    const larger = `${part('tea', '$uri', 'v2')}${'# larger\n'.repeat(2_000)}`
    expect(await apply({ tea: larger })).toMatchObject(failure('folder', /no space left on the device/))
    expect(await get('tea')).toBe('v1')
    rmSync(filler)
    expect(await apply({ tea: larger })).toMatchObject({ result: 'applied', refused: [] })
    expect(await get('tea')).toBe('v2')
  })

  test.skipIf(process.getuid?.() === 0)('a folder that another user owns', async () => {
    const folder = newFolder()
    chmodSync(folder, 0o555)
    await expect(openDriver({ nginx: program.path, folder })).rejects.toMatchObject({
      kind: 'folder',
      message: expect.stringMatching(/permission denied$/),
    })
  })

  test('a folder that becomes read-only, and writable again', async ({ skip }) => {
    const disk = mountTmpfs('1m')
    if (!disk) return skip('no tmpfs can be mounted here')
    const folder = join(disk.folder, 'proxy')
    mkdirSync(folder)
    disk.remount('ro')
    await expect(openDriver({ nginx: program.path, folder })).rejects.toMatchObject({
      kind: 'folder',
      message: expect.stringMatching(/: the file system is read-only$/),
    })
    disk.remount('rw')
    const { apply, get } = await drive(program, { folder })
    const ok: Outcome = await apply({ tea: part('tea') })
    expect(ok).toMatchObject({ result: 'applied' })
    // What is open for writing keeps a file system from becoming read-only, but not a bind mount of it.
    spawnSync('mount', ['--bind', disk.folder, disk.folder])
    afterThisTest(() => void spawnSync('umount', ['-l', disk.folder]))
    spawnSync('mount', ['-o', 'remount,bind,ro', disk.folder])
    expect(await apply({ tea: part('tea', '$uri', 'v2') })).toMatchObject(
      failure('folder', /the file system is read-only$/),
    )
    expect(await get('tea')).toBe('v1')
    spawnSync('mount', ['-o', 'remount,bind,rw', disk.folder])
    expect(await apply({ tea: part('tea', '$uri', 'v2') })).toMatchObject({ result: 'applied', refused: [] })
    expect(await get('tea')).toBe('v2')
  })
})
