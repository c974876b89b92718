/** The metrics of the management API. Dashboards and alerts rely on their names, which docs/api-management.md lists. */
import { Counter, Gauge, Histogram } from '@prometheus-io/client'
import { type Metrics, type RequestMetrics, registerGauge, registerRequests } from '../../http/metrics.ts'
import type { Requests } from '../../publication/requests.ts'
import type { Store } from '../../store/store.ts'
import type { Refusals } from './access/refusals.ts'
import type { Sessions } from './access/sessions.ts'
import { EVENTS } from './openapi/operations.ts'

/** What is counted; the operation of a request is `none` where the path has none, `events` for a stream of events, `page`. */
export type ManagementMetrics = RequestMetrics & {
  /** All that is stored was given to the gateway, which took so many seconds; undefined where nobody knows what came of it. */
  publication(seconds: number | undefined): void
  /** Sets what is asked for the requests of proxies at each scrape. */
  proxyRequests(read: ReadProxyRequests): void
}

type ReadProxyRequests = () => Promise<
  readonly { readonly labels: Readonly<Record<string, string>>; readonly counts: Requests }[]
>

/** Upper bounds in seconds: a read takes about a millisecond, the check of a password some tenths of a second. */
const DURATIONS = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** How results are called in a metric. */
const RESULTS = [
  ['passed', 'passed'],
  ['delayed', 'delayed'],
  ['rejected', 'rejected'],
  ['delayedDryRun', 'delayed_dry_run'],
  ['rejectedDryRun', 'rejected_dry_run'],
] as const
/** What knows numbers by itself. */
type Counted = {
  readonly store: Pick<Store, 'proxyCounts'>
  readonly sessions: Pick<Sessions, 'count'>
  readonly refusals: Pick<Refusals, 'totals'>
}

/** Registers the metrics. Throws where one of the names is registered already. */
export function createManagementMetrics(metrics: Metrics, { store, sessions, refusals }: Counted): ManagementMetrics {
  const registers = [metrics]
  const requests = registerRequests(metrics, {
    total: 'sluice_management_requests_total',
    duration: 'sluice_management_request_duration_seconds',
    buckets: DURATIONS,
    untimed: { operation: EVENTS, help: 'streams of events are left out' },
  })
  const publications = new Counter({
    name: 'sluice_management_publications_total',
    help: 'Times that what is stored was given to the gateway of this server, by outcome.',
    labelNames: ['outcome'],
    registers,
  })
  const publicationDurations = new Histogram({
    name: 'sluice_management_publication_duration_seconds',
    help: 'Time until the gateway had, or refused, what is stored, in seconds.',
    buckets: DURATIONS,
    registers,
  })
  new Gauge({
    name: 'sluice_management_proxies',
    help: 'Stored proxies, by state.',
    labelNames: ['state'],
    registers,
    async collect() {
      for (const [state, count] of Object.entries(await store.proxyCounts())) this.set({ state }, count)
    },
  })
  new Counter({
    name: 'sluice_management_refused_sign_ins_total',
    help: 'Passwords and tokens that were refused, by what it was.',
    labelNames: ['what'],
    registers,
    collect() {
      this.reset()
      for (const [what, count] of Object.entries(refusals.totals())) this.inc({ what }, count)
    },
  })
  registerGauge(
    metrics,
    {
      name: 'sluice_management_sessions',
      help: 'People who are signed in at the page; who left without signing out counts until the session ends.',
    },
    sessions.count,
  )
  let readProxyRequests: ReadProxyRequests = async () => []
  new Counter({
    name: 'sluice_management_proxy_requests_total',
    help: 'Requests of published proxies since the server was started, by what their limits did.',
    labelNames: ['workspace', 'name', 'hostname', 'version', 'result'],
    registers,
    async collect() {
      this.reset()
      for (const { labels, counts } of await readProxyRequests())
        for (const [field, result] of RESULTS) this.inc({ ...labels, result }, counts[field])
    },
  })
  return {
    ...requests,
    proxyRequests(read) {
      readProxyRequests = read
    },
    publication(seconds) {
      publications.inc({ outcome: seconds === undefined ? 'failed' : 'done' })
      if (seconds !== undefined) publicationDurations.observe(seconds)
    },
  }
}
