/** Every row of the specification's tables "States and transitions", "Events" and "Errors", by a real nginx. */
import { expect, test } from 'vitest'
import { isObject, type JsonObject } from '../../../src/json/member.ts'
import { gateway, policy, route } from '../../live/manifests.ts'
import { casesOf } from '../../support/cases.ts'
import { describeNewestNginx } from '../with-nginx.ts'
import { only, type Trying, tryUntilApplied } from './trying.ts'

const { cases } = casesOf(import.meta.url)

const FRAME = gateway() + route('coffee') + route('tea')
const PER_MINUTE = 'key: $binary_remote_addr, rate: 1r/m'
const OTHER_KEY = 'key: $host, rate: 1r/m'

/** `KIND/NAME[ on TARGET]: TYPE=STATUS REASON` of the conditions that have changed. */
const conditions = (events: readonly JsonObject[]): readonly string[] =>
  only(events, 'condition').map(({ object, ancestor, type, status, reason }) => {
    const on = isObject(ancestor) ? ` on ${ancestor.kind}/${ancestor.name}` : ''
    return isObject(object) ? `${object.kind}/${object.name}${on}: ${type}=${status} ${reason}` : ''
  })

const ACCEPTED = [
  'RateLimitPolicy/coffee on HTTPRoute/coffee: Accepted=True Accepted',
  'HTTPRoute/coffee: RateLimitPolicyAffected=True PolicyAffected',
]

/** Workers that nginx has started so far. */
const workers = (trying: Trying): number => trying.errorLog().match(/start worker process \d+$/gm)?.length ?? 0

/** What becomes of requests that come at once: statuses, outcomes, and how nginx begins the record of the last outcome. */
const LIMITED: readonly (readonly [
  limit: string,
  settings: string,
  codes: number[],
  outcomes: string[],
  log: RegExp,
])[] = cases('LIMITED')

describeNewestNginx('States and transitions', (program) => {
  test('created: Accepted, the target gets RateLimitPolicyAffected, and the workers are reloaded', async () => {
    const trying = await tryUntilApplied(program, FRAME)
    expect(conditions(trying.events)).toEqual([])
    expect(conditions(await trying.change({ 'coffee.yaml': policy('coffee', PER_MINUTE) }))).toEqual(ACCEPTED)
    expect(await trying.statuses('/coffee', 2)).toEqual([200, 503])
    expect(trying.errorLog()).toMatch(
      /\[notice\] .* start worker process \d+\n[\s\S]*\[notice\] .* reconfiguring\n[\s\S]*\[notice\] .* start worker process \d+\n[\s\S]*gracefully shutting down\n/,
    )
  })

  test('updated to a target that exists: Accepted, and the new target is affected', async () => {
    const files = { 'shop.yaml': FRAME, 'p.yaml': policy('coffee', PER_MINUTE, { target: 'nowhere' }) }
    const trying = await tryUntilApplied(program, files)
    const nowhere = 'RateLimitPolicy/coffee on HTTPRoute/nowhere: Accepted'
    expect(conditions(trying.events)).toEqual([`${nowhere}=False TargetNotFound`])
    const said = await trying.change({ 'p.yaml': policy('coffee', PER_MINUTE) })
    expect(conditions(said)).toEqual([...ACCEPTED, `${nowhere}=null null`])
  })

  test('created where an older policy sets the same field on the same target: Conflicted', async () => {
    const first = policy('late', PER_MINUTE, { target: 'coffee', settings: 'rejectCode: 429' })
    const trying = await tryUntilApplied(program, { 'shop.yaml': FRAME, 'a.yaml': first })
    await new Promise((resolve) => setTimeout(resolve, 1_100 - (Date.now() % 1_000)))
    const second = policy('early', 'key: $uri, rate: 1r/m', { target: 'coffee', settings: 'rejectCode: 430' })
    const said = await trying.change({ 'b.yaml': second })
    expect(conditions(said)).toEqual(['RateLimitPolicy/early on HTTPRoute/coffee: Accepted=False Conflicted'])
    expect(await trying.statuses('/coffee', 2)).toEqual([200, 429])
    const gone = await trying.change({ 'a.yaml': undefined })
    expect(conditions(gone)).toContain('RateLimitPolicy/early on HTTPRoute/coffee: Accepted=True Accepted')
    expect(await trying.statuses('/coffee', 2)).toEqual([200, 430])
  })

  test('with equal creation times the alphabetical order of names decides', async () => {
    const both = ['b', 'a'].map((name) =>
      policy(name, PER_MINUTE, { target: 'coffee', settings: `dryRun: ${name === 'b'}` }),
    )
    const trying = await tryUntilApplied(program, FRAME + both.join(''))
    expect(conditions(trying.events)).toEqual([
      'RateLimitPolicy/b on HTTPRoute/coffee: Accepted=False Conflicted',
      'RateLimitPolicy/a on HTTPRoute/coffee: Accepted=True Accepted',
      'HTTPRoute/coffee: RateLimitPolicyAffected=True PolicyAffected',
    ])
    expect(only(trying.events, 'condition')[0]).toEqual({
      object: { kind: 'RateLimitPolicy', namespace: 'shop', name: 'b' },
      ancestor: { kind: 'HTTPRoute', name: 'coffee' },
      ...{ type: 'Accepted', status: 'False', reason: 'Conflicted' },
      message: expect.stringContaining('Conflicts with RateLimitPolicy shop/a'),
    })
    expect(await trying.statuses('/coffee', 2)).toEqual([200, 503])
  })
})

describeNewestNginx('Events and errors', (program) => {
  test('requests are delayed, rejected, or only counted, and nginx and the events say so', async () => {
    const routes = LIMITED.map(([limit, settings], index) =>
      [route(`r${index}`), policy(`r${index}`, `key: $binary_remote_addr, ${limit}`, { settings })].join(''),
    )
    const trying = await tryUntilApplied(program, gateway() + routes.join(''))
    for (const [index, [limit, settings, codes, outcomes, log]] of LIMITED.entries()) {
      const zone = `shop_rl_r${index}_rule0`
      expect([limit, settings, await trying.statuses(`/r${index}`, codes.length)]).toEqual([limit, settings, codes])
      const said = () => only(trying.events, 'limited').filter((event) => event.zone === zone)
      await expect
        .poll(() =>
          said()
            .map(({ outcome }) => outcome)
            .sort(),
        )
        .toEqual(outcomes)
      const event = { excess: expect.any(Number), client: '127.0.0.1', request: `GET /r${index} HTTP/1.1` }
      expect(said()[0]).toEqual({ outcome: expect.any(String), zone, ...event })
      const records = trying
        .errorLog()
        .split('\n')
        .filter((line) => line.includes(`"${zone}", client: 127.0.0.1, server: _, `))
      expect(records.at(-1)?.split(`"${zone}"`)[0]).toMatch(log)
    }
  })

  test('key-change refusal: the last accepted form stays, and everything else comes into force', async () => {
    const trying = await tryUntilApplied(program, { 'shop.yaml': FRAME, 'p.yaml': policy('coffee', PER_MINUTE) })
    const said = await trying.change({ 'p.yaml': policy('coffee', OTHER_KEY) + policy('tea', PER_MINUTE) })
    const words =
      /^limit_req "shop_rl_coffee_rule0" uses the "\$host" key while previously it used the "\$binary_remote_addr" key$/
    expect(only(said, 'refused')).toEqual([
      { revision: 2, policy: 'shop/coffee', by: 'nginx', message: expect.stringMatching(words) },
    ])
    expect(trying.errorLog()).toMatch(/\[emerg\] .* limit_req "shop_rl_coffee_rule0" uses the "\$host" key while/)
    expect(conditions(said)).toEqual([
      'RateLimitPolicy/coffee on HTTPRoute/coffee: Accepted=False Invalid',
      'RateLimitPolicy/tea on HTTPRoute/tea: Accepted=True Accepted',
      'HTTPRoute/tea: RateLimitPolicyAffected=True PolicyAffected',
    ])
    expect(await trying.statuses('/coffee', 2)).toEqual([200, 503])
    expect(await trying.statuses('/tea', 2)).toEqual([200, 503])
  })

  test('with --whole the new configuration is refused whole', async () => {
    const files = { 'shop.yaml': FRAME, 'p.yaml': policy('coffee', PER_MINUTE) }
    const trying = await tryUntilApplied(program, files, ['--whole'])
    const before = workers(trying)
    trying.write({ 'p.yaml': policy('coffee', OTHER_KEY) + policy('tea', PER_MINUTE) })
    await trying.event({ event: 'refused', revision: 2, policy: 'shop/coffee', by: 'nginx' })
    await trying.event({ event: 'condition', object: { name: 'coffee' }, status: 'False', reason: 'Invalid' })
    expect(workers(trying)).toBe(before)
    expect(await trying.statuses('/coffee', 2)).toEqual([200, 503])
    expect(await trying.statuses('/tea', 2)).toEqual([200, 200])
    expect(only(trying.events, 'applied')).toEqual([{ revision: 1 }])
  })

  test('no refusal: first creation, new rules, deletion and re-creation, another zoneSize together with the key', async () => {
    const trying = await tryUntilApplied(program, FRAME)
    await trying.change({ 'p.yaml': policy('coffee', PER_MINUTE) })
    await trying.change({ 'p.yaml': policy('coffee', `${PER_MINUTE} }, { zoneSize: 32k, key: $uri, rate: 1r/m`) })
    expect(await trying.statuses('/coffee', 2)).toEqual([200, 503])
    await trying.change({ 'p.yaml': undefined })
    expect(await trying.statuses('/coffee', 2)).toEqual([200, 200])
    await trying.change({ 'p.yaml': policy('coffee', OTHER_KEY) })
    expect(await trying.statuses('/coffee', 2)).toEqual([200, 503])
    const before = workers(trying)
    await trying.change({ 'p.yaml': policy('coffee', PER_MINUTE, { size: '64k' }) })
    expect(workers(trying)).toBeGreaterThan(before)
    expect(await trying.statuses('/coffee', 2)).toEqual([200, 503])
    expect(only(trying.events, 'refused')).toEqual([])
  })
})
