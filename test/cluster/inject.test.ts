/** What `sluice inject` makes of each fixture is accepted by the real API server, which would create it. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { inject } from '../../src/mesh/inject/inject.ts'
import { readInjectFixtures } from '../mesh/inject-fixtures.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { createKubectl, type Kubectl, must } from './kubectl.ts'
import { ADMIN } from './users.ts'

let plane: ControlPlane
let kubectl: Kubectl

beforeAll(async () => {
  plane = await startControlPlane()
  kubectl = createKubectl(plane.kubeconfig(ADMIN))
  // The controller of service accounts, which would make it, does not run here; Pods need one.
  await must(kubectl('create serviceaccount default -n default'))
})
afterAll(() => plane.stop())

const texts = readInjectFixtures().flatMap(({ name, text, options }) => {
  const outcome = inject(text, options)
  return outcome.ok ? [{ name, text: outcome.text, count: outcome.objects.length }] : []
})

it.each(texts)('$name', async ({ text, count }) => {
  const created = await must(kubectl('create --dry-run=server --validate=strict -o name -f -', text))
  expect(created.trim().split('\n')).toHaveLength(count)
})

it('refuses a sidecar that is there twice, so that it would notice', async () => {
  const text = texts.find(({ name }) => name === 'shop.yaml')?.text ?? ''
  const said = await kubectl(
    'create --dry-run=server -f -',
    text.replaceAll('name: app # main', 'name: nginx-mesh-sidecar'),
  )
  expect(said.stderr).toMatch(/Duplicate value: "nginx-mesh-sidecar"/)
})
