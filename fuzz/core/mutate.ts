/** Changes JSON and texts at random places. */
import type { Random } from '../../bench/random.ts'
import { escapeToken, pointerTokens } from '../../src/json/pointer.ts'
import { HOSTILE_TEXTS, pointersOf, withValueAt } from '../../test/rules/policies.ts'
import type { Input } from './target.ts'

/** Values that hardly any member expects. */
const VALUES: readonly Input[] = [
  ...[null, true, false, 0, -1, 1, 2.5, 5, 80, 429, 65_536, 2 ** 31, 2 ** 53, 1e300],
  ...['', '5', 'true', 'on', '*', '*.', '..', '/', '//', '-', '$', '${', '$a', '"', "'", '\\', ';', '{', '#', '~', '@'],
  ...['10r/s', '10R/S', '0r/s', '1e3r/s', '1g', '10m', '-1k', '$binary_remote_addr', '$nope', `$${'{a}b'}`, '$http_x'],
  ...['Gateway', 'gateway', 'HTTPRoute', 'Exact', 'RegularExpression', '(a+)+b', '^(?<x>[a-', '(?=a)', '[[:alpha:]]'],
  ...['*.example.com', 'a..b', 'xn--a', '::1', '\u0000', '\n', '\r', '\t', '\u2028', '\ufeff', '😀', '\ud800', 'é'],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'map $a $b { default 1; }',
    'geo $x {',
    'js_set $a b.c;',
    '##[x]',
    '::x::',
  ],
  ...['2026-01-01T00:00:00Z', `$${'{X}'}`, '{{ X }}', '$(X)', 'x'.repeat(300), '<x>', '%s'],
]
const LISTS: readonly Input[] = [[], {}, [null], [[]], [{}], { a: null }, [''], [0, ''], [[[[[[]]]]]]]

/** Names of members that no kind has, or that another one has. */
const NAMES: readonly string[] = [
  ...['rate', 'Rate', 'key', 'name', 'namespace', 'sectionName', 'group', 'kind', 'targetRefs', 'targetRef', 'burst'],
  ...[
    'rejectCode',
    'spec',
    'labels',
    'annotations',
    'zone_size',
    'value',
    'type',
    'items',
    'status',
    'from',
    'hostname',
  ],
  ...['__proto__', 'constructor', 'toString', 'a/b~c', '', '0', '*', '<<', 'é', '😀'],
]

/** Any value: seldom a long text. */
export function anyValue(random: Random): Input {
  switch (random.below(12)) {
    case 0:
      return random.pick(LISTS)
    case 1:
      return random.below(20) === 0 ? random.pick(HOSTILE_TEXTS) : random.pick(HOSTILE_TEXTS).slice(0, 300)
    case 2:
      return random.below(10_000) - 100
    default:
      return random.pick(VALUES)
  }
}

/** Letters that mean something to one reader or another. */
const PIECES: readonly string[] = [
  ...['"', "'", '\\', '\\"', '$', '{', '}', '[', ']', '(', ')', '<', '>', ',', ';', ':', ' ', '  ', '\t', '\n', '\r\n'],
  ...['#', '%', '&', '*', '+', '-', '.', '/', '=', '?', '@', '^', '_', '`', '|', '~', '0', '9', 'a', 'Z', 'é', '😀'],
  ...[
    '\u0000',
    '\u0007',
    '\u007f',
    '\u0085',
    '\u00a0',
    '\u2028',
    '\ufeff',
    '\\x0',
    '\\u12',
    'null',
    '1e9',
    '-1',
    '://',
  ],
]

/** A text with some pieces put in, cut out, moved or repeated. */
export function mutatedText(random: Random, text: string, pieces: readonly string[] = PIECES): string {
  let changed = text
  for (let changes = random.below(5); changes > 0; changes--) {
    const at = random.below(changed.length + 1)
    const cut = random.below(3) === 0 ? random.below(12) : 0
    changed = changed.slice(0, at) + piece(random, changed, pieces) + changed.slice(at + cut)
  }
  return changed
}

function piece(random: Random, text: string, pieces: readonly string[]): string {
  const from = random.below(text.length + 1)
  switch (random.below(10)) {
    case 0:
      return text.slice(from, from + random.below(60))
    case 1:
      return random.pick(pieces).repeat(1 + random.below(200))
    case 2:
      return ''
    default:
      return random.pick(pieces)
  }
}

/** A value with up to `most` changes, each at any place. The root stays what it is. */
export function mutatedValue(random: Random, value: Input, most = 4): Input {
  let changed = value
  for (let changes = random.below(most + 1); changes > 0; changes--) {
    const places = pointersOf(changed)
    const place = places[random.below(places.length)] ?? ''
    if (place !== '') changed = changedAt(random, changed, place, places)
  }
  return changed
}

function changedAt(random: Random, root: Input, place: string, places: readonly string[]): Input {
  const old = valueUnder(root, place)
  switch (random.below(8)) {
    case 0:
      return withValueAt(root, place, undefined)
    case 1:
      return typeof old === 'object' && old !== null && !Array.isArray(old)
        ? withValueAt(root, `${place}/${escapeToken(random.pick(NAMES))}`, anyValue(random))
        : withValueAt(root, place, anyValue(random))
    case 2:
      return Array.isArray(old) ? withValueAt(root, place, repeated(random, old)) : withValueAt(root, place, [old])
    case 3:
      return withValueAt(root, place, valueUnder(root, random.pick(places)))
    case 4:
      return typeof old === 'string' ? withValueAt(root, place, mutatedText(random, old)) : root
    default:
      return withValueAt(root, place, anyValue(random))
  }
}

function repeated(random: Random, list: readonly Input[]): Input {
  const times = random.below(20) === 0 ? 50 : 2
  return Array.from({ length: times }, () => list).flat()
}

const valueUnder = (root: Input, pointer: string): Input =>
  pointerTokens(pointer).reduce<Input>((value, token) => {
    if (Array.isArray(value)) return value[Number(token)] ?? null
    return typeof value === 'object' && value !== null && Object.hasOwn(value, token) ? (value[token] ?? null) : null
  }, root)
