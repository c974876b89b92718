/** The controller against a real API server: `test/fixtures/cluster/controller.txtar`. */
import { useCluster } from './cluster.ts'
import { OWN, useControllers } from './controllers.ts'
import { gatewayClass } from './resources.ts'
import { describeInCluster } from './transcripts.ts'

const cluster = useCluster({ objects: [gatewayClass('nginx', OWN), gatewayClass('theirs', 'example.com/other')] })
describeInCluster(cluster, 'controller', useControllers(cluster))
