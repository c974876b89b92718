/** `sluice lint` with the objects of a cluster: `test/fixtures/cluster/lint.txtar`. */

import { expect, it } from 'vitest'
import { inject } from '../../src/mesh/inject/inject.ts'
import { readInjectFixtures } from '../mesh/inject-fixtures.ts'
import { useCluster } from './cluster.ts'
import { must } from './kubectl.ts'
import { gateway, limited, namespace, policy, serviceAccount } from './resources.ts'
import { describeInCluster } from './transcripts.ts'

const cluster = useCluster({
  objects: [
    namespace('shop'),
    gateway('edge'),
    policy('good', ['Gateway/edge']),
    limited('zero', { rate: '0r/s' }),
    policy('lost', ['Gateway/nowhere'], {}, 'shop'),
    gateway('counter', 'shop'),
    limited('none', { rate: '0r/s' }, 'shop', 'Gateway/counter'),
    namespace('pruned'),
    gateway('edge', 'pruned'),
  ],
})
describeInCluster(cluster, 'lint')

/** What `sluice inject` makes of each fixture is accepted by the real API server, which would create it. */

const { kubectl } = useCluster({ objects: [serviceAccount('default')] })

const CUSTOM = /^apiVersion: [\w-]+\.[\w.-]+\//m

const texts = readInjectFixtures().flatMap(({ name, text, options }) => {
  const outcome = inject(text, options)
  if (!outcome.ok || outcome.unread.length > 0) return []
  // In a dry run the namespaces of a text do not come to be.
  if (outcome.objects.some(({ kind }) => kind === 'Namespace')) return []
  // The API server does not serve the custom kinds, each of which is a document of its own.
  const documents = outcome.text.split(/^---\n/m)
  const own = documents.filter((document) => !CUSTOM.test(document))
  return [{ name, text: own.join('---\n'), count: outcome.objects.length - documents.length + own.length }]
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
