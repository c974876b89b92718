/** Members of inputs, read without errors: where inputs are made smaller, any of them may be gone. */
import { isObject, type Json } from '../../src/json/member.ts'
import type { Input } from './target.ts'

const memberOf = (input: unknown, name: string): Json | undefined =>
  isObject(input) && Object.hasOwn(input, name) ? input[name] : undefined

/** A text; empty where there is none. */
export function textAt(input: Input, name: string): string {
  const value = memberOf(input, name)
  return typeof value === 'string' ? value : ''
}

/** A list; empty where there is none. */
export function listAt(input: Input, name: string): readonly Json[] {
  const value = memberOf(input, name)
  return Array.isArray(value) ? value : []
}

/** The members of an object that are texts. */
export function textsAt(input: Input, name: string): readonly (readonly [string, string])[] {
  const value = memberOf(input, name)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, text]) => (typeof text === 'string' ? [[key, text] as const] : []))
}

/** Whether a member is true. */
export const isTrue = (input: Input, name: string): boolean => memberOf(input, name) === true
