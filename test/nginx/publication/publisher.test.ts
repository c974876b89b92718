/** What is published is in force, and what nginx refuses keeps its last accepted form and blocks nobody. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hashOf } from '../../../src/api-management/keys.ts'
import type { JsonObject } from '../../../src/json/member.ts'
import { processesWriting, signal } from '../../../src/proxy/processes.ts'
import { type Outcomes, openPublisher } from '../../../src/publication/publisher.ts'
import { freePort } from '../../free-ports.ts'
import { mountTmpfs } from '../../store/small-disk.ts'
import { casesOf } from '../../support/cases.ts'
import { limiting } from '../api-management/serving.ts'
import { afterThisTest, newFolder, wrapper } from '../proxy/driving.ts'
import { describeNewestNginx } from '../with-nginx.ts'
import { type Publishing, publishedOf, publishing } from './publishing.ts'

const { cases } = casesOf(import.meta.url)

const SUCCESS = { state: 'SUCCESS' }
const failed = (reason: string, message: RegExp) => ({
  state: 'FAILED',
  reason,
  message: expect.stringMatching(message),
})
/** A limit of which a busy machine cannot have two requests within its time. */
const ONCE = { rate: '1r/s', zoneSize: '1M' }
const burst = (count: number) => ({ ...ONCE, throttle: { burst: count, noDelay: true } })

/** Bodies to publish, what comes of each, and the codes of requests then; `limited` are paths of which 429 comes. */
type Step = {
  readonly publish: Readonly<Record<string, Parameters<Publishing['body']>>>
  readonly globals?: JsonObject
  readonly outcomes: Readonly<Record<string, 'SUCCESS' | readonly [reason: string, message: RegExp]>>
  readonly codes?: Readonly<Record<string, readonly number[]>>
  readonly limited?: readonly string[]
}

describeNewestNginx('published API proxies', (program) => {
  test.each(Object.entries(cases<Record<string, Step[]>>('walks')))('%s', async (_, steps) => {
    const { publish, codes, body } = await publishing(program)
    for (const { publish: bodies, globals, outcomes, codes: expected = {}, limited = [] } of steps) {
      const all = Object.entries(bodies).map(([id, parts]) => [id, body(...parts)])
      const wanted = Object.entries(outcomes).map(([id, one]) => [id, one === 'SUCCESS' ? SUCCESS : failed(...one)])
      expect(await publish(Object.fromEntries(all), globals)).toEqual(Object.fromEntries(wanted))
      for (const [path, wantedCodes] of Object.entries(expected))
        expect([path, await codes(wantedCodes.length, path)]).toEqual([path, wantedCodes])
      for (const path of limited) expect(await codes(9, path)).toContain(429)
    }
  })

  test('the words about one that stays refused stay the same while others change', async () => {
    const { publish, body } = await publishing(program)
    const huge = body('milk', [], { policies: { 'rate-limit': [limiting([{ zoneSize: '134217728M' }])] } })
    const { b: first } = await publish({ a: body('tea'), b: huge })
    for (const name of ['cake', 'cream', 'water']) expect((await publish({ a: body(name), b: huge })).b).toEqual(first)
  })

  test('policies of an environment are tried before they are published, and nothing is left of it', async () => {
    const { publisher, folder } = await publishing(program)
    const files = readdirSync(folder)
    const globals = (zoneSize: string) => ({ 'rate-limit': [limiting([{ ...ONCE, zoneSize }])] })
    expect(await publisher.refusalOf(globals('1M'))).toBeUndefined()
    expect(await publisher.refusalOf(globals('134217728M'))).toMatch(/134217728m|mmap/i)
    expect(readdirSync(folder)).toEqual(files)
  })

  test('a proxy whose policy authenticates clients is published behind a hop', async () => {
    const policies = { 'oauth2-introspection': [{}] }
    const folder = newFolder()
    const port = await freePort()
    const hop = { socket: join(folder, 'hop.sock'), consumerHeader: 'x-consumer-id', addressHeader: 'x-real-ip' }
    const behind = await publishing(program, { port, site: { address: '127.0.0.1', port, hop } })
    expect(await behind.publish({ a: behind.body('tea', [], { policies }) })).toEqual({ a: SUCCESS })
  })

  test('another rateLimitBy, rate or size under the same policy is taken by a reload', async () => {
    const { publish, codes, body } = await publishing(program)
    const by = (rateLimitBy: string, more = {}) => ({ a: body('tea', [{ ...burst(1), rateLimitBy, ...more }]) })
    for (const next of [
      by('uri'),
      by('client.ip'),
      by('consumer'),
      by('uri', { zoneSize: '2M' }),
      by('uri', { rate: '2r/s' }),
    ])
      expect(await publish(next)).toEqual({ a: SUCCESS })
    expect(await publish(by('client.ip', { rate: '1r/s' }))).toEqual({ a: SUCCESS })
    const paths = Array.from({ length: 9 }, (_, index) => codes(1, `/tea/${index}`))
    expect((await Promise.all(paths)).flat()).toContain(429)
  })

  test('a key that is withdrawn does not open the proxy any longer, and nobody else can read the new one', async () => {
    const { publish, codes, body, folder } = await publishing(program)
    const keyed = (apiKey: string) =>
      body('tea', [], { policies: { 'apikey-authn': [{ data: [{ clientID: 'shop', apiKey }] }] } })
    await publish({ a: keyed('first') })
    expect(await codes(1, '/tea', { headers: { apikey: 'first' } })).toEqual([200])
    await publish({ a: keyed('second') })
    expect(await codes(1, '/tea', { headers: { apikey: 'first' } })).toEqual([401])
    expect(await codes(1, '/tea', { headers: { apikey: 'second' } })).toEqual([200])
    const { md5 } = hashOf('a', 'second')
    const withKey = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => statSync(path).isFile() && /second/.test(readFileSync(path, 'utf8').replaceAll(md5, 'second')))
    expect(withKey.length).toBeGreaterThan(1)
    for (const path of withKey) expect((statSync(path).mode & 0o777).toString(8)).toBe('600')
  })

  test('while one configuration is applied only the newest waits, and outcomes name what was tried', async () => {
    const { publisher, body } = await publishing(program)
    const all = [1, 2, 3, 4].map((revision) =>
      publisher.publish(publishedOf({ a: body(`v${revision}`) }, undefined, revision)),
    )
    const revisions = (await Promise.all(all)).map((outcomes) => outcomes.get('a')?.revision)
    expect(revisions.at(-1)).toBe(4)
    expect(new Set(revisions).size).toBeLessThan(3)
    await publisher.stop()
    await expect(publisher.publish(publishedOf({}))).rejects.toThrow('the driver has ended')
  })

  test('the next publisher of a folder goes on', async () => {
    const first = await publishing(program)
    await first.publish({ a: first.body('tea'), b: first.body('milk') })
    await first.publisher.stop()
    const { publish, codes, body } = await publishing(program, { folder: first.folder, port: first.port })
    expect(await publish({ a: body('tea', [{ rate: '0r/s' }]), b: body('milk') })).toEqual({
      a: failed('NginxRefused', /Its last accepted form stays in force\.$/),
      b: SUCCESS,
    })
    expect(await codes(1, '/tea')).not.toEqual([404])
  })

  test('logs are bounded: each request is in one of two files, on a full disk the newest, and reloads are still read', async ({
    skip,
  }) => {
    const disk = mountTmpfs('1m')
    if (!disk) return skip('no tmpfs can be mounted here')
    const options = { folder: join(disk.folder, 'nginx'), largestLog: 20_000 }
    const { publish, codes, body, folder } = await publishing(program, options)
    await publish({ a: body('tea') })
    const log = (name: string) => readFileSync(join(folder, name), 'utf8')
    const before = (await codes(150, '/tea/before')).length
    await expect.poll(() => existsSync(join(folder, 'access.log.1'))).toBe(true)
    await expect.poll(() => log('access.log').length).toBeLessThan(20_000)
    const after = (await codes(5, '/tea/after')).length
    const lines = (log('access.log.1') + log('access.log')).split('\n').filter((line) => line.includes('GET /tea'))
    expect(lines.length).toBe(before + after)
    writeFileSync(join(folder, 'error.log'), `${'x'.repeat(30_000)}\n`, { flag: 'a' })
    spawnSync('dd', ['if=/dev/zero', `of=${join(disk.folder, 'filler')}`, 'bs=1k'])
    expect(new Set(await codes(150, '/tea/full'))).toEqual(new Set([200]))
    await expect.poll(() => log('error.log').length).toBeLessThan(20_000)
    rmSync(join(disk.folder, 'filler'))
    expect(await publish({ a: body('tea'), b: body('milk') })).toEqual({ a: SUCCESS, b: SUCCESS })
    expect(await codes(1, '/milk')).toEqual([200])
    await expect.poll(() => log('access.log')).toContain('GET /milk')
  })

  test('an nginx that was killed is started again, with its socket, and that is reported', async () => {
    let report: (outcomes: Outcomes) => void = () => {}
    const reported = new Promise<Outcomes>((resolve) => {
      report = resolve
    })
    const [folder, port] = [newFolder(), await freePort()]
    const hop = { socket: join(folder, 'hop.sock'), consumerHeader: 'x-consumer-id', addressHeader: 'x-real-ip' }
    const { publish, codes, body } = await publishing(program, {
      ...{ folder, port, site: { address: '127.0.0.1', port, hop } },
      onOutcomes: (outcomes) => report(outcomes),
    })
    await publish({ a: body('tea') })
    expect(await codes(1, '/tea', { socketPath: hop.socket })).toEqual([200])
    for (const one of processesWriting(join(folder, 'error.log'))) signal(one, 'SIGKILL')
    expect([...(await reported)]).toEqual([['a', { revision: 1, ...SUCCESS }]])
    expect([...(await codes(1, '/tea')), ...(await codes(1, '/tea', { socketPath: hop.socket }))]).toEqual([200, 200])
  })

  test('a port in use, a program that is gone or hangs: outcomes say so, without paths', async () => {
    const port = await freePort()
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    afterThisTest(() => new Promise<void>((resolve) => server.close(() => resolve())))
    const busy = await publishing(program, { port })
    expect(await busy.publish({ a: busy.body('tea') })).toEqual({
      a: failed(
        'NginxFailed',
        new RegExp(`^an address that nginx is to listen on is in use: bind\\(\\) to 127\\.0\\.0\\.1:${port} failed`),
      ),
    })
    const flag = join(newFolder(), 'hang')
    const nginx = wrapper(program.path, `case "$*" in *-t*) [ -e ${flag} ] && exec sleep 60;; esac`)
    const hanging = await publishing({ path: nginx }, { limits: { test: 3000 } })
    expect(await hanging.publish({ a: hanging.body('tea') })).toEqual({ a: SUCCESS })
    writeFileSync(flag, '')
    expect(await hanging.publish({ a: hanging.body('tea'), b: hanging.body('milk') })).toEqual({
      a: SUCCESS,
      b: failed('NginxFailed', /^nginx did not finish in time\.$/),
    })
    rmSync(nginx)
    expect(await hanging.publish({ a: hanging.body('tea'), c: hanging.body('milk') })).toEqual({
      a: SUCCESS,
      c: failed('NginxFailed', /^nginx cannot be started: the program is not there\.$/),
    })
    expect(await hanging.codes(1, '/tea')).toEqual([200])
    const site = { address: '127.0.0.1', port }
    await expect(openPublisher({ folder: newFolder(), nginx: '/nonexistent/nginx', site })).rejects.toMatchObject({
      kind: 'missing',
    })
  })
})
