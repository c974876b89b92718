/** Events of a running nginx for people. */
import { describe, expect, test } from 'vitest'
import type { LiveEvent } from '../../src/reports/live/events.ts'
import { eventText, NONE_LIMITED } from '../../src/reports/live/text.ts'

const text = (event: LiveEvent, context: Parameters<typeof eventText>[1] = {}) =>
  eventText(event, context, { color: false, width: undefined })

test.each<[LiveEvent, string]>([
  [
    { event: 'listening', gateway: 'shop/edge', listener: 'http', url: 'http://127.0.0.1:18080' },
    'listening  http://127.0.0.1:18080  shop/edge, listener http\n',
  ],
  [{ event: 'applied', revision: 3 }, 'applied    revision 3 is in force\n'],
  [
    { event: 'refused', revision: 3, policy: 'shop/tea', by: 'api-server', message: 'the API server rejects it: x' },
    'refused    shop/tea: the API server rejects it: x\n',
  ],
  [
    { event: 'refused', revision: 3, policy: null, by: 'nginx', message: 'no' },
    'refused    the whole configuration by nginx: no\n',
  ],
  [
    {
      event: 'condition',
      object: { kind: 'Gateway', namespace: 'shop', name: 'edge' },
      type: 'RateLimitPolicyAffected',
      status: null,
      reason: null,
      message: null,
    },
    'condition  Gateway shop/edge: RateLimitPolicyAffected is gone\n',
  ],
  [
    {
      event: 'condition',
      object: { kind: 'RateLimitPolicy', namespace: 'shop', name: 'tea' },
      ancestor: { kind: 'HTTPRoute', name: 'tea' },
      type: 'Accepted',
      status: 'False',
      reason: 'Conflicted',
      message: 'why',
    },
    'condition  RateLimitPolicy shop/tea on HTTPRoute tea: Accepted=False, Conflicted: why\n',
  ],
])('%o', (event, line) => {
  expect(text(event)).toBe(line)
})

test('a version of which something is refused says so', () => {
  expect(text({ event: 'applied', revision: 2 }, { isPartial: true })).toBe(
    'applied    revision 2 is in force, but for what is refused\n',
  )
})

test('a refused policy says what is in force of it', () => {
  const event: LiveEvent = { event: 'refused', revision: 2, policy: 'shop/tea', by: 'nginx', message: 'invalid rate' }
  expect(text(event, { keeps: 'nothing' })).toBe(
    'refused    shop/tea by nginx: invalid rate; nothing of it is in force\n',
  )
})

test('a limited request has the totals behind it, and its words cannot act on the terminal', () => {
  const request = 'GET /\u001b[2J\u0007 HTTP/1.1'
  const event: LiveEvent = {
    event: 'limited',
    outcome: 'delayed_dry_run',
    zone: 'z',
    excess: 1.5,
    client: '::1',
    request,
  }
  const line = text(event, { totals: { ...NONE_LIMITED, delayed_dry_run: 1, rejected: 1234 } })
  expect(line).toMatch(
    /^delayed {4}::1 "GET .* HTTP\/1\.1" \(dry run\) by z, excess 1\.5 {2}\[0 delayed, 1,234 rejected, 1 and 0 in dry runs\]\n$/,
  )
  expect(line).not.toContain('\u001b')
})

test('a terminal gets lines of its width', () => {
  const event: LiveEvent = {
    event: 'refused',
    revision: 2,
    policy: 'shop/tea',
    by: 'nginx',
    message: 'word '.repeat(30),
  }
  const lines = eventText(event, { keeps: 'last-accepted' }, { color: false, width: 60 }).trimEnd().split('\n')
  expect(lines.length).toBe(5)
  expect(lines.every((line) => line.length <= 60)).toBe(true)
  expect(lines.slice(1).every((line) => line.startsWith(' '.repeat(11)))).toBe(true)
})

describe('a load', () => {
  const outcome = (rejected: number) => ({
    totals: { requests: 20, passed: 20 - rejected, delayed: 0, rejected, unmatched: 0 },
    interval: 1,
    timeline: [0, 1].map((at) => ({ at, passed: 10 - rejected / 2, delayed: 0, rejected: rejected / 2, unmatched: 0 })),
  })
  const event: LiveEvent = {
    event: 'load',
    name: '1 client at 10r/s together for 2s, steady',
    url: 'http://127.0.0.1:18080/',
    nginx: outcome(10),
    simulated: outcome(8),
  }

  test('stands beside what was simulated', () => {
    const page = text(event)
    expect(page).toContain('requests             20          20')
    expect(page).toContain('rejected             10           8')
    expect(page).toMatch(/^what nginx did {26}what was simulated$/m)
    expect(Math.max(...page.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  test('has the same columns with colours', () => {
    const colors = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g')
    expect(eventText(event, {}, { color: true, width: undefined }).replace(colors, '')).toBe(text(event))
  })
})
