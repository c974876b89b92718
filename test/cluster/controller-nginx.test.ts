/** The controller with a real nginx: `test/fixtures/cluster/nginx.txtar`. */
import { afterAll, afterEach } from 'vitest'
import { createFolder } from '../files/folder.ts'
import { freePort } from '../free-ports.ts'
import { useCluster } from './cluster.ts'
import { OWN, useControllers } from './controllers.ts'
import { must } from './kubectl.ts'
import { gatewayClass } from './resources.ts'
import { describeInCluster } from './transcripts.ts'

const variables = { NGINX: createFolder({}, afterAll), PORT: String(await freePort()), OTHER: String(await freePort()) }
const cluster = useCluster({ objects: [gatewayClass('nginx', OWN)] })
afterEach(() => must(cluster.kubectl('delete gateways,httproutes,ratelimitpolicies --all -A')))
const { words } = useControllers(cluster)

/** The status of a request; 0 where nobody listens. */
const statusOf = (address: string): Promise<number> =>
  fetch(`http://127.0.0.1:${address}`, { headers: { connection: 'close' } }).then(
    async (response) => {
      await response.arrayBuffer()
      return response.status
    },
    () => 0,
  )

/** The statuses of requests, one after the other. */
async function ask(...addresses: readonly string[]): Promise<string> {
  const statuses: number[] = []
  for (const address of addresses) statuses.push(await statusOf(address))
  return `${statuses.join(' ')}\n`
}

describeInCluster(cluster, 'nginx', { variables, words: { ...words, ask } })
