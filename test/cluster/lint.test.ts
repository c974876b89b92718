/** `sluice lint` with the objects of a cluster: `test/fixtures/cluster/lint.txtar`. */
import { useCluster } from './cluster.ts'
import { gateway, limited, namespace, policy } from './resources.ts'
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
