/** The controller as it runs: watches a cluster, and has the leader of its replicas write the statuses. */
import type { Clock } from '../cluster/client/clock.ts'
import { reasonOf, statusOf } from '../cluster/client/failure.ts'
import type { KubeConfig } from '../cluster/client/library.ts'
import { electLeader } from '../cluster/lease/leader.ts'
import type { LeasePlace } from '../cluster/lease/lease.ts'
import { withStatusOf } from '../cluster/watch/compacted.ts'
import { type ClusterWatch, watchCluster } from '../cluster/watch/watch.ts'
import { ownerOfGateway } from '../gateway/force/owner.ts'
import type { OwnLookups } from '../gateway/lookups/lookups.ts'
import type { StatusOptions } from '../gateway/status/status.ts'
import { GATEWAY_SYSTEM } from '../gateway/system.ts'
import type { Log } from '../http/log.ts'
import { type Metrics, registerSynced, registerWatches } from '../http/metrics.ts'
import { type ApiNames, apiNames } from '../kubernetes/api-groups.ts'
import { fullName } from '../kubernetes/metadata.ts'
import { takeWorld } from '../live/world.ts'
import { kubernetesTime } from '../queries/status.ts'
import type { Settings } from '../settings/settings.ts'
import { kindTable } from '../world/kinds.ts'
import { type ControllerMetrics, createControllerMetrics } from './metrics.ts'
import { type Enforcement, type NginxOptions, startEnforcement } from './nginx/enforcement.ts'
import { createInvalidity, planWrites } from './plan.ts'
import { createQueue, type QueueOptions } from './queue.ts'
import { createRounds } from './rounds.ts'
import { createTeller, FIELD_MANAGER, performWrite, type StatusWrite } from './write.ts'

export type ControllerOptions = {
  readonly kubeconfig: KubeConfig
  /** `now` goes on steadily; it need not be the time of day. */
  readonly clock: Clock
  /** Milliseconds since 1970. */
  wallClock(): number
  readonly settings: Settings
  /** The name in the statuses that are written; undefined: that of the specification. */
  readonly controllerName: string | undefined
  /** The controller whose Gateways count, where it is another one. */
  readonly gatewayController: string | undefined
  /** Undefined where only statuses are written. */
  readonly nginx: NginxOptions | undefined
  readonly lease: LeasePlace
  /** Another one for each replica. */
  readonly identity: string
  readonly log: Log
  readonly metrics: Metrics
}

export type Controller = {
  /** Why statuses cannot be written yet; undefined once they can. */
  notReady(): string | undefined
  /** From now on other settings hold; other API groups need a new start. */
  useSettings(settings: Settings): void
  /** Lets the writes end that have begun, gives the Lease back, and leaves nginx, or ends it after some milliseconds. */
  stop(grace: number): Promise<void>
}

const SYSTEMS = [GATEWAY_SYSTEM]

/** Starts. Never throws and needs no API server. */
export function startController(options: ControllerOptions): Controller {
  const { kubeconfig, clock, log, metrics } = options
  const names = apiNames(options.settings.apiGroups)
  let { settings } = options

  const watch = watchCluster(kubeconfig, {
    names,
    systems: SYSTEMS,
    clock,
    keep: withStatusOf(FIELD_MANAGER),
    changed: () => rounds.schedule(),
  })
  const leader = electLeader({
    ...options,
    place: options.lease,
    changed() {
      log.info({ leads: leader.isLeader() }, 'another leader')
      rounds.schedule()
    },
    failed: warning(log, 'the Lease cannot be read or written; will try again'),
  })
  const enforcement =
    options.nginx &&
    startEnforcement({
      ...options,
      ...options.nginx,
      changed: () => rounds.schedule(),
      failed: warning(log, 'what nginx refuses cannot be told to other replicas; will try again'),
    })
  const notReady = () => {
    const { synced, notSynced } = watch.view()
    return synced ? enforcement?.notReady() : `waiting for ${notSynced.join(', ')}`
  }
  const isActive = () => leader.isLeader() && notReady() === undefined
  const counted = createControllerMetrics(metrics, { isLeader: leader.isLeader, waiting: () => queue.size() })
  const queue = createQueue({
    clock,
    mayWrite: isActive,
    again: () => rounds.schedule(),
    perform: writerTo(options, names),
    ...reporter(log, counted),
  })
  const current = () => ({ watch, enforcement, settings, options: statusOptions({ ...options, settings }, names) })
  const compare = createComparison(counted)
  const tell = createTeller(options, leader.isLeader)
  const runNginx = async (): Promise<void> => {
    if (enforcement && notReady() === undefined) tell(await enforce(current(), enforcement), enforcement.problems())
  }
  const rounds = createRounds({
    clock,
    enforce: enforcement && runNginx,
    compare: () => isActive() && queue.offer(compare(current())),
    failed: (error) => log.error({ error }, 'a fault in sluice: statuses stay as they are until something changes'),
  })
  registerWatches(metrics, watch.state)
  registerSynced(metrics, () => watch.view().synced)
  rounds.schedule()
  return {
    notReady,
    useSettings(next) {
      settings = next
      rounds.schedule()
    },
    async stop(grace) {
      await rounds.stop()
      await queue.stop()
      await leader.stop()
      await enforcement?.stop(grace)
      watch.stop()
    },
  }
}

const warning = (log: Log, message: string) => (reason: string) => log.warn({ reason }, message)

/** What is known, and how statuses are written. */
type Current = {
  readonly watch: Pick<ClusterWatch<OwnLookups>, 'objects' | 'view'>
  readonly enforcement: Enforcement | undefined
  readonly settings: Settings
  readonly options: StatusOptions
}

/** Has each own Gateway's nginx run what the cluster says; gives those Gateways. */
async function enforce({ watch, settings, options }: Current, enforcement: Enforcement) {
  const world = takeWorld(watch.objects, settings, options)
  const own = world.gateways.filter((one) => ownerOfGateway(one, world.lookups) === 'own')
  await enforcement.apply(world, own)
  return own
}

/** What compares statuses. Of a policy that nginx has taken it is not said that nginx will refuse it. */
function createComparison(counted: ControllerMetrics): (current: Current) => readonly StatusWrite[] {
  const invalidityIn = createInvalidity()
  return ({ watch, enforcement, settings, options }) => {
    const begun = performance.now()
    const invalidity = invalidityIn(watch.objects, settings)
    const { writes, reasons } = planWrites({
      objects: watch.objects,
      lookups: watch.view().world.lookups,
      invalidity: (policy) => (enforcement?.isInForce(fullName(policy.identity)) ? undefined : invalidity(policy)),
      refusal: (policy) => enforcement?.refusal(fullName(policy.identity)),
      options,
    })
    counted.planned((performance.now() - begun) / 1000, reasons)
    return writes
  }
}

function statusOptions({ settings, ...options }: ControllerOptions, names: ApiNames): StatusOptions {
  const { conflict, affectedRoutes, fabricVersion } = settings
  const controllerName = options.controllerName ?? names.controllerName
  return {
    conflict,
    affectedRoutes,
    fabricVersion,
    controllerName,
    gatewayController: options.gatewayController ?? controllerName,
    ownsClassless: false,
    gatewayGroup: names.gatewayGroup,
    now: kubernetesTime(new Date(options.wallClock()).toISOString()) ?? '',
    isLive: true,
  }
}

/** What makes a write. */
function writerTo(options: ControllerOptions, names: ApiNames): (write: StatusWrite) => Promise<void> {
  const plurals = new Map(kindTable(SYSTEMS, names).kinds.map(({ kind, resource }) => [kind, resource?.plural ?? '']))
  return (write) =>
    performWrite(write, {
      ...options,
      pluralOf: (kind) => plurals.get(kind) ?? '',
      eventFailed: (error) =>
        options.log.warn({ object: write.key, reason: reasonOf(error) }, 'the event could not be created'),
    })
}

/** Counts writes, and says in the log what came of them. */
const reporter = (log: Log, counted: ControllerMetrics): Pick<QueueOptions, 'written' | 'failed'> => ({
  written({ key, about }) {
    counted.write(about.kind, 'written')
    log.debug({ object: key }, 'the status is written')
  },
  failed({ key, about }, error, delay) {
    const isOutdated = statusOf(error) === 409 || statusOf(error) === 404
    counted.write(about.kind, isOutdated ? 'outdated' : 'failed')
    if (isOutdated) log.debug({ object: key }, 'the object has changed; its status is compared again')
    else log.warn({ object: key, reason: reasonOf(error), delay }, 'the status could not be written; will try again')
  },
})
