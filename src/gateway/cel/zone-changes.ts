/**
 * Zones whose key changes without their size, in CEL: as `keys/zones.ts` has them, and as far as one policy tells whether
 * nginx has the zone at all (`keys/taken.ts`). Source: specification of RateLimitPolicy, "Errors".
 */
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { smallestZone } from '../../nginx/rejections.ts'
import { knownVariables, type VariablePlatform } from '../../nginx/variables.ts'
import type { CelVariable } from '../../world/system.ts'
import { keyPlatform } from '../keys/keys.ts'
import type { DefinedVariables } from '../lookups/lookups.ts'
import { FILE_NAME_LENGTHS } from '../render/files.ts'
import { LONGEST_RATE, listAt, mapAt } from './policy.ts'

/** A key without quotes and escapes, as nginx compares it. A space, which no key has, stands for an escaped backslash meanwhile. */
const UNQUOTED = String.raw`[limit.key.startsWith('"') || limit.key.startsWith("'") ? limit.key.substring(1, size(limit.key) - 1) : limit.key].map(key,
    key.contains('\\') ? key.replace(r'\\', ' ').replace(r'\"', '"').replace(r"\'", "'")
      .replace(r'\t', '\t').replace(r'\r', '\r').replace(r'\n', '\n').replace(' ', '\\') : key)[0]`

/** The size one unit above another, or below where four digits do not suffice: as `otherSize` has it. */
const RESIZED = `[zone.bytes % 1048576 == 0 ? 1048576 : 1024].map(step,
      [zone.bytes + step, zone.bytes - step].filter(bytes, bytes > 0 && (bytes % 1048576 == 0 && bytes <= 9999 * 1048576 || bytes <= 9999 * 1024))
      .map(bytes, bytes % 1048576 == 0 && bytes <= 9999 * 1048576 ? string(bytes / 1048576) + 'm' : string(bytes / 1024) + 'k'))[0][0]`

/** CEL about the characters of namespace and name of `policy` together, and the most that fit into a file name. */
export const FILE_NAME_IN_CEL = {
  length: "(size(policy.object.metadata.?namespace.orValue('')) + size(policy.object.metadata.?name.orValue('')))",
  most: `(policy.targets.exists(target, target.?kind.orValue('') == 'Gateway') ? ${FILE_NAME_LENGTHS.Gateway} : ${FILE_NAME_LENGTHS.Routes})`,
} as const

/** As `isSameZoneKey`: nginx compares the lengths, and the bytes up to a NUL character. */
const isSameKey = (a: string, b: string): string =>
  String.raw`(${a} == ${b} || ${a}.contains('\x00') && ${a}.split('\x00')[0] == ${b}.split('\x00')[0] && size(bytes(${a})) == size(bytes(${b})))`

/** How many variables of a key are looked at: the API server bounds the work. */
const MOST_VARIABLES = 16

/** What differs between installations. */
type Platform = {
  /** `pageSize` in bytes. */
  readonly platform: VariablePlatform & { readonly pageSize: number }
  readonly names: Pick<ApiNames, 'controllerName'>
}

/**
 * The variables `changes`, a list of `path`, `index`, `oldKey`, `newKey`, `size` and `resized`, and `listChange`, how the list
 * of limits changed. Both are about an update of a policy.
 */
export function zoneChangesInCel({ platform, names }: Platform): readonly CelVariable[] {
  const isUsable = (limit: string) =>
    `has(${limit}.zone) && ${limit}.zone.unit != 'g' && ${limit}.zone.bytes >= ${smallestZone(platform.pageSize)}`
  const isReadable = (limit: string) => `has(${limit}.key) && ${limit}.keyProblem == '' && ${isUsable(limit)}`
  const [now, old] = ['variables.limits[0][index]', 'variables.limits[1][index]']
  return [
    {
      name: 'keys',
      expression: `variables.limits.map(limits, limits.map(limit,
  has(limit.key) && limit.keyProblem == '' ? ${UNQUOTED} : ''))`,
    },
    { name: 'knownVariables', expression: knownInCel(platform) },
    {
      name: 'wasRefused',
      expression: `variables.views.filter(policy, !policy.isNew).exists(policy,
  ${FILE_NAME_IN_CEL.length} > ${FILE_NAME_IN_CEL.most}
  || policy.limits.exists(limit, !(${isReadable('limit')}) || !has(limit.digits) || size(limit.rate) > ${LONGEST_RATE} || limit.digits == ''
    || size(limit.digits) > 19 || size(limit.digits) == 19 && limit.digits > '9223372036854775807')
  || variables.keys[1].exists(key, key.findAll(r'\\$[0A-Za-z_][0-9A-Za-z_]*', ${MOST_VARIABLES}).map(name, name.substring(1).lowerAscii())
    .exists(name, !(name in variables.knownVariables.names)
      && !variables.knownVariables.prefixes.exists(prefix, name.startsWith(prefix)))))`,
    },
    {
      name: 'wasNotAccepted',
      expression: `size(variables.versions) > 1 && [variables.versions[1]].exists(version,
  [[${mapAt('version', 'status')}].map(status, ${listAt('status', 'ancestors')})[0].filter(ancestor, type(ancestor) == map
    && ancestor.?controllerName.orValue('') == '${names.controllerName}')].exists(own, size(own) > 0
  && own.all(ancestor, [${listAt('ancestor', 'conditions')}][0].exists(condition, type(condition) == map
    && condition.?type.orValue('') == 'Accepted' && condition.?status.orValue('') == 'False'
    && condition.?observedGeneration.orValue(0) == version.metadata.?generation.orValue(-1)))))`,
    },
    {
      name: 'hasMoved',
      expression: `variables.targets.all(targets, size(targets) > 0
    && targets.all(target, target.?kind.orValue('') == 'Gateway' && target.?name.orValue('') != ''))
  && !variables.targets[0].exists(target, variables.targets[1].exists(other, other.name == target.name))`,
    },
    {
      name: 'changes',
      expression: `size(variables.versions) < 2 || variables.wasRefused || variables.wasNotAccepted || variables.hasMoved ? []
  : variables.positions.filter(index, index < size(variables.limits[0]) && index < size(variables.limits[1])
    && ${isReadable(now)}
    && ${isReadable(old)}
    && ${now}.zone.bytes == ${old}.zone.bytes
    && !${isSameKey('variables.keys[0][index]', 'variables.keys[1][index]')})
  .map(index, [${now}.zone].map(zone, {
    'path': dyn(${now}.path), 'index': dyn(index),
    'oldKey': dyn(variables.keys[1][index]), 'newKey': dyn(variables.keys[0][index]),
    'size': dyn(string(zone.count) + zone.unit),
    'resized': dyn(${RESIZED})
  })[0])`,
    },
    { name: 'listChange', expression: LIST_CHANGE },
  ]
}

/** Maps are searched at once, whatever their size. */
function knownInCel(platform: VariablePlatform): string {
  const { names, prefixes } = knownVariables(keyPlatform(platform, NOTHING_DEFINED))
  const entries = (words: readonly string[]) =>
    `{${[...words]
      .sort()
      .map((word) => `'${word}': true`)
      .join(', ')}}`
  return `{'names': ${entries(names)}, 'prefixes': ${entries(prefixes)}}`
}

/** No snippet is known. */
const NOTHING_DEFINED: DefinedVariables = { defined: new Set(), isOpen: false, modules: new Set() }

/** True where a list of keys is the other one with some left out. No key has a space in it: texts are compared by a pattern. */
const isWithin = (shorter: string, longer: string): string =>
  String.raw`['^' + ${shorter}.map(key, r'(?:[^ ]* )*\Q' + key.replace(r'\E', r'\E\\E\Q') + r'\E ').join('') + '(?:[^ ]* )*$'].exists(pattern,
    [${longer}.map(key, key + ' ').join('')].exists(text, size(pattern) * size(text) < ${MOST_COMPARED} && text.matches(pattern)))`

/** Characters times characters that are compared; in longer lists keys are said to have changed, whatever was done to them. */
const MOST_COMPARED = 10_000_000

/** As `listChange` has it. */
const LIST_CHANGE = `size(variables.keys[0]) > size(variables.keys[1])
  ? (${isWithin('variables.keys[1]', 'variables.keys[0]')} ? 'inserted' : 'changed')
  : size(variables.keys[0]) < size(variables.keys[1])
  ? (${isWithin('variables.keys[0]', 'variables.keys[1]')} ? 'removed' : 'changed')
  : size(variables.keys[0]) > 1 && size(variables.keys[0]) * size(variables.keys[0].join('')) < ${MOST_COMPARED / 10}
    && variables.keys[0].all(key, variables.keys[0].filter(other, other == key).size()
      == variables.keys[1].filter(other, other == key).size()) ? 'reordered'
  : 'changed'`
