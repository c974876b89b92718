/** Parts of routes and policies, and scenes with hostile values in routes. */

import fc from 'fast-check'
import type { JsonObject } from '../../src/json/member.ts'
import { perClient, policy, route } from '../gateway/objects.ts'
import { casesOf } from '../support/cases.ts'
import type { Scene } from './rendered.ts'

const { cases } = casesOf(import.meta.url)

const to = (name: string, port = 80): JsonObject => ({ backendRefs: [{ name, port }] })
export const at = (value: string, type = 'PathPrefix'): JsonObject => ({ path: { type, value } })
export const rule = (matches: readonly JsonObject[], more: JsonObject = to('coffee')): JsonObject => ({
  matches,
  ...more,
})
const edge = () => policy('edge', { on: ['Gateway shop'], limits: [perClient('10r/s')] })
export const own = (settings: JsonObject = {}, limits = [perClient('1r/s', { burst: 5, noDelay: true })]) =>
  policy('own', { limits, settings })

/** Strings with a meaning for nginx, or for code that quotes them. */
const nasty = fc
  .array(fc.oneof(fc.constantFrom(...cases<string[]>('nasty')), fc.string()), { maxLength: 6 })
  .map((pieces) => pieces.join('').replaceAll('\0', ''))
const headerName = fc.oneof(nasty, fc.constantFrom('x-a', 'X_b', 'v'))
const values = fc.array(fc.record({ name: headerName, value: nasty }), { maxLength: 2 })
const matches = fc.record({
  path: fc.record({ type: fc.constantFrom('Exact', 'PathPrefix'), value: nasty.map((text) => `/${text}`) }),
  method: fc.option(fc.constantFrom('GET', 'get', '$x'), { nil: undefined }),
  headers: values,
  queryParams: values,
})
const redirect = fc.record({
  hostname: nasty,
  path: fc.record({ type: fc.constant('ReplaceFullPath'), replaceFullPath: nasty.map((text) => `/${text}`) }),
})
const rules = fc.record({
  matches: fc.array(matches, { minLength: 1, maxLength: 3 }),
  backendRefs: fc.array(fc.record({ name: fc.oneof(nasty, fc.constant('coffee')), port: fc.constant(80) }), {
    maxLength: 2,
  }),
  filters: fc.oneof(
    fc.constant([]),
    fc.record({ type: fc.constant('RequestRedirect'), requestRedirect: redirect }).map((filter) => [filter]),
  ),
})
export const scenes: fc.Arbitrary<Scene> = fc
  .record({
    rules: fc.array(rules, { maxLength: 2 }),
    hostnames: fc.array(nasty, { maxLength: 2 }),
    settings: fc.constantFrom({}, { rejectCode: 444 }),
  })
  .map(({ rules: all, hostnames, settings }) => ({
    routes: [route('coffee', { rules: all as readonly JsonObject[], hostnames })],
    policies: [edge(), own(settings)],
  }))
