/** What keeps a body from becoming a configuration, and whether its remedies help. */
import { expect, test } from 'vitest'
import { nameOf } from '../../../src/api-management/render/names.ts'
import { placeOf, publicationProblems } from '../../../src/api-management/render/plan.ts'
import { isObject, type Json, type JsonObject } from '../../../src/json/member.ts'
import { applyPatch, type PatchOperation } from '../../../src/json/patch.ts'
import { casesOf } from '../../support/cases.ts'

const { cases, each } = casesOf(import.meta.url)

type Family = Readonly<Record<'at' | 'message' | 'remedy', string>> & {
  readonly config: JsonObject
  readonly values?: readonly Json[]
  readonly fix?: Json
  readonly patch?: readonly PatchOperation[]
}

/** The configuration with a value in the place of each question mark. */
const filled = (config: JsonObject, value: Json): JsonObject =>
  JSON.parse(JSON.stringify(config), (_, member) => (member === '?' ? value : member))

const PROBLEMS = cases<readonly Family[]>('problems').flatMap(
  ({ config, values = ['?'], at, fix, patch, ...words }) => {
    const pointer = `/proxyConfig${at}`
    const made = patch ?? [{ op: 'replace', path: pointer, value: fix } as const]
    return values.map((value) => ({ ...words, proxyConfig: filled(config, value), pointer, patch: made }))
  },
)

test.each(PROBLEMS)('$proxyConfig is a problem at $pointer, and its remedy helps', ({ proxyConfig, ...problem }) => {
  const { pointer, message, remedy, patch } = problem
  const body = { name: 'shop', proxyConfig }
  expect(publicationProblems(body)).toEqual([{ pointer, message: expect.stringContaining(message), remedy }])
  const patched = applyPatch(body, patch)
  expect(
    patched && 'value' in patched && isObject(patched.value) ? publicationProblems(patched.value) : patched,
  ).toEqual([])
})

each<[JsonObject]>('a body with little in it has no problem: %j', (body) => {
  expect(publicationProblems(body)).toEqual([])
})

each<[JsonObject, object]>('%j answers at %j', (body, place) => {
  expect(placeOf(body)).toEqual(place)
})

test('different ids have different names, also for those who compare without case', () => {
  const ids = ['a', 'A', '_a', '-a', '_', '__', '-', 'a-', 'a_', 'A_', '_A', '_0', '02d', '_02d_', '0']
  expect(new Set(ids.map((id) => nameOf(id).toLowerCase())).size).toBe(ids.length)
  for (const id of ids) expect(nameOf(id)).toMatch(/^[a-z0-9_]+$/)
})
