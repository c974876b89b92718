/**
 * Which policies the API server accepts: only those reach the controller, so only those can conflict with others, be
 * accepted, and be rendered. What nginx rejects afterwards does not count here. Source: the CRD's schema and its CEL
 * rules; Kubernetes, names of objects.
 */
import { nameProblems } from '../../kubernetes/names.ts'
import { isPlaceholder } from '../../text/placeholder.ts'
import { cachedBy } from '../../world/cache.ts'
import { isRouteKind, type PolicyView } from '../objects/policy.ts'
import { everyViolation } from './violations.ts'

/**
 * Why the API server rejects a policy, as the end of a sentence; undefined where it accepts the policy. Unknown fields
 * are merely dropped, and nothing is known of a value that is filled in later.
 */
export const apiRejection = cachedBy((policy: PolicyView): string | undefined => {
  const { apiVersion, names } = policy
  if (apiVersion.value !== names.policyApiVersion) return `its apiVersion is not ${names.policyApiVersion}`
  return nameRejection(policy) ?? schemaRejection(policy) ?? targetRejection(policy) ?? limitRejection(policy)
})

function nameRejection({ metadata }: PolicyView): string | undefined {
  if (!metadata.name.raw && !metadata.generateName.raw) return 'it has no name'
  const problem = nameProblems(metadata).find(({ raw, pointer }) => !isPlaceholder(raw, pointer))
  return problem && `${problem.pointer} is not a valid object name`
}

/** The CRD of a distribution names its own group in the schema, so groups are compared with the names of the cluster. */
function schemaRejection(policy: PolicyView): string | undefined {
  const violation = everyViolation(policy).find(
    ({ keyword, pattern, pointer, actual }) =>
      keyword !== 'additionalProperties' &&
      !(keyword === 'enum' && pattern === '/spec/targetRefs/*/group') &&
      !isPlaceholder(actual, pointer),
  )
  if (violation) return `${violation.pointer} does not meet the schema (${violation.keyword})`
  const { gatewayGroup } = policy.names
  const target = policy.targets.find(
    ({ group }) => group.value !== gatewayGroup && !isPlaceholder(group.raw, group.pointer),
  )
  return target && `${target.group.pointer} is not ${gatewayGroup}`
}

function targetRejection({ targets }: PolicyView): string | undefined {
  const kinds = targets.map(({ kind }) => kind.value)
  const isMixed = kinds.includes('Gateway') && kinds.some((kind) => kind !== undefined && isRouteKind(kind))
  if (isMixed) return 'it targets both a Gateway and routes'
  const identities = targets.map(({ kind, name }) => `${kind.raw}/${name.value}`)
  return new Set(identities).size < identities.length ? 'it names a target twice' : undefined
}

function limitRejection({ limits }: PolicyView): string | undefined {
  const both = limits.find(({ delay, noDelay }) => noDelay.value === true && delay.value !== undefined)
  return both && `${both.pointer} has delay and noDelay`
}
