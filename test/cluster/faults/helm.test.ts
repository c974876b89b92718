/** Helm as the tool that writes policies, beside kubectl: `test/fixtures/cluster/helm.txtar`. */
import { describe } from 'vitest'
import { findHelm } from '../../../scripts/helm.ts'
import { useCluster, useWebhook } from '../cluster.ts'
import { gateway, namespace } from '../resources.ts'
import { describeInCluster } from '../transcripts.ts'

const helm = findHelm()

describe.skipIf(helm === undefined && process.env.CI === undefined)('a release of Helm', () => {
  const cluster = useCluster({
    objects: [namespace('released', { 'sluice.policy/mutate': 'enabled' }), gateway('edge', 'released')],
  })
  useWebhook(cluster, { failurePolicy: 'Fail' })
  describeInCluster(cluster, 'helm', { variables: { HELM: helm ?? 'helm' } })
})
