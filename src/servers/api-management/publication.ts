/** Puts what is stored into force, and stores what came of it. */
import type { Published, PublishedProxy } from '../../api-management/render/published.ts'
import type { Log } from '../../http/log.ts'
import type { JsonObject } from '../../json/member.ts'
import type { ProxyOutcome } from '../../publication/outcomes.ts'
import type { Publisher } from '../../publication/publisher.ts'
import type { Change, Environment, ProxyState, Store } from '../../store/store.ts'
import { eventOf } from './events.ts'
import type { ManagementMetrics } from './metrics.ts'

/** The name of the nginx that this server runs, among the gateways of an environment. */
export const OWN_GATEWAY = 'local'

/** What drives that nginx. */
export type OwnGateway = Pick<Publisher, 'publish' | 'inForce' | 'pid' | 'stop'> &
  Partial<Pick<Publisher, 'problemOf' | 'refusalOf' | 'requests'>>

/** A proxy that is to be put into force. */
export const PUBLISHING: ProxyState = {
  state: 'CONFIGURING',
  reason: 'Publishing',
  message: 'the gateway does not have it yet',
}

/** What publishes after each change. */
export type Publication = {
  /** True where there is a gateway to publish to. */
  readonly hasGateway: boolean
  /** Why the gateway cannot have a proxy with this body, in sentences; undefined where it can, or nothing is known of it. */
  problemOf(body: JsonObject): string | undefined
  /** Why the gateway refuses global policies, in its words; undefined where it does not, or nothing is known of it. */
  refusalOf(policies: JsonObject): Promise<string | undefined>
  /** Changes were committed. */
  changed(changes: readonly Change[]): void
  publishAll(): void
  /**
   * Takes back the states of proxies that the gateway does not serve, such as those from before it ended. Resolves when they
   * are stored, or cannot be.
   */
  verify(): Promise<void>
  /** Waits for what is being published, and stops the publisher, which has `grace` milliseconds. */
  stop(grace: number): Promise<void>
}

export type PublicationOptions = {
  readonly store: Store
  readonly publisher: OwnGateway | undefined
  readonly log: Log
  readonly metrics: Pick<ManagementMetrics, 'publication'>
  wallClock(): number
  /** Called when states were stored. */
  onChange(): void
}

/** Milliseconds until what failed for another reason than its content is tried again. */
const RETRY = 5_000

const WITHOUT_GATEWAY: Publication = {
  ...{ hasGateway: false, problemOf: () => undefined, refusalOf: async () => undefined },
  ...{ changed() {}, publishAll() {} },
  ...{ verify: async () => {}, stop: async () => {} },
}

const questionsTo = (gateway: OwnGateway): Pick<Publication, 'hasGateway' | 'problemOf' | 'refusalOf'> => ({
  hasGateway: true,
  problemOf: (body) => gateway.problemOf?.(body),
  refusalOf: async (policies) => gateway.refusalOf?.(policies),
})

/** Creates it. At most one publication is under way; the next one has everything that changed meanwhile. */
export function createPublication(options: PublicationOptions): Publication {
  const { store, publisher, log, metrics } = options
  if (!publisher) return WITHOUT_GATEWAY
  const bodies = createBodies(store)
  /** The change of each proxy that came last, by its number. */
  const touched = new Map<string, number>()
  let number = 0
  let isDirty = false
  /** True where states may be of a gateway that has ended. */
  let isDoubtful = false
  let isStopped = false
  let running: Promise<void> | undefined
  let retry: NodeJS.Timeout | undefined
  const once = async () => {
    const begun = performance.now()
    isDirty = false
    const seen = number
    const published = await collect(store, bodies)
    const outcomes = await publisher.publish(published)
    metrics.publication((performance.now() - begun) / 1000)
    const current = [...outcomes].filter(([id]) => (touched.get(id) ?? 0) <= seen)
    await saveOutcomes(current, options)
    // Nothing else says that a port is free again, or a disk has space.
    if (current.some(([, outcome]) => couldNotBeAsked(outcome))) retry ??= setTimeout(publishAll, RETRY)
  }
  const run = async () => {
    while ((isDirty || isDoubtful) && !isStopped) {
      if (isDoubtful) {
        isDoubtful = false
        await takeBack(await collect(store, bodies), publisher, options)
      } else await once()
    }
  }
  const start = () => {
    clearTimeout(retry)
    retry = undefined
    running ??= run()
      .catch((error: unknown) => {
        metrics.publication(undefined)
        log.error({ error }, 'what is stored could not be published; will try again')
        retry = setTimeout(publishAll, RETRY)
      })
      .finally(() => {
        running = undefined
        // A change may have come after the last look at it.
        if ((isDirty || isDoubtful) && !isStopped && !retry) void start()
      })
    return running
  }
  const publishAll = () => {
    isDirty = true
    void start()
  }
  return {
    ...questionsTo(publisher),
    changed(changes) {
      const isRelevant = changes.some((change) => touches(change))
      number += 1
      for (const change of changes) {
        const id = touchedBy(change)
        if (id !== undefined) touched.set(id, number)
      }
      if (isRelevant) publishAll()
    },
    publishAll,
    async verify() {
      isDoubtful = true
      await start()
    },
    async stop(grace) {
      isStopped = true
      clearTimeout(retry)
      // Ends what is being published, too.
      const stopped = publisher.stop(grace)
      await running
      await stopped
    },
  }
}

type Saving = Pick<PublicationOptions, 'store' | 'wallClock' | 'onChange'>

async function save(changes: readonly Change[], { store, onChange }: Saving): Promise<void> {
  if (changes.length === 0) return
  await store.commit(changes)
  onChange()
}

const couldNotBeAsked = (outcome: ProxyOutcome): boolean => 'reason' in outcome && outcome.reason === 'NginxFailed'

async function saveOutcomes(outcomes: readonly [string, ProxyOutcome][], options: Saving): Promise<void> {
  const changes: Change[] = []
  for (const [id, outcome] of outcomes)
    changes.push(...(await changesOf(options.store, { id, ...stateIn(outcome), now: options.wallClock() })))
  await save(changes, options)
}

/** Takes back the states of proxies that the gateway does not serve. */
async function takeBack({ proxies, ...published }: Published, gateway: OwnGateway, options: Saving): Promise<void> {
  const inForce = gateway.inForce({ proxies, ...published })
  // Where no gateway runs, a failure is of one before it, too.
  const doubtful = gateway.pid() === undefined ? ['SUCCESS', 'FAILED'] : ['SUCCESS']
  const changes: Change[] = []
  for (const { id, revision } of proxies.filter((one) => !inForce.has(one.id))) {
    const taken = { id, revision, value: PUBLISHING, now: options.wallClock(), only: doubtful }
    changes.push(...(await changesOf(options.store, taken)))
  }
  await save(changes, options)
}

const touches = (change: Change): boolean =>
  ('put' in change && (change.put === 'proxy' || change.put === 'environment' || isAgain(change))) ||
  ('claim' in change && change.claim.isAssigned) ||
  ('unclaim' in change && !change.ifUnused) ||
  ('remove' in change && change.remove !== 'workspace')

/** A proxy that was refused is tried again. */
const isAgain = (change: Change): boolean => 'put' in change && change.put === 'state' && change.value === PUBLISHING

function touchedBy(change: Change): string | undefined {
  if ('put' in change && change.put === 'proxy') return change.value.id
  return 'put' in change && change.put === 'state' ? change.id : undefined
}

type Stored = { readonly revision: number; readonly body: JsonObject; readonly isAddressed: boolean }

/** The bodies of proxies by their ids: those that have not changed are not read again. */
function createBodies(store: Store) {
  let known = new Map<string, Stored>()
  return async (heads: readonly { readonly id: string; readonly revision: number }[]) => {
    const next = new Map<string, Stored>()
    for (const { id, revision } of heads) {
      const before = known.get(id)
      const proxy = before?.revision === revision ? undefined : await store.proxyById(id)
      const { addresses = [] } = proxy ?? {}
      const read = proxy && { revision: proxy.revision, body: proxy.body, isAddressed: addresses.length > 0 }
      const stored = read ?? before
      if (stored) next.set(id, stored)
    }
    known = next
    return next
  }
}

/** Everything that the gateway of this server serves. Names of environments are those of workspaces, too. */
async function collect(store: Store, bodies: ReturnType<typeof createBodies>): Promise<Published> {
  const served = (await store.allEnvironments()).filter(({ gateways }) => gateways.includes(OWN_GATEWAY))
  const names = new Set(served.map(nameOf))
  const heads = (await store.proxyHeads()).filter((head) => names.has(nameOf({ ...head, name: head.environment })))
  const known = await bodies(heads)
  const proxies = heads.flatMap(({ id, workspace, environment }): readonly PublishedProxy[] => {
    const stored = known.get(id)
    if (!stored?.isAddressed) return []
    const { revision, body } = stored
    return [{ id, workspace, environment: nameOf({ workspace, name: environment }), revision, body }]
  })
  const environments = served.map((one) => ({ name: nameOf(one), policies: one.policies }))
  return { proxies, environments, reserved: await store.assignedHostnames() }
}

const nameOf = ({ workspace, name }: Pick<Environment, 'workspace' | 'name'>): string => `${workspace}/${name}`

type Result = {
  readonly id: string
  /** The revision that the state is about. */
  readonly revision: number
  readonly value: ProxyState
  readonly now: number
  /** The states that it replaces; default: all. */
  readonly only?: readonly string[]
}

const stateIn = ({ revision, ...outcome }: ProxyOutcome): Pick<Result, 'revision' | 'value'> => ({
  revision,
  value: outcome.state === 'SUCCESS' ? { state: 'SUCCESS', reason: '', message: '' } : outcome,
})

/** The state of a proxy, where it is another one than before. */
async function changesOf(store: Store, { id, revision: about, value, now, only }: Result): Promise<readonly Change[]> {
  const proxy = await store.proxyById(id)
  if (!proxy || proxy.revision !== about || only?.includes(proxy.state) === false) return []
  if (proxy.state === value.state && proxy.reason === value.reason && proxy.message === value.message) return []
  const { workspace, name, hostname, version, revision } = proxy
  const why = value.state === 'SUCCESS' ? {} : { reason: value.reason, message: value.message }
  return [
    { put: 'state', id, expected: revision, value },
    eventOf('proxy.state', now, workspace, { name, hostname, version, revision, state: value.state, ...why }),
  ]
}
