/** Single policies, from plain ones to such as have something wrong in every field. */
import fc from 'fast-check'
import type { Draft } from '../rules/policies.ts'
import { keysFor } from './keys.ts'
import type { NginxProgram } from './real-nginx.ts'
import { either, type Field, field, list, maybe, object, oneOf, type Temper, type Values } from './tempered.ts'

const TEMPERS: readonly { readonly weight: number; readonly temper: Temper }[] = [
  { weight: 2, temper: { plain: 1, tricky: 0, wrong: 0 } },
  { weight: 5, temper: { plain: 9, tricky: 1, wrong: 0 } },
  { weight: 3, temper: { plain: 36, tricky: 3, wrong: 1 } },
]

/**
 * RateLimitPolicies; nginx may reject some of them and the API server others. Zones stay below 1 GB each: how
 * much a machine can give is no question of the policy. Variables of modules that the program lacks are left out.
 */
export const policiesFor = (program: NginxProgram): fc.Arbitrary<Draft> =>
  fc.oneof(
    ...TEMPERS.map(({ weight, temper }) => ({
      weight,
      arbitrary: fc.record({ metadata: metadata(temper), spec: spec(program)(temper) }).map(asPolicy),
    })),
  )

const asPolicy = ({ metadata, spec }: Record<'metadata' | 'spec', Draft | undefined>): Draft => ({
  apiVersion: 'gateway.nginx.org/v1alpha1',
  kind: 'RateLimitPolicy',
  ...(metadata === undefined ? {} : { metadata }),
  ...(spec === undefined ? {} : { spec }),
})

/** Digits of which nginx's buffer takes just so many, or one too many. */
const zeros = fc.integer({ min: 4083, max: 4090 }).map((count) => `${'0'.repeat(count)}1`)
const LARGEST = 2n ** 63n - 1n
const huge = fc.oneof(
  fc.bigInt({ min: LARGEST / 1000n - 1n, max: LARGEST / 1000n + 1n }),
  fc.bigInt({ min: LARGEST - 1n, max: LARGEST + 2n }),
  fc.bigInt({ min: 0n, max: 10n ** 25n }),
)
const rateOf = (count: fc.Arbitrary<number | bigint | string>) =>
  fc.tuple(count, oneOf('s|m')).map(([number, unit]) => `${number}r/${unit}`)

const rate = field(
  rateOf(fc.oneof(fc.integer({ min: 1, max: 2000 }), oneOf('007|060|1'))),
  rateOf(fc.oneof(oneOf(`0|00|${'0'.repeat(40)}|${2 ** 61}`), huge, zeros)),
  oneOf('10R/S|10r/h|1.5r/s| 10r/s|10 r/s|10r/s\n|-1r/s|1e3r/s|10|r/s|１０r/s|٣r/m'),
)

const zoneSize = field(
  maybe(oneOf('32k|33k|64k|0032k|512k|1m|01m|10m|0010m')),
  oneOf('0|0k|0m|8k|31k|0031k|32|9999|9999k|999m|1g|0001g|9999g|0g'),
  oneOf('10M|10K|12345k|1 m| 1m|1m\n|m|-1m|+1m|1t|1.5m|1mb|10Mi|１m|\u00001m'),
)

const count = field(
  maybe(either(0, 1, 5, 100)),
  either(0, 1, 65_535, 65_536, 2 ** 31 - 1),
  either(-1, 2 ** 31, -(2 ** 31), 2 ** 53, 1.5, 1e300, '5', '0', true),
)

const noDelay = field(either(undefined, undefined, false, null), either(true, false), either('true', 1, 'yes'))

/** Variables that the product's own configuration defines, in letters of any case, and one that is not defined. */
const ofTheGateway = oneOf(
  '$connection_upgrade|$Connection_Keepalive|"$request_uri_path"|$GW_API_COMPLIANT_HOST|$tenant',
)

const key = (program: NginxProgram): Field =>
  field(
    oneOf('$binary_remote_addr|$binary_remote_addr:$request_uri|$http_x_api_key|"$host"|all|$1|$gw_api_compliant_host'),
    fc.oneof({ weight: 9, arbitrary: keysFor(program) }, { weight: 1, arbitrary: ofTheGateway }),
    fc.oneof(
      oneOf(`| |$|$$host|$-|$é|\${host}|$host $uri|a;b|a{b|a}b|a#b|$uri\n|\ta`),
      fc.string({ unit: 'binary', maxLength: 12 }),
    ),
  )

function local(program: NginxProgram): Field {
  const limit = object({ key: key(program), rate, zoneSize, burst: count, delay: count, noDelay })
  const limits = list(limit, { minLength: 1, maxLength: 3 })
  return (temper) => {
    const some = limits(temper)
    return object({ rules: field(some, fc.oneof(some, either([], null, undefined)), either('$uri')) })(temper)
  }
}

const rateLimit = (program: NginxProgram): Field =>
  object({
    dryRun: field(maybe(either(true, false)), either(true), either('true', 0)),
    logLevel: field(maybe(oneOf('info|notice|warn|error')), oneOf('info'), oneOf('warning|Error|debug|crit')),
    rejectCode: field(
      maybe(either(429, 503)),
      either(400, 444, 499, 599),
      either(399, 600, 302, 429.5, '429', 2 ** 40),
    ),
    local: local(program),
  })

const GROUP = 'gateway.networking.k8s.io'
const targetName = field(
  fc.nat({ max: 99 }).map((number) => `route-${number}`),
  oneOf(`Coffee_Route|${'n'.repeat(253)}|${'😀'.repeat(253)}|*|a"b|a b`),
  oneOf(`|${'n'.repeat(254)}|${'😀'.repeat(254)}`),
)
const target = (kind: Values): Field =>
  object({
    group: field(oneOf(GROUP), oneOf(GROUP), oneOf('|core|gateway.nginx.org')),
    kind: field(kind, kind, oneOf('gateway|Service|TLSRoute|HTTPRoute |toString')),
    name: targetName,
  })
const gateways = list(target(oneOf('Gateway')), { minLength: 1, maxLength: 2 })
const routes = list(target(oneOf('HTTPRoute|GRPCRoute')), { minLength: 1, maxLength: 3 })
const mixed = list(target(oneOf('Gateway|HTTPRoute')), { minLength: 0, maxLength: 4 })
const many = fc
  .integer({ min: 15, max: 18 })
  .map(
    (length): Draft =>
      Array.from({ length }, (_, index) => ({ group: GROUP, kind: 'HTTPRoute', name: `route-${index}` })),
  )

const targetRefs: Field = (temper) =>
  field(fc.oneof(routes(temper), gateways(temper)), routes(temper), fc.oneof(mixed(temper), many))(temper)

const spec = (program: NginxProgram): Field =>
  object({
    targetRefs,
    rateLimit: (temper) => {
      const none = either(null, undefined, {})
      return fc.oneof({ weight: 20, arbitrary: rateLimit(program)(temper) }, { weight: 1, arbitrary: none })
    },
  })

/** Namespaces and names that are about as long together as a file's name leaves room for. */
const longNames = fc.tuple(fc.integer({ min: 1, max: 63 }), fc.integer({ min: 216, max: 221 }), oneOf('n|n.')).map(
  ([namespace, together, letters]): Draft => ({
    namespace: 's'.repeat(namespace),
    name: `${letters.repeat(300).slice(0, together - namespace - 1)}n`,
  }),
)

const named = (name: string, namespace = 'shop') => ({ name, namespace })

const metadata: Field = field(
  either(named('coffee'), named('a', 's-1'), named('0', 'x'), named('a.b-c.1'), { name: 'coffee' }),
  fc.oneof(longNames, either({ generateName: 'coffee-' }, { generateName: 'n'.repeat(250), namespace: 'shop' })),
  fc.oneof(
    oneOf(`Coffee|-a|a-|.a|a.|a..b|a_b|a b|café||\0|a.-b|a\n|${'n'.repeat(254)}`).map((name) => named(name)),
    oneOf(`Shop|a.b|-|a\n|${'s'.repeat(64)}`).map((namespace) => named('coffee', namespace)),
    either({ ...named('coffee'), labels: { team: 5 } }, { ...named('coffee'), nmae: 'x' }, named('coffee', '')),
    either(
      { generateName: 'Coffee-', namespace: 'shop' },
      {},
      { name: 5 },
      { name: null },
      { name: 'coffee', namespace: 7 },
    ),
  ),
)
