/**
 * What an author wrote and the API server dropped. A client without strict validation sends a field that the schema does
 * not know, and gets no warning; kubectl keeps what was sent in an annotation. Managed fields hold no values, and a
 * server-side apply is refused, so nothing else does. Source: kubectl, declarative management of objects.
 */
import { asList, asObject, asString, isObject, type Json, type JsonObject, member } from '../../json/member.ts'
import { cachedBy } from '../../world/cache.ts'

/** The annotation in which kubectl keeps what was applied last. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

const NONE: ReadonlyMap<number, string> = new Map()

/** The namespaces that targets of a stored policy named when it was applied, by position in `targetRefs`. */
export const prunedNamespaces = (object: JsonObject): ReadonlyMap<number, string> =>
  mayNameNamespace(lastApplied(object) ?? '') ? namespacesNamed(object) : NONE

/** False for most: metadata, which nearly always has a namespace, stands before the targets. */
function mayNameNamespace(text: string): boolean {
  const targets = text.indexOf('"targetRefs"')
  return targets >= 0 && text.includes('"namespace"', targets)
}

function lastApplied(object: JsonObject): string | undefined {
  const annotations = isObject(object.metadata) ? object.metadata.annotations : undefined
  const text = isObject(annotations) ? annotations[LAST_APPLIED] : undefined
  return typeof text === 'string' ? text : undefined
}

const namespacesNamed = cachedBy((object: JsonObject): ReadonlyMap<number, string> => {
  const applied = targetsOf(parsed(lastApplied(object) ?? ''))
  return new Map(
    targetsOf(object).flatMap((target, index): [number, string][] => {
      if (!isObject(target) || target.namespace !== undefined) return []
      const before = applied.find((one) => isObject(one) && one.kind === target.kind && one.name === target.name)
      const namespace = before && member(before, '', 'namespace', asString).value
      return namespace ? [[index, namespace]] : []
    }),
  )
})

const targetsOf = (object: Json): readonly Json[] =>
  member(member(object, '', 'spec', asObject).value, '', 'targetRefs', asList).value ?? []

function parsed(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
