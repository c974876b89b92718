/** Checks arguments by tables of what is expected, so that a caller without types gets a sentence and no exception. */
import { isObject } from '../json/member.ts'
import { kubernetesTime } from '../queries/status.ts'
import { nearest } from '../text/nearest.ts'
import type { Problem } from './result.ts'

/** Checks a value at a path, and adds what is wrong. */
export type Check = (value: unknown, path: string, problems: Problem[]) => void

/** What is expected of each member of an object; the members of `required` must be there. */
export type Members<Name extends string = string> = Readonly<Record<Name, Check>>

/** Everything that is wrong with an argument. */
export function problemsOf(check: Check, value: unknown, path: string): readonly Problem[] {
  const problems: Problem[] = []
  check(value, path, problems)
  return problems
}

/** A value for which a test holds; `expected` is a noun: `a string`. */
export const value =
  (expected: string, test: (value: unknown) => boolean): Check =>
  (value, path, problems) => {
    if (!test(value)) problems.push({ path, message: `expected ${expected}, got ${describe(value)}` })
  }

/** A string. */
export const string: Check = value('a string', (given) => typeof given === 'string')
/** True or false. */
export const boolean: Check = value('true or false', (given) => typeof given === 'boolean')
/** A time of RFC 3339, as Kubernetes reads it. */
export const time: Check = value(
  'a time such as "2026-01-31T12:00:00Z"',
  (given) => typeof given === 'string' && kubernetesTime(given) !== undefined,
)
/** A string of which a pattern matches the whole. */
export const pattern = (expected: string, regexp: RegExp): Check =>
  value(expected, (given) => typeof given === 'string' && regexp.test(given))
/** One of a few strings. */
export const oneOf = (words: readonly string[]): Check =>
  value(words.map((word) => `"${word}"`).join(' or '), (given) => typeof given === 'string' && words.includes(given))
/** A whole number within bounds. */
export const count = (least: number, most: number): Check =>
  value(
    `a whole number from ${least} to ${most.toLocaleString('en')}`,
    (given) => Number.isInteger(given) && Number(given) >= least && Number(given) <= most,
  )

/** A list. */
export const list =
  (item: Check): Check =>
  (given, path, problems) => {
    if (!Array.isArray(given)) problems.push({ path, message: `expected a list, got ${describe(given)}` })
    else for (const [index, one] of given.entries()) item(one, `${path}[${index}]`, problems)
  }

/** An object whose names and values are those of a table: `{ "443": 8443 }`. */
export const record =
  (name: Check, item: Check): Check =>
  (given, path, problems) => {
    if (!isObject(given)) problems.push({ path, message: `expected an object, got ${describe(given)}` })
    else
      for (const [key, one] of Object.entries(given)) {
        name(key, at(path, key), problems)
        item(one, at(path, key), problems)
      }
  }

/** An object with members of the table and no others. A member that is undefined is not there. */
export const object =
  (members: Members, required: readonly string[] = []): Check =>
  (given, path, problems) => {
    if (!isObject(given)) {
      problems.push({ path, message: `expected an object, got ${describe(given)}` })
      return
    }
    const missing = required.filter((name) => given[name] === undefined)
    problems.push(...missing.map((name) => ({ path: at(path, name), message: 'is missing' })))
    for (const [name, one] of Object.entries(given)) memberCheck(name, members)(one, at(path, name), problems)
  }

/** The check of a member; that of one that is not known fails. */
function memberCheck(name: string, members: Members): Check {
  const check = Object.hasOwn(members, name) ? members[name] : undefined
  if (check)
    return (given, path, problems) => {
      if (given !== undefined) check(given, path, problems)
    }
  const known = Object.keys(members)
  const meant = nearest(name, known)
  const hint = meant === undefined ? `known are ${known.join(', ')}` : `did you mean "${meant}"?`
  return (_, path, problems) => problems.push({ path, message: `is not known; ${hint}` })
}

/** Levels of nesting that an object may have, as in a text. */
const MOST_LEVELS = 100

/** What `JSON.parse` returns, also with members that are undefined and with dates; one problem for each object. */
export const json: Check = (given, path, problems) => {
  const wrong = notJson(given, 0)
  if (!wrong) return
  const place = wrong.names.reduce<string>(
    (to, name) => (typeof name === 'number' ? `${to}[${name}]` : at(to, name)),
    path,
  )
  problems.push({ path: place, message: wrong.message })
}

type NotJson = { readonly names: readonly (string | number)[]; readonly message: string }

function notJson(given: unknown, level: number): NotJson | undefined {
  if (level > MOST_LEVELS) return { names: [], message: `is nested deeper than ${MOST_LEVELS} levels` }
  if (isScalar(given)) return undefined
  const inner = Array.isArray(given)
    ? given.entries()
    : isObject(given) && isPlain(given)
      ? membersOf(given)
      : undefined
  if (!inner) return { names: [], message: `expected a value of JSON, got ${describe(given)}` }
  for (const [name, one] of inner) {
    const wrong = notJson(one, level + 1)
    if (wrong) return { names: [name, ...wrong.names], message: wrong.message }
  }
  return undefined
}

const isScalar = (given: unknown): boolean =>
  given === null ||
  typeof given === 'string' ||
  typeof given === 'boolean' ||
  Number.isFinite(given) ||
  (given instanceof Date && isTime(given))

/** True for a time that RFC 3339 can write. */
const isTime = (given: Date): boolean => given.getUTCFullYear() >= 0 && given.getUTCFullYear() <= 9999

const membersOf = (given: object): readonly [string, unknown][] =>
  Object.entries(given).filter(([, one]) => one !== undefined)

/** True for an object that is nothing but its members, unlike a map. */
function isPlain(given: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(given)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** `settings.rules`, and `settings["a b"]` where a name is no identifier. */
export const at = (path: string, name: string): string =>
  /^[A-Za-z_$][\w$]*$/.test(name) ? (path === '' ? name : `${path}.${name}`) : `${path}[${JSON.stringify(name)}]`

const LONGEST_VALUE = 60

/** A value in a few words. */
function describe(given: unknown): string {
  if (Array.isArray(given)) return 'a list'
  if (given instanceof Date && Number.isFinite(given.getTime())) return 'a date outside of the years 0 to 9999'
  if (typeof given === 'object' && given !== null)
    return isPlain(given) ? 'an object' : `an instance of ${given.constructor?.name ?? 'a class'}`
  if (typeof given === 'function') return 'a function'
  const text = typeof given === 'string' ? JSON.stringify(given) : String(given)
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text
}
