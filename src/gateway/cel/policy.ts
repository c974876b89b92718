/**
 * A RateLimitPolicy in CEL, read once for all rules: the members that have the type of the specification, and what
 * nginx makes of them. It mirrors `objects/policy.ts` and `nginx/parameter.ts`; tests compare the findings of both.
 *
 * A rule writes CEL about `policy`: `object`, `spec`, `rateLimit`, `local`, and `targets` and `limits` with their `path`,
 * `index`, `raw` item and the members of the right type. A limit has also `keyProblem` (as nginx has it, or empty), `zone`
 * (`count`, `unit`, `bytes`), the `digits` of its rate without leading zeros, and `isQueue` where burst, delay and noDelay
 * are valid.
 */
import { DEFAULT_ZONE_SIZE } from '../../limits/size.ts'
import { LONGEST_PARAMETER_BYTES } from '../../nginx/parameter.ts'
import { LARGEST_COUNT } from '../../nginx/rejections.ts'
import type { CelVariable, CelView } from '../../world/system.ts'
import { TARGET_KINDS } from '../objects/policy.ts'
import { LIMIT_TYPES, type SchemaType } from '../schema/validate.mjs'

/** How many limits and targets of a policy are read: the API server bounds the work for one object. */
const MOST_ITEMS = 32

/** Characters up to which a text is matched by a regular expression; a longer key or rate is too long for nginx. */
const LONGEST_TEXT = 4096

/** Bytes of the longest rate that nginx reads: it is the last parameter of its directive. */
export const LONGEST_RATE = LONGEST_PARAMETER_BYTES + 1 - 'rate='.length

/** CEL that cuts a text after 60 characters, as messages show it. */
export const shortened = (text: string): string => `(size(${text}) > 60 ? ${text}.substring(0, 60) + '…' : ${text})`

/** CEL: whether `target` has a kind that a policy may target. */
export const IS_TARGET_KIND = `target.?kind.orValue('') in [${TARGET_KINDS.map((kind) => `'${kind}'`).join(', ')}]`

/** CEL: the targets of a policy that are Gateways. */
export const GATEWAYS = "policy.targets.filter(gateway, gateway.?kind.orValue('') == 'Gateway')"

/** CEL: whether the count of the rate of `limit`, which can be read, is above a number in digits. */
export const isRateAbove = (digits: string): string =>
  `(size(limit.digits) > ${digits.length} || size(limit.digits) == ${digits.length} && limit.digits > '${digits}')`

/** CEL: the member of a map if it is a map, else an empty one. */
export const mapAt = (map: string, name: string): string =>
  `type(${map}.?${name}.orValue(null)) == map ? ${map}.${name} : {}`

/** The list at a member of a map, else an empty one. */
export const listAt = (map: string, name: string): string =>
  `type(${map}.?${name}.orValue(null)) == list ? ${map}.${name} : []`

/** The types of CEL that a value of the schema may have: a whole number may be written as 5.0. */
const CEL_TYPES: Readonly<Partial<Record<SchemaType, readonly string[]>>> = {
  string: ['string'],
  integer: ['int', 'double'],
  boolean: ['bool'],
}

/** An entry of a map: a member of `raw` that has a type of the schema. */
function typed(name: string, type: SchemaType): string {
  const isOfType = (CEL_TYPES[type] ?? []).map((one) => `type(it) == ${one}`).join(' || ')
  return `?'${name}': raw.?${name}.optFlatMap(it, ${isOfType} ? optional.of(it) : optional.none())`
}

/** A key that can be read. */
const KEY = String.raw`?'key': raw.?key.optFlatMap(it, type(it) == string && (size(it) > ${LONGEST_TEXT} || it.matches(r'^(?:[^ \t\r\n;{}#$]|\$\w)+$'))
      ? optional.of(it) : optional.none())`

/** The items of each list of a variable by position, as maps; `raw` is the item, or an empty map. */
const itemsOf = (lists: string, path: string, members: readonly string[]): string =>
  `variables.${lists}.map(items, variables.positions.filter(index, index < size(items)).map(index,
  [type(items[index]) == map ? items[index] : {}].map(raw, {
    'path': dyn('${path}[' + string(index) + ']'), 'index': dyn(index), 'raw': dyn(raw), 'isObject': dyn(type(items[index]) == map),
    ${members.join(',\n    ')}
  })[0]))`

/**
 * Why nginx cannot read a key that starts with a quote; empty where it can. A closing quote further on than the longest text
 * that is looked at is too far for nginx as well.
 */
const quotedProblem = (quote: '"' | "'", literal: '"' | "'"): string => {
  const start = `(size(limit.key) > ${LONGEST_TEXT} ? limit.key.substring(0, ${LONGEST_TEXT}) : limit.key)`
  const inQuotes = `r${literal}^${quote}(?:[^${quote}\\\\]|\\\\.)*${quote}${literal}`
  return `[${start}.find(${inQuotes})].map(quoted,
      size(bytes(quoted == '' ? limit.key : quoted)) > ${LONGEST_PARAMETER_BYTES + 1} ? 'too-long'
      : quoted == '' ? 'unclosed-quote' : quoted == limit.key ? '' : 'text-after-quote')[0]`
}

/** As `readParameter` of nginx; a backslash at the end escapes the space after the parameter, where their number is odd. */
const KEY_PROBLEM = `!has(limit.key) ? ''
    : limit.key.startsWith('"') ? ${quotedProblem('"', "'")}
    : limit.key.startsWith("'") ? ${quotedProblem("'", '"')}
    : size(limit.key) > ${LONGEST_TEXT} || size(bytes(limit.key)) > ${LONGEST_PARAMETER_BYTES} ? 'too-long'
    : limit.key.endsWith('${'\\\\'}') && limit.key.matches(${String.raw`r'(?:^|[^\\])(?:\\\\)*\\$'`}) ? 'trailing-backslash' : ''`

/** True for a member that is absent or a whole number that the CRD accepts. */
const isCount = (name: string): string =>
  `(limit.raw.?${name}.orValue(null) == null || has(limit.${name}) && limit.${name} >= 0 && limit.${name} <= ${LARGEST_COUNT}
      && (type(limit.${name}) == int || double(int(limit.${name})) == limit.${name}))`

/** The size of a zone: what is written, or the default; absent where it cannot be read. */
const ZONE = `?'zone': limit.raw.?zoneSize.orValue(null) == null
      ? optional.of(dyn({'count': dyn(${DEFAULT_ZONE_SIZE.count}), 'unit': dyn('${DEFAULT_ZONE_SIZE.unit}'), 'bytes': dyn(${DEFAULT_ZONE_SIZE.bytes})}))
      : has(limit.zoneSize) && size(limit.zoneSize) < 6 && limit.zoneSize.matches('^[0-9]{1,4}[kmg]?$')
      ? optional.of(dyn([{'count': int(limit.zoneSize.find('[0-9]+')), 'factor': limit.zoneSize.endsWith('k') ? 1024
          : limit.zoneSize.endsWith('m') ? 1048576 : limit.zoneSize.endsWith('g') ? 1073741824 : 1}].map(zone,
          {'count': dyn(zone.count), 'unit': dyn(limit.zoneSize.find('[kmg]?$')), 'bytes': dyn(zone.count * zone.factor)})[0]))
      : optional.none()`

/**
 * The items of both versions. Those of the old one have the place of the equal item of the new one, so that a finding that
 * has only moved is the same; the others keep their own.
 */
function placed(lists: string): string {
  const [now, old] = [`variables.${lists}[0]`, `variables.${lists}[1]`]
  const equal = (list: string, item: string) =>
    `${list}.filter(one, one.isObject == ${item}.isObject && one.raw == ${item}.raw)`
  // It is the same as one of the other version where that has as many equal items as there are up to this one.
  const isIn = (item: string, own: string, other: string) =>
    `size(${equal(own, item)}.filter(one, one.index <= ${item}.index)) <= size(${equal(other, item)})`
  return `size(variables.${lists}) < 2 || ${now} == ${old} ? variables.${lists} : [${now},
  ${now}.filter(item, ${isIn('item', now, old)}) + ${old}.filter(item, !(${isIn('item', old, now)}))]`
}

const VARIABLES: readonly CelVariable[] = [
  { name: 'positions', expression: `[${Array.from({ length: MOST_ITEMS }, (_, index) => index).join(', ')}]` },
  { name: 'versions', expression: 'oldObject == null ? [dyn(object)] : [dyn(object), dyn(oldObject)]' },
  { name: 'specs', expression: `variables.versions.map(version, ${mapAt('version', 'spec')})` },
  { name: 'targetRefs', expression: `variables.specs.map(spec, ${listAt('spec', 'targetRefs')})` },
  { name: 'rateLimits', expression: `variables.specs.map(spec, ${mapAt('spec', 'rateLimit')})` },
  { name: 'locals', expression: `variables.rateLimits.map(rateLimit, ${mapAt('rateLimit', 'local')})` },
  { name: 'rules', expression: `variables.locals.map(local, ${listAt('local', 'rules')})` },
  {
    name: 'targets',
    expression: itemsOf('targetRefs', 'spec.targetRefs', [
      typed('group', 'string'),
      typed('kind', 'string'),
      typed('name', 'string'),
    ]),
  },
  {
    name: 'members',
    expression: itemsOf('rules', 'spec.rateLimit.local.rules', [
      ...Object.entries(LIMIT_TYPES).map(([name, type]) => (name === 'key' ? KEY : typed(name, type))),
    ]),
  },
  {
    name: 'limits',
    expression: `variables.members.map(limits, limits.map(limit, {
    'path': limit.path, 'index': limit.index, 'raw': limit.raw, 'isObject': limit.isObject,
    ${Object.keys(LIMIT_TYPES)
      .map((name) => `?'${name}': limit.?${name}`)
      .join(', ')},
    'keyProblem': dyn(${KEY_PROBLEM}),
    ${ZONE},
    ?'digits': has(limit.rate) && size(limit.rate) <= ${LONGEST_TEXT} && limit.rate.matches('^[0-9]+r/[sm]$')
      ? optional.of(dyn(limit.rate.find('[1-9][0-9]*'))) : optional.none(),
    'isQueue': dyn(${isCount('burst')}
      && ${isCount('delay')}
      && (limit.raw.?noDelay.orValue(null) == null || has(limit.noDelay)))
  }))`,
  },
  { name: 'placedTargets', expression: placed('targets') },
  { name: 'placedLimits', expression: placed('limits') },
  {
    name: 'views',
    expression: `[0, 1].filter(version, version < size(variables.versions)).map(version, {
  'isNew': dyn(version == 0), 'object': dyn(variables.versions[version]), 'spec': dyn(variables.specs[version]),
  'rateLimit': dyn(variables.rateLimits[version]), 'local': dyn(variables.locals[version]),
  'targets': dyn(variables.placedTargets[version]), 'limits': dyn(variables.placedLimits[version])
})`,
  },
]

/** The view of a policy, as the head of this file describes it. */
export const POLICY_IN_CEL: CelView = { name: 'policy', variables: VARIABLES }
