/** Manifests with texts that would break out of an nginx configuration, and what such a configuration says. */
import fc from 'fast-check'
import { isObject, type Json, type JsonObject } from '../../src/json/member.ts'
import { casesOf } from '../support/cases.ts'

/** Ends of parameters, directives, blocks, quotes, comments and lines, and a directive that nobody meant. */
const PIECES = [
  ...['"', "'", ';', '{', '}', '#', '\\', '$', '\n', '\r\n', '\t', ' ', '\u2028', '\u0000', '`', '../', '/', '%', '('],
  ...['} evil on; {', '"; evil on; "', '\nevil on;\n', '}\nserver { listen 6666; evil on; }\n', '"; }\nevil on;\n#'],
  ...["'; evil on; '", 'a; evil on', '\\"; evil on;', '${evil}', '$evil', 'include /etc/passwd;', '*.evil', 'evil'],
]

/** A text that would end a parameter, a directive or a block, or begin one. */
export const hostile = fc.oneof(
  fc.constantFrom(...PIECES),
  fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join('')),
  fc
    .tuple(fc.constantFrom('coffee', '/coffee', '$uri', '1r/s', '32k'), fc.constantFrom(...PIECES))
    .map((two) => two.join('')),
)

/** A Gateway, a route of either kind, and a policy on each. */
const CORE = casesOf(import.meta.url).cases<readonly JsonObject[]>('core')

/** The members that lead to a value. */
export type Path = readonly (string | number)[]

/** Where the texts of a value are. */
export function textsIn(value: Json | undefined, path: Path): readonly Path[] {
  if (typeof value === 'string') return [path]
  if (Array.isArray(value)) return value.flatMap((item, index) => textsIn(item, [...path, index]))
  return isObject(value) ? Object.entries(value).flatMap(([name, member]) => textsIn(member, [...path, name])) : []
}

/** A value with another one at a place. */
export function withText(value: Json | undefined, [first, ...rest]: Path, text: Json): Json | undefined {
  if (first === undefined) return text
  if (Array.isArray(value))
    return value.map((item, index) => (index === first ? (withText(item, rest, text) ?? null) : item))
  return isObject(value) ? { ...value, [first]: withText(value[first], rest, text) } : value
}

const PLACES = CORE.flatMap((object, index) => textsIn(object, [index])).filter(
  (path) => !['kind', 'apiVersion'].includes(String(path.at(-1))),
)

/** The manifests with some of their texts replaced, as JSON. */
export const hostileManifests: fc.Arbitrary<string> = fc
  .array(fc.tuple(fc.constantFrom(...PLACES), hostile), { minLength: 1, maxLength: 3 })
  .map((changes) => {
    const items = changes.reduce<Json | undefined>((all, [path, text]) => withText(all, path, text), CORE)
    return JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
  })

/** The manifests as they are meant. */
export const MEANT = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: CORE })

/** A directive as nginx reads it: its words, and how deep it is. */
export type Directive = { readonly words: readonly string[]; readonly depth: number }

/**
 * Reads a file as nginx does; undefined where nginx refuses it. Source: nginx, ngx_conf_read_token: quotes only begin a
 * word, a backslash takes the next character along, `${` belongs to a word.
 */
export function readDirectives(text: string): readonly Directive[] | undefined {
  const directives: Directive[] = []
  let words: string[] = []
  let depth = 0
  const changes: Readonly<Record<string, number>> = { ';': 0, '{': 1, '}': -1 }
  for (const [token] of text.matchAll(TOKEN)) {
    const change = changes[token]
    if (change === undefined) {
      if (!/^[\s#]/.test(token)) words.push(token)
      continue
    }
    // A directive ends with words, a block without.
    if (change < 0 === words.length > 0) return undefined
    if (words.length > 0) directives.push({ words, depth })
    words = []
    depth += change
    if (depth < 0) return undefined
  }
  return words.length === 0 && depth === 0 ? directives : undefined
}

const TOKEN = /\s+|#[^\n]*|"(?:\\[\s\S]|[^"\\])*"?|'(?:\\[\s\S]|[^'\\])*'?|[;}]|\{|(?:\\[\s\S]|\$\{|[^\s;{\\])+/g
