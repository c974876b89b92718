/** Patches, and what remedies say in quotes, help in any policy: the mistakes of the fixtures stand for many others. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { applyPatch } from '../../src/json/patch.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { holdsFor } from '../support/holds.ts'
import { ask, compare } from './ask.ts'
import { carryOut } from './made.ts'

const pieces = (...all: readonly string[]) =>
  fc.array(fc.constantFrom(...all), { minLength: 1, maxLength: 5 }).map((some) => some.join(''))

const number = fc.constantFrom('', '0', '00', '1', '2', '0.5', '1.5', '10', '60', '1000', '99999', '9999999999999999')
const unit = fc.constantFrom('', 'k', 'K', 'm', 'M', 'g', 'G', 'Mi', ' MB', 'KB', 'b')
const per = fc.constantFrom('', 'r/s', 'R/S', ' r/s', 'r/m', 'rpm', '/min', 'r/h', ' requests per second', 'r', '/s')
const joined = (...parts: readonly fc.Arbitrary<string>[]) => fc.tuple(...parts).map((all) => all.join(''))
const count = fc.constantFrom(-3.5, -1, -0.5, 0, 0.5, 1, 2.5, 20, 3e9, 3e9 + 0.5, 1e22, '5', '302', 'many', null, true)

const small = fc.constantFrom(0, 1, 5, 20, 2000)
const queue = fc.oneof(
  fc.record({ burst: small, delay: small }, { requiredKeys: [] }),
  fc.record({ burst: small, noDelay: fc.boolean() }, { requiredKeys: [] }),
)
const limit = fc
  .tuple(
    fc.record(
      {
        key: fc.constantFrom('$binary_remote_addr', '$uri', '$request_uri', '$http_x_user', '$request_id', 'all'),
        rate: fc.constantFrom('1r/m', '10r/m', '10r/s', '2000r/s', '9223372036854775r/s'),
        zoneSize: fc.constantFrom('10m', '64k', '4k', '1g', '0g', '4096'),
      },
      { requiredKeys: ['key', 'rate'] },
    ),
    queue,
  )
  .map(([one, more]) => ({ ...one, ...more }))

/** What stands in the place of one member of a policy: a mistake that may be near to a good value. */
const MISTAKES = {
  '/apiVersion': fc.constantFrom('gateway.nginx.com/v1alpha1', 'nginx.org/v1alpha1', 'gateway.nginx.org', 3),
  '/metadata/name': pieces('Coffee', '-', '_', '.', ' ', 'tea', '1', 'x'.repeat(120)),
  '/metadata/namespace': pieces('Shop', '-', '.', 'a', '_', 's'.repeat(40)),
  '/spec/targetRefs/0/group': fc.constantFrom('networking.k8s.io', '', null, 3),
  '/spec/targetRefs/0/kind': fc.constantFrom('httproute', 'HttpRoutes', 'Ingress', 'gateway', 'GRPC', ''),
  '/spec/rateLimit/rejectCode': fc.constantFrom(302, '302', '429', 444, 498, 700.5, null),
  '/spec/rateLimit/logLevel': fc.constantFrom('WARN', 'debug', 'loud', '', null),
  '/spec/rateLimit/dryRun': fc.constantFrom('true', 0, 'no', 'never'),
  '/spec/rateLimit/local/rules/0/key': pieces(
    ...['$binary_remote_addr', '$uri', '$request_uri', '$host', '${host}', '${host}_v2', '$request_id'],
    ...[' ', ';', '"', "'", '$'],
  ),
  '/spec/rateLimit/local/rules/0/rate': joined(number, per),
  '/spec/rateLimit/local/rules/0/zoneSize': joined(number, unit),
  '/spec/rateLimit/local/rules/0/burst': count,
  '/spec/rateLimit/local/rules/0/delay': count,
  '/spec/rateLimit/local/rules/0/noDelay': fc.constantFrom('yes', 1, 0, 'off', 'maybe'),
} as const

const mistake = fc.oneof(
  ...Object.entries(MISTAKES).map(([pointer, values]: [string, fc.Arbitrary<unknown>]) =>
    values.map((value) => ({ pointer, value })),
  ),
)

const policies = fc
  .tuple(fc.array(limit, { minLength: 1, maxLength: 3 }), mistake)
  .map(([rules, { pointer, value }]): unknown => {
    const policy = {
      apiVersion: 'gateway.nginx.org/v1alpha1',
      kind: 'RateLimitPolicy',
      metadata: { name: 'coffee', namespace: 'shop' },
      spec: {
        targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'coffee' }],
        rateLimit: { local: { rules } },
      },
    }
    // A delay beside noDelay would be a second mistake.
    const other = new Map([
      ['noDelay', 'delay'],
      ['delay', 'noDelay'],
    ]).get(pointer.split('/').at(-1) ?? '')
    const alone = other ? [{ op: 'add', path: `/spec/rateLimit/local/rules/0/${other}`, value: null } as const] : []
    return applyPatch(policy, [...alone, { op: 'add', path: pointer, value }])?.value
  })

const ASKED = {
  name: 'policy.json',
  options: { settings: DEFAULT_SETTINGS, closedWorld: false },
  namespace: undefined,
  previous: undefined,
} as const

it('remedies in generated policies make their finding go, and bring nothing as bad', () =>
  holdsFor(600)(policies, (policy) => {
    const text = JSON.stringify(policy, null, 2)
    const before = ask(text, ASKED)
    for (const named of before.findings)
      for (const { how, text: after } of carryOut(text, before, named)) {
        const { isGone, worse } = compare(named, before, ask(after, ASKED))
        expect({ how, worse, isGone }, `${named.finding.message}: ${named.finding.help}`).toEqual({
          how,
          worse: [],
          isGone: true,
        })
      }
  }))
