/** Whether the API server accepts a policy, by its CRD: the compiled schema, its CEL expressions, and the rules for names. */

import { errorsOf } from '../../src/gateway/schema/validate.mjs'
import { isObject, type Json, type JsonObject } from '../../src/json/member.ts'

/**
 * True where `kubectl apply` with its default, strict validation succeeds. Tests of the schema compare this schema with
 * a real kube-apiserver; what its expressions say is said again here, apart from the rules that say it to people.
 */
export const apiServerAccepts = (policy: JsonObject): boolean =>
  errorsOf(policy).length === 0 && namesAreGood(member(policy, 'metadata')) && expressionsHold(policy)

const member = (value: Json | undefined, ...path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((at, name) => (isObject(at) ? (at[name] ?? undefined) : undefined), value)

const items = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/

function namesAreGood(metadata: Json | undefined): boolean {
  const given = ['name', 'generateName', 'namespace'].map((field) => member(metadata, field) ?? '')
  const [name = '', generateName = '', namespace = ''] = given.filter((value) => typeof value === 'string')
  if (given.some((value) => typeof value !== 'string') || (name === '' && generateName === '')) return false
  const generated = `${generateName.slice(0, 58)}abcde`
  const isGoodName = [name || generated, generateName ? generated : 'x'].every(
    (text) => text.length <= 253 && text.split('.').every((label) => LABEL.test(label)),
  )
  return isGoodName && (namespace === '' || (namespace.length <= 63 && LABEL.test(namespace)))
}

/** The CRD's `x-kubernetes-validations`. */
function expressionsHold(policy: JsonObject): boolean {
  const targets = items(member(policy, 'spec', 'targetRefs'))
  const kinds = new Set(targets.map((target) => (member(target, 'kind') === 'Gateway' ? 'Gateway' : 'route')))
  const named = new Set(targets.map((target) => JSON.stringify([member(target, 'kind'), member(target, 'name')])))
  const limits = items(member(policy, 'spec', 'rateLimit', 'local', 'rules'))
  const isContradictory = (limit: Json): boolean =>
    member(limit, 'delay') !== undefined && member(limit, 'noDelay') === true
  return kinds.size < 2 && named.size === targets.length && !limits.some(isContradictory)
}
