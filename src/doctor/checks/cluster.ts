/** The API server itself, its clock, and what the caller may read. */
import { LIVES } from '../../cluster/certificates/certificates.ts'
import { LEASE_TIMES } from '../../cluster/lease/lease.ts'
import { type Check, failure, ok, unknown, warning, whereFound } from '../judgement.ts'
import { describeNeeds } from '../rights.ts'

/** The first minor version of Kubernetes 1 that the tests of an installation run with. */
const OLDEST_MINOR = 30

export const CLUSTER_CHECKS: readonly Check[] = [
  {
    id: 'cluster/version',
    title: 'the version of Kubernetes',
    judge({ cluster }) {
      if (!cluster) return undefined
      const [, major = '0', minor = '0'] = /^v?(\d+)\.(\d+)/.exec(cluster.version) ?? []
      return Number(major) === 1 && Number(minor) < OLDEST_MINOR
        ? failure(
            `Kubernetes ${cluster.version} is older than 1.${OLDEST_MINOR}`,
            `update the cluster to Kubernetes 1.${OLDEST_MINOR} or newer`,
          )
        : ok(`Kubernetes ${cluster.version}`)
    },
  },
  {
    id: 'cluster/clock',
    title: 'the clock of the API server and the one here',
    judge({ cluster }) {
      if (!cluster) return undefined
      const seconds = Math.round(cluster.skew / 1000)
      const size = Math.abs(cluster.skew)
      const message = `the clock of the API server is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} the one here`
      const remedy = 'synchronise the clocks of the nodes and of this machine (chrony, systemd-timesyncd)'
      // Certificates are valid from before they are issued, but no longer; a Lease is lost in less than its duration.
      if (size >= LIVES.backdated) return failure(`${message}: new certificates are not valid yet`, remedy)
      if (size >= LEASE_TIMES.deadline) return warning(message, remedy)
      return ok('the clocks of the API server and of this machine agree')
    },
  },
  {
    id: 'cluster/own-rights',
    title: 'what you may read',
    judge: ({ cluster }) =>
      cluster &&
      whereFound(cluster.ownRights, 'what you may do', undefined, (rights) => {
        const missing = rights.filter(({ isAllowed }) => !isAllowed).map(({ need }) => need)
        return missing.length === 0
          ? ok('you may read everything that the checks need')
          : unknown(
              `you may not ${describeNeeds(missing)}: checks of it say "unknown"`,
              'run it as a user who may read these objects, such as one with the ClusterRole cluster-admin',
            )
      }),
  },
]
