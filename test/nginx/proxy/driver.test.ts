/** What a driver puts into force, on real nginx programs. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/json/member.ts'
import { type DriverEvent, openDriver } from '../../../src/proxy/driver.ts'
import type { Cost } from '../../../src/proxy/instance.ts'
import { childrenOf, isAlive } from '../../../src/proxy/processes.ts'
import { casesOf } from '../../support/cases.ts'
import { describeNginx } from '../with-nginx.ts'
import { afterThisTest, drive, masterOf, newFolder } from './driving.ts'
import { composing, formsOf, part } from './forms.ts'

const { cases, each } = casesOf(import.meta.url)

/** A process that is no nginx, and that a signal to it would end. */
function startSleeping(): ChildProcess {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' })
  afterThisTest(() => void child.kill('SIGKILL'))
  return child
}

const KEY_CHANGE = 'limit_req "tea" uses the "$host" key while previously it used the "$uri" key'

/** Parts: a whole form, or the key and the version of one. */
type Parts = Readonly<Record<string, string | readonly [key?: string, version?: string]>>

/** A configuration, with a frame around its parts, what comes of it, and what the locations answer then. */
type Step = {
  readonly apply: Parts
  readonly frame?: string
  /** Whether files lead to parts. */
  readonly isNamed?: boolean
  readonly outcome: JsonObject
  /** Of nginx. */
  readonly words?: RegExp
  readonly forms?: Parts
  readonly get: Readonly<Record<string, string>>
}

const made = (parts: Parts): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(parts).map(([name, form]) => [name, typeof form === 'string' ? form : part(name, ...form)]),
  )

describeNginx('a driver of nginx', (program) => {
  test('starts nginx, reloads it, and everything is in force when it says so', async () => {
    const steps: string[] = []
    const { apply, get, driver } = await drive(program, { onStep: (step) => steps.push(step) })
    expect(driver.version).toBe(program.version)
    expect(await apply({ tea: part('tea') })).toMatchObject({
      result: 'applied',
      refused: [],
      revision: 1,
      forms: formsOf({ tea: part('tea') }),
      cost: { tests: 1, reloads: 0, starts: 1 },
    })
    expect(await get('tea')).toBe('v1')
    for (const version of ['v2', 'v3', 'v4', 'v5']) {
      expect(await apply({ tea: part('tea', '$uri', version) })).toMatchObject(
        cases<object>('starts nginx, reloads it, and everything is in force when it says so'),
      )
      expect(await get('tea')).toBe(version)
    }
    const load = (how: string) => ['staged', 'tested', 'staged', 'noted', 'pointed', how, 'loaded', 'kept']
    const reload = load('signalled')
    expect(steps).toEqual(['locked', ...load('started'), ...reload, ...reload, ...reload, ...reload])
  })

  test('does nothing where the files are the same', async () => {
    const { apply, driver } = await drive(program)
    await apply({ tea: part('tea') })
    const master = driver.master()
    expect(await apply({ tea: part('tea') })).toMatchObject(cases<object>('does nothing where the files are the same'))
    expect(driver.master()).toEqual(master)
  })

  test.each(Object.entries(cases<Record<string, Step[]>>('walks')))('%s', async (_, steps) => {
    const { apply, get, port } = await drive(program)
    for (const { apply: wanted, frame = '', isNamed = true, outcome, words, forms, get: versions } of steps) {
      const composed = composing(port, { frame })
      const compose: typeof composed = (all) =>
        composed(all).map(({ part: own, ...file }) => (isNamed && own ? { ...file, part: own } : file))
      const seen = await apply(made(wanted), { compose })
      expect(seen).toMatchObject(words ? { ...outcome, words: expect.stringMatching(words) } : outcome)
      if (forms) expect(seen.forms).toEqual(formsOf(made(forms)))
      const answers = Object.keys(versions).map(async (name) => [name, await get(name)])
      expect(Object.fromEntries(await Promise.all(answers))).toEqual(versions)
    }
  })

  test('whole: nothing of a refused configuration is in force', async () => {
    const { apply, get, driver, folder } = await drive(program)
    const old = { tea: part('tea'), milk: part('milk') }
    expect(await apply(old, { whole: true })).toMatchObject({ result: 'applied', refused: [] })
    for (const [tea, words] of [
      [part('tea', '$host'), KEY_CHANGE],
      ['nonsense;\n#location\n', 'unknown directive "nonsense" in zones/tea.conf:1'],
    ] as const) {
      expect(await apply({ tea, milk: part('milk', '$uri', 'v2') }, { whole: true })).toMatchObject({
        result: 'refused',
        words,
        refused: [{ part: 'tea', words, by: 'words', keeps: 'last-accepted' }],
        forms: formsOf(old),
      })
      expect([await get('tea'), await get('milk')]).toEqual(['v1', 'v1'])
      const { accepted } = JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8'))
      expect(readlinkSync(join(folder, 'conf'))).toBe(accepted)
    }
    // The old configuration is put into force again, also where its nginx has died.
    process.kill(masterOf(driver), 'SIGKILL')
    await expect.poll(driver.master).toBeUndefined()
    expect(await apply({ tea: 'nonsense;\n#location\n' }, { whole: true })).toMatchObject({
      result: 'refused',
      forms: formsOf(old),
      cost: { tests: 1, starts: 1 },
    })
    expect(await get('tea')).toBe('v1')
  })

  test('the first configuration, of which what all parts have in common is refused, is not started', async () => {
    const { apply, port } = await drive(program)
    const frame = { compose: composing(port, { frame: 'nonsense;' }) }
    expect(await apply({ tea: part('tea') }, frame)).toMatchObject(
      cases<object>('the first configuration, of which what all parts have in common is refused, is not started'),
    )
  })

  test('of a thousand changes at once only the first and the newest are applied', async () => {
    const { apply, get } = await drive(program)
    const outcomes = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => apply({ tea: part('tea', '$uri', `v${index}`) })),
    )
    expect(new Set(outcomes.map(({ revision }) => revision))).toEqual(new Set([1, 2]))
    expect(await get('tea')).toBe('v999')
  })

  test('an nginx that dies is started again, with its workers gone and everything tried anew', async () => {
    const events: DriverEvent[] = []
    const { apply, get, driver } = await drive(program, { onEvent: (event) => events.push(event) })
    await apply({ tea: part('tea') })
    expect(await apply({ tea: part('tea', '$host', 'v2') })).toMatchObject({ refused: [{ part: 'tea' }] })
    process.kill(masterOf(driver), 'SIGKILL')
    await expect.poll(() => events.map(({ event }) => event)).toEqual(['ended', 'restarted'])
    expect(events[1]).toMatchObject({ outcome: { result: 'applied', refused: [], cost: { starts: 1 } } })
    expect(await get('tea')).toBe('v2')
  })

  test('an nginx that was killed leaves its sockets, and the next one listens on them again', async () => {
    const { apply, get, driver, folder, port } = await drive(program)
    const frame = `server { listen unix:${folder}/hop.sock; location / { return 200 hop; } }`
    const form = { tea: `#location\nlocation = /tea { proxy_pass http://unix:${folder}/hop.sock:/; }` }
    const wanted = { compose: composing(port, { frame }) }
    await apply(form, wanted)
    expect(await get('tea')).toBe('hop')
    process.kill(masterOf(driver), 'SIGKILL')
    await expect.poll(driver.master).toBeUndefined()
    expect(await apply(form, wanted)).toMatchObject({ result: 'applied', cost: { starts: 1 } })
    expect(await get('tea')).toBe('hop')
  })

  test('stop ends nginx and its workers; leave does not, and the next driver takes it up without a reload', async () => {
    const first = await drive(program)
    await first.apply({ tea: part('tea') })
    const master = first.driver.master()
    if (!master) throw new Error('no nginx runs')
    await first.driver.leave()
    expect([isAlive(master), await first.get('tea')]).toEqual([true, 'v1'])
    const events: DriverEvent[] = []
    const second = await drive(program, { ...first, onEvent: (event) => events.push(event) })
    expect(await second.apply({ tea: part('tea') })).toMatchObject({ cost: { tests: 0, reloads: 0, starts: 0 } })
    expect(second.driver.master()).toEqual(master)
    expect(await second.apply({ tea: part('tea', '$host') })).toMatchObject({
      refused: [{ part: 'tea', words: KEY_CHANGE }],
    })
    await second.driver.stop()
    expect(isAlive(master)).toBe(false)
    await expect(second.get('tea')).rejects.toThrow()
    // Longer than it takes to see that nginx has ended.
    await pause(1_500)
    expect(events).toEqual([])
  })

  test('a reload does not wait for requests that older workers still hold back', async () => {
    const lines: string[] = []
    const options = { limits: { load: 5_000 }, onLogLine: (line: string) => lines.push(line) }
    const { apply, get } = await drive(program, options)
    const limit = 'limit_req zone=tea burst=2; limit_req_log_level error; try_files /none =404'
    await apply({ tea: part('tea').replace('1r/s', '1r/m').replace('return 200 v1', limit) })
    const held = [1, 2].map(() => get('tea').catch(() => 'ended'))
    await expect.poll(() => lines.join('\n')).toContain('delaying request')
    for (const version of ['v2', 'v3'])
      expect(await apply({ tea: part('tea', '$uri', version) })).toMatchObject({ result: 'applied', refused: [] })
    expect([await get('tea'), (await held[0])?.includes('404 Not Found')]).toEqual(['v3', true])
  })

  test('a stop with a grace lets requests end', async () => {
    const { apply, get, driver } = await drive(program)
    await apply({ tea: part('tea').replace('return 200 v1', 'limit_req zone=tea burst=2; try_files /none =404') })
    const answers = Promise.all([1, 2, 3].map(() => get('tea')))
    await pause(300)
    await driver.stop(30_000)
    expect(await answers).toEqual(Array.from({ length: 3 }, () => expect.stringContaining('404 Not Found')))
    expect(driver.master()).toBeUndefined()
  })

  test.each<[string, (master: number) => string | undefined, Partial<Cost>]>([
    ['of the master', String, { reloads: 1, starts: 0 }],
    ['of a worker', (master) => String(childrenOf(master)[0]), { reloads: 0, starts: 1 }],
    ['of another program', () => String(startSleeping().pid), { reloads: 0, starts: 1 }],
    ['of no process', () => '4194305', { reloads: 0, starts: 1 }],
    ['of nothing', () => 'x', { reloads: 0, starts: 1 }],
    ['that is gone', () => undefined, { reloads: 0, starts: 1 }],
  ])('with the pid %s in its file nginx is taken up, or started again', async (_, make, cost) => {
    const first = await drive(program)
    await first.apply({ tea: part('tea') })
    const pid = make(masterOf(first.driver))
    await first.driver.leave()
    rmSync(join(first.folder, 'state.json'))
    if (pid === undefined) rmSync(join(first.folder, 'nginx.pid'))
    else writeFileSync(join(first.folder, 'nginx.pid'), `${pid}\n`)
    const second = await drive(program, first)
    expect(await second.apply({ tea: part('tea', '$uri', 'v2') })).toMatchObject({ result: 'applied', cost })
    expect(await second.get('tea')).toBe('v2')
  })

  each<[string, { healthy?: number }, readonly number[]]>(
    'an nginx that dies again is started after %s',
    async (_, limits, pauses) => {
      const events: DriverEvent[] = []
      const { apply, driver } = await drive(program, { limits, onEvent: (event) => events.push(event) })
      await apply({ tea: part('tea') })
      for (const count of [1, 3]) {
        process.kill(masterOf(driver), 'SIGKILL')
        await expect.poll(() => events.length).toBeGreaterThanOrEqual(count + 1)
      }
      expect(events.flatMap((event) => (event.event === 'ended' ? [event.pause] : []))).toEqual(pauses)
    },
  )

  test('a driver that is ended finishes what it does, and takes nothing more', async () => {
    const { apply, get, driver, folder } = await drive(program)
    const outcome = apply({ tea: part('tea') })
    await driver.leave()
    expect(await get('tea')).toBe('v1')
    expect([readdirSync(folder).includes('lock'), (await outcome).result]).toEqual([false, 'applied'])
    await expect(apply({ tea: part('tea') })).rejects.toThrow('the driver has ended')
  })

  test('a configuration that a driver was trying when it ended is tried again by the next', async () => {
    const first = await drive(program)
    await first.apply({ tea: part('tea') })
    await first.apply({ tea: part('tea', '$uri', 'v2') })
    const master = masterOf(first.driver)
    await first.driver.leave()
    const state = join(first.folder, 'state.json')
    const written = JSON.parse(readFileSync(state, 'utf8'))
    const { accepted } = written
    expect(written).toMatchObject({ master: { pid: master }, accepted: expect.stringMatching(/^[ab]$/) })
    const old = accepted === 'a' ? 'b' : 'a'
    writeFileSync(state, JSON.stringify({ ...written, trying: old }))
    const second = await drive(program, first)
    expect(await second.apply({ tea: part('tea') })).toMatchObject({
      result: 'applied',
      forms: formsOf({ tea: part('tea') }),
      cost: { tests: 0, reloads: 1, starts: 0 },
    })
    expect([await second.get('tea'), masterOf(second.driver)]).toEqual(['v1', master])
    await second.driver.leave()
    expect(JSON.parse(readFileSync(state, 'utf8'))).toEqual({ ...written, accepted: old })
    // What is not complete cannot be tried: the accepted one is loaded again.
    writeFileSync(state, JSON.stringify({ ...written, accepted: old, trying: accepted }))
    rmSync(join(first.folder, `${accepted}.forms.json`))
    const third = await drive(program, first)
    expect(await third.apply({ tea: part('tea') })).toMatchObject({ cost: { tests: 0, reloads: 1, starts: 0 } })
    expect(await third.get('tea')).toBe('v1')
    // Where nginx has ended meanwhile there is nothing to find out.
    await third.driver.stop()
    writeFileSync(state, JSON.stringify({ ...JSON.parse(readFileSync(state, 'utf8')), trying: old }))
    const fourth = await drive(program, first)
    expect(await fourth.apply({ tea: part('tea') })).toMatchObject({ cost: { tests: 1, reloads: 0, starts: 1 } })
    expect(JSON.parse(readFileSync(state, 'utf8'))).toMatchObject({ master: { pid: masterOf(fourth.driver) } })
  })

  test('a folder is driven by one driver; the lock of a dead one is taken over', async () => {
    const { folder } = await drive(program)
    const again = () => openDriver({ folder, nginx: program.path })
    await expect(again()).rejects.toMatchObject({ kind: 'locked' })
    const other = newFolder()
    for (const stale of ['', '{"pid":4194304,"started":"x"}', `{"pid":1,"started":"another boot:1"}`]) {
      writeFileSync(join(other, 'lock'), stale)
      const driver = await openDriver({ folder: other, nginx: program.path })
      await driver.leave()
    }
  })

  test('gives every line of the error log, also after it was rotated or truncated', async () => {
    const lines: string[] = []
    const { apply, get, folder } = await drive(program, { onLogLine: (line) => lines.push(line) })
    const limited = part('tea').replace('return 200 v1', 'limit_req zone=tea; try_files /none =404')
    await apply({ tea: limited })
    const refusals = () => lines.filter((line) => line.includes('limiting requests')).length
    const provoke = async () => {
      for (let asked = 0; asked < 3; asked += 1) await get('tea')
    }
    await provoke()
    await expect.poll(refusals).toBe(2)
    renameSync(join(folder, 'error.log'), join(folder, 'error.log.1'))
    expect(await apply({ tea: limited.replace('#location', '# again\n#location') })).toMatchObject(
      cases<object>('gives every line of the error log, also after it was rotated or truncated'),
    )
    const before = refusals()
    await provoke()
    await expect.poll(refusals).toBeGreaterThanOrEqual(before + 2)
    writeFileSync(join(folder, 'error.log'), '')
    const then = refusals()
    await provoke()
    await expect.poll(refusals).toBeGreaterThanOrEqual(then + 2)
  })
})
