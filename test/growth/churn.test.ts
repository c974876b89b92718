/** What a change of one object among many costs the next review, against a review where nothing has changed. */
import { expect, it } from 'vitest'
import { createReviewer } from '../../src/admission/reviewer.ts'
import { decide } from '../../src/admission/verdict.ts'
import { createStore } from '../../src/cluster/watch/store.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { REGISTRY, SYSTEMS } from '../../src/registry.ts'
import { readReview } from '../../src/servers/admission/review.ts'
import { DEFAULT_PROJECT } from '../../src/settings/settings.ts'
import { kindTable } from '../../src/world/kinds.ts'
import { noObjects, objectsByKind } from '../../src/world/objects.ts'
import { createWorldMaker } from '../../src/world/world.ts'
import { gateway, limit, namespace, policy, route } from '../cluster/resources.ts'
import { costOf } from './cost.ts'

/** Far above what it is (1.5 times at most), and far below what regrouping all objects costs (10 to 40 times). */
const MOST = 4
const MILLISECONDS = 300

/** A watched cluster whose policies are all in one namespace. */
function createCluster() {
  const stores = new Map(kindTable(SYSTEMS, apiNames()).kinds.map((kind) => [kind.kind, createStore(kind)]))
  const put = (object: JsonObject & { readonly kind: string }) => stores.get(object.kind)?.put(object)
  put(namespace('shop'))
  for (let n = 0; n < 200; n++) put(gateway(`edge-${n}`, 'shop'))
  for (let n = 0; n < 4000; n++) {
    put(route('HTTPRoute', `route-${n}`, `edge-${n % 200}`, 'shop'))
    put(policy(`policy-${n}`, [`HTTPRoute/route-${n}`], {}, 'shop'))
  }
  const makeWorld = createWorldMaker(SYSTEMS)
  const objects = objectsByKind((kind) => stores.get(kind)?.objects() ?? noObjects(true))
  const reviewer = createReviewer(DEFAULT_PROJECT, REGISTRY)
  const object = policy('policy-3', ['HTTPRoute/route-3'], { local: { rules: [limit()] } }, 'shop')
  const request = { uid: 'a', operation: 'UPDATE', namespace: 'shop', name: 'policy-3', object, oldObject: object }
  const body = Buffer.from(
    JSON.stringify({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: { ...request, dryRun: false },
    }),
  )
  const view = () => ({ world: makeWorld(objects), synced: true, notSynced: [] })
  return { put, view, review: (seen: ReturnType<typeof view>) => decide(readReview(body), reviewer, seen, 0) }
}

it('a changed object costs the next review no more than a few times an unchanged world', () => {
  const { put, view, review } = createCluster()
  const kept = view()
  expect(review(kept).allowed).toBe(true)
  const unchanged = costOf(() => review(kept), MILLISECONDS)
  const changes = {
    policy: (n: number) =>
      policy('policy-40', ['HTTPRoute/route-40'], { local: { rules: [limit({ rate: `${n}r/s` })] } }, 'shop'),
    route: () => route('HTTPRoute', 'route-40', 'edge-40', 'shop'),
    gateway: () => gateway('edge-40', 'shop'),
    namespace: (n: number) => namespace('other', { n: `${n}` }),
  }
  let n = 0
  const ratios = Object.entries(changes).map(([kind, change]) => {
    const cost = costOf(() => {
      put(change(++n))
      return review(view())
    }, MILLISECONDS)
    return { kind, ratio: cost / unchanged }
  })
  expect(ratios.filter(({ ratio }) => ratio > MOST)).toEqual([])
})
