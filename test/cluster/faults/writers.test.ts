/** Several tools that write the same policies: `test/fixtures/cluster/writers.txtar`. */
import { useCluster, useWebhook } from '../cluster.ts'
import { gateway, namespace } from '../resources.ts'
import { describeInCluster } from '../transcripts.ts'

const cluster = useCluster({
  objects: [namespace('shared', { 'sluice.policy/mutate': 'enabled' }), gateway('edge', 'shared')],
})
const webhook = useWebhook(cluster, { failurePolicy: 'Fail' })

/** Stops the webhook, starts it again, or has the API server ask it with another failure policy. */
async function change(how = ''): Promise<string> {
  if (how === 'stop') await webhook.server.stop()
  else if (how === 'start') await webhook.restart()
  else await webhook.install(how === 'Ignore' ? 'Ignore' : 'Fail')
  return ''
}
describeInCluster(cluster, 'writers', { words: { webhook: change } })
