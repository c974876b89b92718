/** What the limits of published proxies did, live: for statuses, metrics, and those who watch. */
import type { Log } from '../../http/log.ts'
import type { JsonObject } from '../../json/member.ts'
import { NO_REQUESTS } from '../../publication/requests.ts'
import type { Store, StoredProxy } from '../../store/store.ts'
import type { Feed } from './events.ts'
import type { ManagementMetrics } from './metrics.ts'
import type { OwnGateway } from './publication.ts'

/** The counts while the server runs. */
export type LiveRequests = {
  /** Of a proxy that a gateway of this server can have; undefined where nothing is counted. */
  of(id: string): JsonObject | undefined
  stop(): void
}

export type LiveRequestsOptions = {
  readonly store: Store
  readonly publisher: OwnGateway | undefined
  readonly feed: Pick<Feed, 'tell' | 'isFollowed'>
  readonly metrics: Pick<ManagementMetrics, 'proxyRequests'>
  readonly log: Log
  wallClock(): number
}

/** Milliseconds between two looks at the log. */
const TICK = 1_000

/** Proxies of which those who watch are told at once: more wait for the next look. */
const MOST_TOLD = 200

/** The event. It is not kept: each says all, and the next one comes in a second. */
const REQUESTS_EVENT = 'proxy.requests'

export function createLiveRequests({ publisher, ...options }: LiveRequestsOptions): LiveRequests {
  const requests = publisher?.requests
  if (!requests) return { of: () => undefined, stop() {} }
  const { store, feed, metrics, log } = options
  const since = new Date(options.wallClock()).toISOString()
  const shown = (id: string): JsonObject => ({ since, ...requests.of(id) })
  const untold = new Set<string>()
  let isBroken = false
  let isTelling = false
  const tell = async () => {
    for (const id of [...untold].slice(0, MOST_TOLD)) {
      untold.delete(id)
      const proxy = await store.proxyById(id)
      if (proxy) feed.tell(REQUESTS_EVENT, proxy.workspace, { ...placeOf(proxy), requests: shown(id) })
    }
  }
  const look = () => {
    try {
      for (const id of requests.read()) untold.add(id)
      isBroken = false
    } catch (error) {
      if (!isBroken) log.warn({ error }, 'the requests of proxies are not counted: the log of nginx cannot be read')
      isBroken = true
    }
    if (!feed.isFollowed()) untold.clear()
    if (isTelling || untold.size === 0) return
    isTelling = true
    tell()
      .catch((error: unknown) => log.warn({ error }, 'counts of requests could not be told'))
      .finally(() => {
        isTelling = false
      })
  }
  metrics.proxyRequests(async () => {
    look()
    const heads = await store.proxyHeads()
    return heads.flatMap(({ id, workspace, ...head }) => {
      const counts = requests.of(id)
      return counts === NO_REQUESTS ? [] : [{ labels: { workspace, ...placeOf(head) }, counts }]
    })
  })
  const timer = setInterval(look, TICK).unref()
  return { of: shown, stop: () => clearInterval(timer) }
}

const placeOf = ({ name, hostname, version }: Pick<StoredProxy, 'name' | 'hostname' | 'version'>) => ({
  name,
  hostname,
  version,
})
