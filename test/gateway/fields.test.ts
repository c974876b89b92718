/** Every field that the CRD declares for a policy reaches every surface: the view, CEL, the editor, the configuration. */
import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { POLICY_IN_CEL } from '../../src/gateway/cel/policy.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { type FieldSchema, proposals } from '../../src/studio/playground/policy-fields.ts'
import { renderScene } from '../nginx/rendered.ts'
import { casesOf } from '../support/cases.ts'
import { perClient, policyWith, route } from './objects.ts'

const { cases } = casesOf(import.meta.url)

type Crd = {
  readonly spec: { readonly versions: readonly [{ readonly schema: { readonly openAPIV3Schema: FieldSchema } }] }
}

const crd = load(readFileSync(new URL('../../schemas/ratelimitpolicy.crd.yaml', import.meta.url), 'utf8')) as Crd
const SCHEMA = crd.spec.versions[0].schema.openAPIV3Schema

/** Two values of each field, of which the first is not the default, with what it needs beside it. */
const VALUES = cases<Readonly<Record<string, readonly [unknown, unknown, JsonObject?]>>>('VALUES')

const fieldsIn = (path: readonly (string | number)[]): readonly string[] =>
  proposals(SCHEMA, { path: [...path], key: undefined, written: '' }).map(({ text }) => text.replace(/: ?$/, ''))

const settings = fieldsIn(['spec', 'rateLimit']).filter((name) => name !== 'local')
const ofLimits = fieldsIn(['spec', 'rateLimit', 'local', 'rules', 0])

it('the values are those of all fields', () =>
  expect([...settings, ...ofLimits].sort()).toEqual(Object.keys(VALUES).sort()))

describe.each([...settings.map((name) => [name, false] as const), ...ofLimits.map((name) => [name, true] as const)])(
  '%s',
  (name, isOfLimit) => {
    const policy = (value: unknown) => {
      const own = { ...VALUES[name]?.[2], [name]: value } as JsonObject
      const limit = perClient('10r/s', isOfLimit ? own : {})
      return policyWith({ rateLimit: { ...(isOfLimit ? {} : own), local: { rules: [limit] } } })
    }
    const [first, second] = VALUES[name] ?? []

    it('is in the view', () => {
      const view = policy(first)
      const members: object = isOfLimit ? (view.limits[0] ?? {}) : view
      const at = isOfLimit ? `/spec/rateLimit/local/rules/0/${name}` : `/spec/rateLimit/${name}`
      expect(Reflect.get(members, name)).toMatchObject({ pointer: at, raw: first, value: expect.anything() })
    })

    it('is in the rendered configuration', () => {
      const textOf = (value: unknown) =>
        renderScene({ routes: [route('coffee')], policies: [policy(value)] }).files.map(({ text }) => text)
      expect(textOf(first)).not.toEqual(textOf(second))
    })

    if (isOfLimit)
      it('is in the view of CEL', () => {
        const limits = POLICY_IN_CEL.variables.find((variable) => variable.name === 'limits')
        expect(limits?.expression).toContain(`?'${name}': limit.?${name}`)
      })
  },
)
