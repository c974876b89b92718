/** Policies for property tests: good ones, and good ones with something done to them. */
import { readFileSync } from 'node:fs'
import fc, { type JsonValue } from 'fast-check'
import { escapeToken, pointerTokens } from '../../src/json/pointer.ts'

/** JSON that a test may change. */
export type Draft = null | boolean | number | string | Draft[] | { [member: string]: Draft }

/** A policy that uses every field, and that no rule objects to. */
export const goodPolicy = (): Draft => JSON.parse(GOOD)

const GOOD = readFileSync(new URL('good-policy.json', import.meta.url), 'utf8')

/** The pointers of a value and of everything within it. */
export function pointersOf(value: Draft, pointer = ''): string[] {
  if (typeof value !== 'object' || value === null) return [pointer]
  const names = Array.isArray(value) ? value.map((_, index) => String(index)) : Object.keys(value)
  const child = (name: string) => (Array.isArray(value) ? value[Number(name)] : value[name]) ?? null
  return [pointer, ...names.flatMap((name) => pointersOf(child(name), `${pointer}/${escapeToken(name)}`))]
}

/** A copy of a value in which another one stands at a pointer, whose parent is there; undefined removes what stands there. */
export function withValueAt(root: Draft, pointer: string, value: Draft | undefined): Draft {
  const [token, ...rest] = pointerTokens(pointer)
  if (token === undefined) return value ?? null
  const below = rest.map((name) => `/${escapeToken(name)}`).join('')
  const change = (old: Draft | undefined) => (below === '' ? value : withValueAt(old ?? null, below, value))
  if (Array.isArray(root)) return root.flatMap((item, i) => (String(i) === token ? (change(item) ?? []) : [item]))
  if (typeof root !== 'object' || root === null) return root
  const entries = Object.entries(root).filter(([name]) => name !== token)
  const changed = change(root[token])
  return Object.fromEntries(changed === undefined ? entries : [...entries, [token, changed]])
}

/** Texts that have made regular expressions and parsers slow or wrong. */
export const HOSTILE_TEXTS: readonly string[] = [
  `${'a'.repeat(100_000)} `,
  '$'.repeat(100_000),
  '$a'.repeat(50_000),
  `${'9'.repeat(100_000)}r/s`,
  `${'0'.repeat(100_000)}m`,
  ' '.repeat(100_000),
  '-.'.repeat(50_000),
  `"${'\\"'.repeat(50_000)}`,
  '\uD800',
  '__proto__',
  '\u0000',
]

const member = fc.constantFrom(
  ...['rate', 'Rate', 'key', 'name', 'namespace', 'sectionName', 'group', 'kind', 'targetRefs', 'rejectCode', 'burst'],
  ...['spec', 'labels', 'zone_size', '__proto__', 'toString', 'a/b~c', ''],
)

/** What JSON makes of a value: it has no negative zero. */
function draftOf(value: JsonValue | undefined): Draft {
  if (Array.isArray(value)) return value.map(draftOf)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, draftOf(member)]))
  return typeof value === 'number' ? value + 0 : (value ?? null)
}

/** Any JSON value; often one that nearly fits. */
export const anyJson: fc.Arbitrary<Draft> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }).map(draftOf),
  fc.constantFrom<Draft>(null, true, false, 0, -1, 2.5, 5, 429, 2 ** 31, 1e300, '', '5', 'true', [], {}, [null], [[]]),
  fc.constantFrom<Draft>('10R/S', '0r/s', '$nope', '"a', 'a\\', '1g', '1k', 'warning', 'Gateway', 'TLSRoute', 'coffee'),
  fc.constantFrom(...HOSTILE_TEXTS.map((text) => text.slice(0, 300))),
)

type Change = (policy: Draft, pointer: string) => Draft

const remove: Change = (policy, pointer) => withValueAt(policy, pointer, undefined)
const replaceBy =
  (value: Draft): Change =>
  (policy, pointer) =>
    withValueAt(policy, pointer, value)
const addMember =
  (name: string, value: Draft): Change =>
  (policy, pointer) =>
    withValueAt(policy, `${pointer}/${escapeToken(name)}`, value)
/** Writes a list item twice; other values stay. */
const repeat: Change = (policy, pointer) => {
  const slash = pointer.lastIndexOf('/')
  const parent = pointer.slice(0, Math.max(0, slash))
  const list = pointerTokens(parent).reduce<Draft | undefined>(
    (value, token) => (typeof value === 'object' && value !== null ? Reflect.get(value, token) : undefined),
    policy,
  )
  if (!Array.isArray(list)) return policy
  const item = list[Number(pointer.slice(slash + 1))] ?? null
  return withValueAt(policy, parent, [...list, item])
}

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constant(remove),
  anyJson.map(replaceBy),
  fc.tuple(member, anyJson).map(([name, value]) => addMember(name, value)),
  fc.constant(repeat),
)

/** A good object to which one to four things were done, each at any place. */
export const mutationsOf = (good: () => Draft): fc.Arbitrary<Draft> =>
  fc.array(fc.tuple(change, fc.nat()), { minLength: 1, maxLength: 4 }).map((changes) =>
    changes.reduce((policy, [apply, place]) => {
      const pointers = pointersOf(policy)
      return apply(policy, pointers[place % pointers.length] ?? '')
    }, good()),
  )

/** A good policy to which one to four things were done. */
export const mutatedPolicy: fc.Arbitrary<Draft> = mutationsOf(goodPolicy)
