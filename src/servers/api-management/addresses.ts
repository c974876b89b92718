/** Where a proxy takes requests, so that no two take the same ones. */
import { placeOf } from '../../api-management/render/plan.ts'
import { isObject, type JsonObject } from '../../json/member.ts'

/** Hostnames with paths; none for a proxy that has neither a hostname nor an ingress, as one of policies alone. */
export function addressesOf(body: JsonObject): readonly string[] {
  const { proxyConfig } = body
  if (!isObject(proxyConfig)) return []
  const { hostname: own, ingress, grpcIngress } = proxyConfig
  if (own === undefined && ingress === undefined && grpcIngress === undefined) return []
  const { hostname, paths } = placeOf(body)
  return paths.map((path) => `${hostname ?? ''}${path}`)
}
