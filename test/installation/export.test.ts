/** `sluice export validating-admission-policy`: what holds of all that it prints. Flags and settings: `test/fixtures/cli/export.txtar`. */
import { expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { sluice } from '../cli/run.ts'
import { createFolder } from '../files/folder.ts'
import { objectsIn } from './expected.ts'

const COMMAND = ['export', 'validating-admission-policy']

/** Exports with flags, and with settings. */
async function exported(flags: readonly string[] = [], settings = '') {
  const cwd = createFolder(settings === '' ? {} : { 'sluice.config.yaml': settings })
  const { code, stdout, stderr } = await sluice([...COMMAND, ...flags], { cwd })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

type Exported = {
  readonly objects: readonly (JsonObject & { readonly kind: string; readonly spec: JsonObject })[]
  readonly carried: readonly { readonly rule: string; readonly severity: string; readonly policy: string }[]
  readonly notCarried: readonly { readonly rule: string; readonly reason: string }[]
}

const asJson = async (flags: readonly string[] = [], settings = ''): Promise<Exported> =>
  JSON.parse(await exported([...flags, '--format', 'json'], settings))

const KEY_CHANGE = 'gateway/key-change-without-zone-resize'

it('prints two policies with their bindings, and the same each time', async () => {
  const text = await exported()
  const [policy, binding] = ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']
  const expected = ['sluice-errors', 'sluice-warnings'].flatMap((name) => [`${policy} ${name}`, `${binding} ${name}`])
  expect(Object.keys(objectsIn(text))).toEqual(expected)
  expect(await exported()).toBe(text)
})

it('is the same as YAML and as JSON', async () => {
  const { objects } = await asJson()
  expect(Object.values(objectsIn(await exported()))).toEqual(objects)
})

it('carries each rule or says why not, in comments above the manifests and in JSON', async () => {
  const { carried, notCarried } = await asJson()
  const comments = (await exported()).split('\napiVersion')[0]?.replace(/\n# /g, ' ')
  for (const { rule, reason } of notCarried) expect(comments).toContain(`${rule}: ${reason}`)
  const ids = [...carried, ...notCarried].map(({ rule }) => rule)
  expect(new Set(ids)).toEqual(new Set(RULES.map(({ id }) => id)))
  expect(carried).toContainEqual(
    expect.objectContaining({ rule: KEY_CHANGE, severity: 'error', policy: 'sluice-errors' }),
  )
  const reasons = new Map(notCarried.map(({ rule, reason }) => [rule, reason]))
  expect(reasons.get('gateway/conflict')).toBe(
    'it looks up gateways, policies, routes in the cluster, and a policy sees one object only',
  )
})

it('has no policy of a severity that no rule has', async () => {
  const all = RULES.map(({ id }) => `${id}: info`).join(', ')
  const { objects } = await asJson([], `rules: { ${all} }\n`)
  expect(objects).toHaveLength(2)
})
