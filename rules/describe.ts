/** Values as messages of every system show them. */

import type { Json } from '../src/json/member.ts'
import { knownNamespace } from '../src/kubernetes/metadata.ts'

const LONGEST = 60

/** A string on one line, cut after 60 characters: a line break becomes `\n`. */
export function shorten(text: string): string {
  const start = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
  return start.replace(/\p{Cc}/gu, (control) => JSON.stringify(control).slice(1, -1))
}

/** A value with its type: `the string "5"`, `the number 2.5`, `a list`. */
export function describeValue(value: Json | undefined): string {
  if (typeof value === 'string') return value === '' ? 'an empty string' : `the string "${shorten(value)}"`
  if (typeof value === 'number') return `the number ${value}`
  if (typeof value === 'boolean') return String(value)
  if (value === null || value === undefined) return 'null'
  return Array.isArray(value) ? 'a list' : 'an object'
}

/** Joins items as a sentence does: `a, b and c`. */
export function joinItems(items: readonly string[]): string {
  const last = items.at(-1) ?? ''
  return items.length < 2 ? last : `${items.slice(0, -1).join(', ')} and ${last}`
}

/** Where an object is not, as the end of a sentence: ` in namespace "shop"`, or empty where the namespace is not known. */
export function inNamespace(namespace: string | undefined): string {
  const name = knownNamespace(namespace)
  return name === undefined ? '' : ` in namespace "${name}"`
}
