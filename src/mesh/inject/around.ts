/** What manifests say of the namespaces of the workloads beside them. */
import { isObject, type JsonObject } from '../../json/member.ts'
import { textAt } from '../../kubernetes/conditions.ts'
import { stringsOf } from '../pods.ts'
import type { NamespaceFacts } from './left-alone.ts'
import type { NamespaceLimits } from './room.ts'
import { listItems } from './workload.ts'

/** What is known of the namespace of an object. */
export type NamespaceLookup = (object: JsonObject) => NamespaceFacts

const NO_LIMITS: NamespaceLimits = { limitRanges: [], resourceQuotas: [] }

/** LimitRanges and ResourceQuotas by namespace; empty for those that name none. */
export function limitsByNamespace(objects: readonly JsonObject[]): (namespace: string) => NamespaceLimits {
  const byNamespace = new Map<string, { limitRanges: JsonObject[]; resourceQuotas: JsonObject[] }>()
  for (const object of objects) {
    const namespace = namespaceOf(object)
    const own = byNamespace.get(namespace) ?? { limitRanges: [], resourceQuotas: [] }
    byNamespace.set(namespace, own)
    if (object.kind === 'LimitRange') own.limitRanges.push(object)
    else own.resourceQuotas.push(object)
  }
  return (namespace) => byNamespace.get(namespace) ?? NO_LIMITS
}

const namespaceOf = ({ metadata }: JsonObject): string => textAt(metadata, 'namespace') ?? ''

/** Looks up namespaces among the values of documents; those that are not there have neither labels nor limits. */
export function factsAmong(values: readonly unknown[]): NamespaceLookup {
  const objects = values
    .filter(isObject)
    .flatMap((value) => listItems(value) ?? [value])
    .filter(isObject)
    .filter(({ apiVersion }) => apiVersion === 'v1')
  const limitsOf = limitsByNamespace(objects.filter(({ kind }) => kind === 'LimitRange' || kind === 'ResourceQuota'))
  const labels = new Map(
    objects
      .filter(({ kind, metadata }) => kind === 'Namespace' && isObject(metadata))
      .map(({ metadata }) => [
        textAt(metadata, 'name'),
        stringsOf(isObject(metadata) && isObject(metadata.labels) ? metadata.labels : undefined),
      ]),
  )
  return (object) => ({ labels: labels.get(namespaceOf(object)) ?? {}, limits: limitsOf(namespaceOf(object)) })
}
