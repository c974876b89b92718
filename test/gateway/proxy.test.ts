import { describe, expect, it } from 'vitest'
import { hidesClients, mergeProxies, readProxy } from '../../src/gateway/objects/proxy.ts'
import type { Json, JsonObject } from '../../src/json/member.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

const proxy = (service: Json, more: JsonObject = {}) =>
  readProxy({ metadata: { name: 'edge', namespace: 'shop' }, spec: { kubernetes: { service }, ...more } })

describe('proxies see nodes instead of clients', () => {
  each<[Json, JsonObject, boolean]>('behind %j with %j: %s', (service, more, expected) =>
    expect(hidesClients(proxy(service, more))).toBe(expected),
  )

  it('where the settings of a Gateway override those of its class', () => {
    const [cluster, local] = [proxy({ externalTrafficPolicy: 'Cluster' }), proxy({ externalTrafficPolicy: 'Local' })]
    expect(hidesClients(mergeProxies(local, cluster))).toBe(true)
    expect(hidesClients(mergeProxies(cluster, local))).toBe(false)
    expect(hidesClients(mergeProxies(cluster, proxy(null)))).toBe(true)
    expect(hidesClients(mergeProxies(proxy(null, { rewriteClientIP: {} }), cluster))).toBe(false)
  })
})
