/** Policies that never reach a proxy, as the API server refuses them. Source: the CRD's schema and its rules; Kubernetes, names of objects. */

import type { Neighbours } from '../lookups.ts'
import { nameMistakes } from '../objects/object-name.ts'
import { isRouteKind, type PolicyView } from '../objects/policy.ts'
import { violations } from '../schema/violations.ts'

/** Why the API server refuses a policy; undefined where it takes it. Fields that nobody knows are merely dropped. */
export function refusalOf(policy: PolicyView): string | undefined {
  if (policy.identity.name === undefined) return 'it has no name'
  const [mistake] = nameMistakes(policy.metadata)
  if (mistake) return `${mistake.pointer} is no name of an object`
  const violation = violations(policy).find(({ keyword }) => keyword !== 'additionalProperties')
  if (violation) return `${violation.pointer} does not meet the schema (${violation.keyword})`
  return targetRefusal(policy) ?? limitRefusal(policy)
}

function targetRefusal({ targets }: PolicyView): string | undefined {
  const kinds = targets.map(({ kind }) => kind.value)
  const isMixed = kinds.includes('Gateway') && kinds.some((kind) => kind !== undefined && isRouteKind(kind))
  if (isMixed) return 'it targets a Gateway together with routes'
  const identities = targets.map(({ kind, name }) => `${kind.value}/${name.value}`)
  return new Set(identities).size < identities.length ? 'it names a target twice' : undefined
}

function limitRefusal({ limits }: PolicyView): string | undefined {
  const both = limits.find(({ delay, noDelay }) => noDelay.value === true && delay.value !== undefined)
  return both && `${both.pointer} has delay and noDelay`
}

const accepted = new WeakMap<readonly PolicyView[], readonly PolicyView[]>()

/** The same policies without those that the API server refuses: they neither hold nor win. */
export function withoutRefused(policies: Neighbours['policies']): Neighbours['policies'] {
  return {
    existedBefore: (policy) => policies.existedBefore(policy),
    targeting: (kind, namespace, name) => {
      const { items, complete } = policies.targeting(kind, namespace, name)
      const kept = accepted.get(items) ?? items.filter((policy) => refusalOf(policy) === undefined)
      accepted.set(items, kept)
      return { items: kept, complete }
    },
  }
}
