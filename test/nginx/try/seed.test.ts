/** Every row of the specification's tables "States and transitions", "Events" and "Errors", by a real nginx. */
import { describe, expect, test } from 'vitest'
import { isObject, type JsonObject } from '../../../src/json/member.ts'
import { gateway, policy, route } from '../../live/manifests.ts'
import { describeNginx } from '../with-nginx.ts'
import { only, type Trying, tryFiles } from './trying.ts'

const FRAME = gateway() + route('coffee') + route('tea')
const PER_MINUTE = 'key: $binary_remote_addr, rate: 1r/m'

/** `KIND/NAME[ on TARGET]: TYPE=STATUS REASON` of the conditions that have changed. */
const conditions = (events: readonly JsonObject[]): readonly string[] =>
  only(events, 'condition').map(({ object, ancestor, type, status, reason }) => {
    const on = isObject(ancestor) ? ` on ${ancestor.kind}/${ancestor.name}` : ''
    return isObject(object) ? `${object.kind}/${object.name}${on}: ${type}=${status} ${reason}` : ''
  })

/** Pids of the workers that nginx has started so far. */
const workers = (trying: Trying): number => trying.errorLog().match(/start worker process \d+$/gm)?.length ?? 0

describeNginx('States and transitions', (program) => {
  test('no policy; created; target exists and no conflict: Accepted, and the target gets RateLimitPolicyAffected', async () => {
    const trying = await tryFiles(program, { 'shop.yaml': FRAME })
    await trying.event({ event: 'applied' })
    expect(conditions(trying.events)).toEqual([])
    const said = await trying.change({ 'coffee.yaml': policy('coffee', PER_MINUTE) })
    expect(conditions(said)).toEqual([
      'RateLimitPolicy/coffee on HTTPRoute/coffee: Accepted=True Accepted',
      'HTTPRoute/coffee: RateLimitPolicyAffected=True PolicyAffected',
    ])
    expect(await trying.statuses('/coffee', 2)).toEqual([200, 503])
  })

  test('no policy; updated to a target that exists and no conflict: Accepted, and the new target is affected', async () => {
    const trying = await tryFiles(program, {
      'shop.yaml': FRAME,
      'p.yaml': policy('coffee', PER_MINUTE, { target: 'nowhere' }),
    })
    await trying.event({ event: 'applied' })
    expect(conditions(trying.events)).toEqual([
      'RateLimitPolicy/coffee on HTTPRoute/nowhere: Accepted=False TargetNotFound',
    ])
    const said = await trying.change({ 'p.yaml': policy('coffee', PER_MINUTE) })
    expect(conditions(said)).toEqual([
      'RateLimitPolicy/coffee on HTTPRoute/coffee: Accepted=True Accepted',
      'HTTPRoute/coffee: RateLimitPolicyAffected=True PolicyAffected',
      'RateLimitPolicy/coffee on HTTPRoute/nowhere: Accepted=null null',
    ])
  })

  test('any; created; another policy selects the same target and sets rejectCode, and this one has lower priority: Conflicted', async () => {
    const first = policy('late', PER_MINUTE, { target: 'coffee', settings: 'rejectCode: 429' })
    const trying = await tryFiles(program, { 'shop.yaml': FRAME, 'a.yaml': first })
    await trying.event({ event: 'applied' })
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
    const both =
      policy('b', PER_MINUTE, { target: 'coffee', settings: 'dryRun: true' }) +
      policy('a', PER_MINUTE, { target: 'coffee', settings: 'dryRun: false' })
    const trying = await tryFiles(program, { 'shop.yaml': FRAME + both })
    await trying.event({ event: 'applied' })
    expect(conditions(trying.events)).toEqual([
      'RateLimitPolicy/b on HTTPRoute/coffee: Accepted=False Conflicted',
      'RateLimitPolicy/a on HTTPRoute/coffee: Accepted=True Accepted',
      'HTTPRoute/coffee: RateLimitPolicyAffected=True PolicyAffected',
    ])
    expect(await trying.statuses('/coffee', 2)).toEqual([200, 503])
  })
})

describeNginx('Events', (program) => {
  test('delayed request', async () => {
    const limit = 'key: $binary_remote_addr, rate: 10r/s, burst: 5'
    const trying = await tryFiles(program, { 'shop.yaml': FRAME + policy('coffee', limit) })
    await trying.event({ event: 'applied' })
    expect(await trying.statuses('/coffee', 2)).toEqual([200, 200])
    const event = await trying.event({ event: 'limited' })
    expect(event).toEqual({
      event: 'limited',
      outcome: 'delayed',
      zone: 'shop_rl_coffee_rule0',
      excess: expect.any(Number),
      client: '127.0.0.1',
      request: 'GET /coffee HTTP/1.1',
    })
    expect(trying.errorLog()).toMatch(
      /\[warn\] .* delaying request, excess: \d\.\d{3}, by zone "shop_rl_coffee_rule0", client: 127\.0\.0\.1, server: _, request: "GET \/coffee HTTP\/1\.1", host: "/,
    )
  })

  test.each([
    ['error', ''],
    ['warn', 'logLevel: warn'],
  ])('rejected request, at level %s', async (level, settings) => {
    const trying = await tryFiles(program, { 'shop.yaml': FRAME + policy('coffee', PER_MINUTE, { settings }) })
    await trying.event({ event: 'applied' })
    expect(await trying.statuses('/coffee', 2)).toEqual([200, 503])
    expect(await trying.event({ event: 'limited' })).toMatchObject({
      outcome: 'rejected',
      zone: 'shop_rl_coffee_rule0',
    })
    expect(trying.errorLog()).toMatch(
      new RegExp(`\\[${level}\\] .* limiting requests, excess: \\d\\.\\d{3} by zone "shop_rl_coffee_rule0", client: `),
    )
  })

  test('a dry run delays and rejects nothing, and says what it would', async () => {
    const limit = 'key: $binary_remote_addr, rate: 1r/m, burst: 1'
    const trying = await tryFiles(program, {
      'shop.yaml': FRAME + policy('coffee', limit, { settings: 'dryRun: true' }),
    })
    await trying.event({ event: 'applied' })
    expect(await trying.statuses('/coffee', 3)).toEqual([200, 200, 200])
    await trying.event({ event: 'limited', outcome: 'delayed_dry_run' })
    await trying.event({ event: 'limited', outcome: 'rejected_dry_run' })
  })

  test('key-change refusal', async () => {
    const trying = await tryFiles(program, { 'shop.yaml': FRAME, 'p.yaml': policy('coffee', PER_MINUTE) })
    await trying.event({ event: 'applied' })
    const said = await trying.change({ 'p.yaml': policy('coffee', 'key: $host, rate: 1r/m') })
    const words =
      /^limit_req "shop_rl_coffee_rule0" uses the "\$host" key while previously it used the "\$binary_remote_addr" key$/
    expect(only(said, 'refused')).toEqual([
      { revision: 2, policy: 'shop/coffee', by: 'nginx', message: expect.stringMatching(words) },
    ])
    expect(trying.errorLog()).toMatch(
      /\[emerg\] .* limit_req "shop_rl_coffee_rule0" uses the "\$host" key while previously/,
    )
  })

  test('workers reloaded', async () => {
    const trying = await tryFiles(program, { 'shop.yaml': FRAME })
    await trying.event({ event: 'applied' })
    await trying.change({ 'p.yaml': policy('coffee', PER_MINUTE) })
    const log = trying.errorLog()
    expect(log).toMatch(
      /\[notice\] .* start worker process \d+\n[\s\S]*\[notice\] .* reconfiguring\n[\s\S]*\[notice\] .* start worker process \d+\n/,
    )
    expect(log).toMatch(/\[notice\] .* gracefully shutting down\n/)
  })
})

describeNginx('Errors', (program) => {
  test.each([
    ['503', '', 503],
    ['the rejectCode 429', 'rejectCode: 429', 429],
  ])('request exceeds the rate and there is no burst: %s', async (_, settings, code) => {
    const trying = await tryFiles(program, { 'shop.yaml': FRAME + policy('coffee', PER_MINUTE, { settings }) })
    await trying.event({ event: 'applied' })
    expect(await trying.statuses('/coffee', 3)).toEqual([200, code, code])
    await expect.poll(() => only(trying.events, 'limited').length).toBe(2)
  })

  test('request exceeds the rate within burst: delayed, then answered; one that exceeds rate plus burst is rejected', async () => {
    const limit = 'key: $binary_remote_addr, rate: 2r/s, burst: 1'
    const trying = await tryFiles(program, { 'shop.yaml': FRAME + policy('coffee', limit) })
    await trying.event({ event: 'applied' })
    expect(await trying.statuses('/coffee', 3)).toEqual([200, 200, 503])
    await expect.poll(() => only(trying.events, 'limited').length).toBe(2)
    const outcomes = only(trying.events, 'limited').map(({ outcome }) => outcome)
    expect(outcomes.sort()).toEqual(['delayed', 'rejected'])
  })

  test('conflicting policies: the losing policy gets Accepted=False, reason Conflicted', async () => {
    const both = (settings: string) =>
      policy('a', PER_MINUTE, { target: 'coffee', settings }) + policy('b', PER_MINUTE, { target: 'coffee', settings })
    const trying = await tryFiles(program, { 'shop.yaml': FRAME + both('logLevel: warn') })
    const event = await trying.event({ event: 'condition', object: { name: 'b' } })
    expect(event).toEqual({
      event: 'condition',
      object: { kind: 'RateLimitPolicy', namespace: 'shop', name: 'b' },
      ancestor: { kind: 'HTTPRoute', name: 'coffee' },
      type: 'Accepted',
      status: 'False',
      reason: 'Conflicted',
      message: expect.stringContaining('Conflicts with RateLimitPolicy shop/a'),
    })
  })

  test('the key of an existing rule changes without its zoneSize, with --whole: the new configuration is refused whole', async () => {
    const trying = await tryFiles(program, { 'shop.yaml': FRAME, 'p.yaml': policy('coffee', PER_MINUTE) }, ['--whole'])
    await trying.event({ event: 'applied' })
    const before = workers(trying)
    trying.write({ 'p.yaml': policy('coffee', 'key: $host, rate: 1r/m') + policy('tea', PER_MINUTE) })
    await trying.event({ event: 'refused', revision: 2, policy: 'shop/coffee', by: 'nginx' })
    await trying.event({ event: 'condition', object: { name: 'coffee' }, status: 'False', reason: 'Invalid' })
    expect(workers(trying)).toBe(before)
    expect(await trying.statuses('/coffee', 2)).toEqual([200, 503])
    expect(await trying.statuses('/tea', 2)).toEqual([200, 200])
    expect(only(trying.events, 'applied')).toEqual([{ revision: 1 }])
  })

  test('the same without --whole: its last accepted form stays, and everything else comes into force', async () => {
    const trying = await tryFiles(program, { 'shop.yaml': FRAME, 'p.yaml': policy('coffee', PER_MINUTE) })
    await trying.event({ event: 'applied' })
    const said = await trying.change({
      'p.yaml': policy('coffee', 'key: $host, rate: 600r/m') + policy('tea', PER_MINUTE),
    })
    expect(conditions(said)).toEqual([
      'RateLimitPolicy/coffee on HTTPRoute/coffee: Accepted=False Invalid',
      'RateLimitPolicy/tea on HTTPRoute/tea: Accepted=True Accepted',
      'HTTPRoute/tea: RateLimitPolicyAffected=True PolicyAffected',
    ])
    expect(await trying.statuses('/coffee', 2)).toEqual([200, 503])
    expect(await trying.statuses('/tea', 2)).toEqual([200, 503])
  })

  test('first creation of a policy, or adding new rules: no refusal', async () => {
    const trying = await tryFiles(program, { 'shop.yaml': FRAME })
    await trying.event({ event: 'applied' })
    await trying.change({ 'p.yaml': policy('coffee', PER_MINUTE) })
    const two = policy('coffee', `${PER_MINUTE} }, { zoneSize: 32k, key: $uri, rate: 1r/m`)
    await trying.change({ 'p.yaml': two })
    expect(only(trying.events, 'refused')).toEqual([])
    expect(await trying.statuses('/coffee', 2)).toEqual([200, 503])
  })

  describe('workarounds for the key-change refusal', () => {
    test('delete and re-create the policy', async () => {
      const trying = await tryFiles(program, { 'shop.yaml': FRAME, 'p.yaml': policy('coffee', PER_MINUTE) })
      await trying.event({ event: 'applied' })
      await trying.change({ 'p.yaml': undefined })
      expect(await trying.statuses('/coffee', 2)).toEqual([200, 200])
      await trying.change({ 'p.yaml': policy('coffee', 'key: $host, rate: 1r/m') })
      expect(only(trying.events, 'refused')).toEqual([])
      expect(await trying.statuses('/coffee', 2)).toEqual([200, 503])
    })

    test('change zoneSize together with key: a new zone, and the workers are reloaded', async () => {
      const trying = await tryFiles(program, { 'shop.yaml': FRAME, 'p.yaml': policy('coffee', PER_MINUTE) })
      await trying.event({ event: 'applied' })
      expect(await trying.statuses('/coffee', 2)).toEqual([200, 503])
      const before = workers(trying)
      await trying.change({ 'p.yaml': policy('coffee', 'key: $host, rate: 1r/m', { size: '64k' }) })
      expect(only(trying.events, 'refused')).toEqual([])
      expect(workers(trying)).toBeGreaterThan(before)
      expect(await trying.statuses('/coffee', 2)).toEqual([200, 503])
    })
  })
})
