/** How many policies the webhook looks at when a route of theirs changes. All else: `test/fixtures/http/admission/`. */
import { expect, it } from 'vitest'
import { worldOfObjects } from '../subjects.ts'
import { createWebhook, policyOf, reviewOf } from './reviews.ts'

const ROUTE = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name: 'coffee', namespace: 'shop' },
  spec: { parentRefs: [{ name: 'edge' }] },
}

it('looks at 200 policies and no more, and reports each of these', async () => {
  const warningsAbout = async (count: number) => {
    const policies = Array.from({ length: count }, (_, index) => policyOf({ metadata: { name: `slow-${index}` } }))
    const { ask } = createWebhook({ world: worldOfObjects(ROUTE, ...policies) })
    const review = reviewOf({ operation: 'DELETE', object: null, oldObject: ROUTE })
    const { warnings = [] } = await ask('/observe', review)
    const more = /^and (\d+) more findings/.exec(warnings.at(-1) ?? '')?.[1]
    return warnings.length - 1 + Number(more)
  }
  // Each of them loses its last target, and names a route that does not exist.
  expect(await warningsAbout(199)).toBe(398)
  expect(await warningsAbout(200)).toBe(400)
  expect(await warningsAbout(201)).toBe(400)
})
