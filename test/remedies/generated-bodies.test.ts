/** Patches, and what remedies say in quotes, help in any body: the mistakes of the fixtures stand for many others. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { applyPatch } from '../../src/json/patch.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { goodBody } from '../api-management/bodies.ts'
import { runs } from '../runs.ts'
import { ask, compare } from './ask.ts'
import { carryOut } from './made.ts'

const joined = (...parts: readonly fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(''))
const number = fc.constantFrom('', '0', '00', '1', '2', '0.5', '1.5', '10', '60', '90', '99999', '9999999999999999')
const unit = fc.constantFrom('', 'k', 'K', 'm', 'M', 'g', 'G', 'Mi', ' MB', 'KB', 'b')
const per = fc.constantFrom('', 'r/s', 'R/S', ' r/s', 'r/m', 'rpm', '/min', 'r/h', ' requests per second', 'r', '/s')
const count = fc.constantFrom(-3.5, -1, 0, 0.5, 1, 2.5, 20, 2000, 3e9, 1e22, '5', 'many', null, true)
const code = fc.constantFrom(302, 399, 600, 444, 495, 420, 14, 0, 16, 17, 429.5, '429', null)

const POLICIES = '/proxyConfig/policies'
const ACTION = `${POLICIES}/rate-limit/0/action`

/** What stands in the place of one member of a body: a mistake that may be near to a good value. */
const MISTAKES = {
  [`${POLICIES}/request-correlation-id/0/action/httpHeaderName`]: fc.constantFrom(
    'x_id',
    'x.id',
    '_',
    'a b',
    '',
    5,
    'Host',
    'content_type',
    'x'.repeat(41),
  ),
  [`${POLICIES}/rate-limit/0/systemMetadata/appliedOn`]: fc.constantFrom('outbound', 'Inbound', '', 5),
  [`${POLICIES}/rate-limit/0/systemMetadata/context`]: fc.constantFrom('route', 'Proxy', null),
  [`${ACTION}/returnCode`]: code,
  [`${ACTION}/grpcStatusCode`]: code,
  [`${ACTION}/throttle`]: fc.constantFrom({ burst: 5 }, {}, { burst: 0 }, { noDelay: true }, 5),
  [`${ACTION}/statuscode`]: fc.constantFrom(429),
  [`${ACTION}/limits/0/rate`]: joined(number, per),
  [`${ACTION}/limits/0/rateLimitBy`]: fc.constantFrom('IP', 'clientip', 'path', 'user', 'header', '', 5),
  [`${ACTION}/limits/0/zoneSize`]: joined(number, unit),
  [`${ACTION}/limits/0/zonesize`]: fc.constantFrom('1M'),
  [`${ACTION}/limits/0/throttle`]: fc.constantFrom(null, 5, [], {}),
  [`${ACTION}/limits/0/throttle/burst`]: count,
  [`${ACTION}/limits/0/throttle/delay`]: count,
  [`${ACTION}/limits/1/throttle/noDelay`]: fc.constantFrom('true', 'false', 1, null),
} as const

const removed = fc
  .constantFrom(...['rate', 'rateLimitBy', 'zoneSize', 'throttle'].map((name) => `${ACTION}/limits/0/${name}`))
  .map((path) => ({ op: 'remove', path }) as const)

const mistake = fc.oneof(
  ...Object.entries(MISTAKES).map(([path, values]: [string, fc.Arbitrary<unknown>]) =>
    values.map((value) => ({ op: 'add', path, value }) as const),
  ),
  removed,
)

const ASKED = {
  name: 'body.json',
  options: { settings: DEFAULT_SETTINGS, closedWorld: false },
  namespace: undefined,
  previous: undefined,
} as const

const CASES = runs(1000)

it('remedies in generated bodies make their finding go, and bring nothing as bad', () => {
  let followed = 0
  fc.assert(
    fc.property(mistake, (operation) => {
      const text = JSON.stringify(applyPatch(goodBody(), [operation])?.value, null, 2)
      const before = ask(text, ASKED)
      for (const named of before.findings)
        for (const { how, text: after } of carryOut(text, before, named)) {
          followed += 1
          const { isGone, worse } = compare(named, before, ask(after, ASKED))
          const { message, help } = named.finding
          expect({ how, worse, isGone }, `${message}: ${help}`).toEqual({ how, worse: [], isGone: true })
        }
    }),
    CASES,
  )
  expect(followed).toBeGreaterThan(CASES.numRuns * 0.3)
})
