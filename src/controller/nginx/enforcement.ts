/** An nginx for each own Gateway, in a folder of its own. */
import { join } from 'node:path'
import type { Clock } from '../../cluster/client/clock.ts'
import type { WatchedKind } from '../../cluster/client/kinds.ts'
import type { KubeConfig } from '../../cluster/client/library.ts'
import { watchKind } from '../../cluster/watch/kind-watch.ts'
import type { Addresses } from '../../gateway/render/actions.ts'
import type { NamedGateway } from '../../gateway/render/listeners.ts'
import type { Refusal } from '../../gateway/status/status.ts'
import { asObject, asString, type JsonObject, member } from '../../json/member.ts'
import { readIdentity, readMetadata } from '../../kubernetes/metadata.ts'
import type { LiveWorld } from '../../live/world.ts'
import { DriverFailure } from '../../proxy/failure.ts'
import { folderOf, type GatewayNginx, leftBehind, type NginxState, openGatewayNginx } from './gateway-nginx.ts'
import { type ReportsOptions, refusalAmong, startReports } from './reports.ts'

/** How Gateways are run. */
export type NginxOptions = {
  /** The folder with a folder for each Gateway. */
  readonly folder: string
  /** The program: a path, or a name on PATH. */
  readonly program: string
  /** The address to listen on; empty for all. IPv6 in brackets. */
  readonly address: string
  /** The port of the first listener of a Gateway; the next ones follow. Undefined: the ports of the listeners. */
  readonly firstPort: number | undefined
  /** Gets the process id of each nginx that goes on serving when the controller ends; undefined: none does. */
  readonly onLeft: ((gateway: string, pid: number) => void) | undefined
}

export type Enforcement = {
  /** Why nothing can be enforced yet; undefined once it can. */
  notReady(): string | undefined
  /** Puts what the world says into force for these Gateways, and ends the nginx of all others. */
  apply(world: LiveWorld, gateways: readonly NamedGateway[]): Promise<void>
  /** What the nginx of this replica and of others said of a policy that one refused; by `namespace/name`. */
  refusal(policy: string): Refusal | undefined
  /** True where the nginx of a Gateway has taken the policy as it is now. */
  isInForce(policy: string): boolean
  /** Why the newest configuration of a Gateway is not in force, by `namespace/name`. */
  problems(): ReadonlyMap<string, string>
  /** Leaves every nginx to the next controller, or ends it: it gets some milliseconds to finish its requests. */
  stop(grace: number): Promise<void>
}

/** `changed` is called when what nginx runs, here or in another replica, may have to be looked at again. */
type EnforcementOptions = NginxOptions & ReportsOptions

/** Milliseconds before a Gateway with a problem is tried again: doubled each time. */
const RETRY = { first: 1_000, most: 60_000 }

/** Starts without any nginx. */
export function startEnforcement(options: EnforcementOptions): Enforcement {
  const { clock, changed, folder, onLeft } = options
  const services = watchServices(options.kubeconfig, { ...options, absent: `unix:${join(folder, 'no-such-service')}` })
  const { open, lookBack, keep, leave, states, problems } = createRunning(options)
  let failures = 0
  let cancelRetry = (): void => undefined

  const reports = startReports(options)
  /** By all nginx of this replica; of a policy that several refuse, the words of the first. */
  const refused = () =>
    new Map(
      states()
        .toReversed()
        .flatMap((state) => [...state.refused]),
    )
  return {
    notReady: () => (services.isSynced() ? undefined : 'waiting for Service'),
    problems,
    async apply(world, gateways) {
      cancelRetry()
      await lookBack(world)
      await keep(new Set(gateways.map(nameOf)), GRACE)
      await Promise.all(
        gateways.map(async (gateway) => {
          const nginx = await open(gateway)
          await nginx?.apply(gateway, world, siteOf(gateway, { ...options, addresses: services }))
        }),
      )
      reports.publish(refused())
      failures = problems().size > 0 ? failures + 1 : 0
      if (failures > 0) cancelRetry = clock.after(Math.min(RETRY.most, RETRY.first * 2 ** (failures - 1)), changed)
    },
    refusal: (policy) => refusalAmong(policy, refused(), reports.others()),
    isInForce: (policy) => states().some(({ inForce }) => inForce.has(policy)),
    async stop(grace) {
      cancelRetry()
      services.stop()
      await reports.stop()
      await (onLeft ? leave(onLeft) : keep(new Set(), grace))
    },
  }
}

/** The nginx of Gateways, by the names of those. */
function createRunning({ folder, program, changed }: EnforcementOptions) {
  const running = new Map<string, GatewayNginx>()
  /** Gateways whose folder could not be opened, and why. */
  const closed = new Map<string, string>()
  let hasLookedBack = false
  async function open(gateway: Pick<NamedGateway, 'namespace' | 'name'>): Promise<GatewayNginx | undefined> {
    const name = nameOf(gateway)
    const known = running.get(name)
    if (known) return known
    try {
      const own = { folder: folderOf(folder, gateway), nginx: program, whole: false, restarted: changed }
      const nginx = await openGatewayNginx(own)
      running.set(name, nginx)
      closed.delete(name)
      return nginx
    } catch (error) {
      if (!(error instanceof DriverFailure)) throw error
      closed.set(name, error.message)
      return undefined
    }
  }
  return {
    open,
    /** Opens what a controller before this one has left of Gateways that there are no longer, so that it can be ended. */
    async lookBack({ gateways }: LiveWorld): Promise<void> {
      if (hasLookedBack) return
      hasLookedBack = true
      const names = new Set(gateways.map(nameOf))
      for (const gateway of leftBehind(folder)) if (!names.has(nameOf(gateway))) await open(gateway)
    },
    /** Ends all others. */
    async keep(names: ReadonlySet<string>, grace: number): Promise<void> {
      const others = [...running].filter(([name]) => !names.has(name))
      for (const [name] of others) running.delete(name)
      for (const name of closed.keys()) if (!names.has(name)) closed.delete(name)
      await Promise.all(others.map(([, nginx]) => nginx.stop(grace)))
    },
    /** Leaves all to the next controller. */
    async leave(onLeft: (gateway: string, pid: number) => void): Promise<void> {
      for (const [name, nginx] of running) {
        const pid = await nginx.leave()
        if (pid !== undefined) onLeft(name, pid)
      }
    },
    states: (): readonly NginxState[] => [...running.values()].map((nginx) => nginx.state()),
    problems: () =>
      new Map([
        ...closed,
        ...[...running].flatMap(([name, nginx]) => {
          const { problem } = nginx.state()
          return problem === undefined ? [] : [[name, problem] as const]
        }),
      ]),
  }
}

/** Milliseconds that an nginx has for its requests when its Gateway is gone. */
const GRACE = 5_000

const nameOf = ({ namespace, name }: Pick<NamedGateway, 'namespace' | 'name'>): string => `${namespace}/${name}`

type Place = Pick<NginxOptions, 'address' | 'firstPort'> & { readonly addresses: ReturnType<typeof watchServices> }

function siteOf({ view }: NamedGateway, { address, firstPort, addresses }: Place) {
  const asked = [...new Set((view?.listeners ?? []).flatMap(({ port }) => port ?? []))]
  const ports = new Map(firstPort === undefined ? [] : asked.map((port, index) => [port, firstPort + index] as const))
  return { address, ports, addresses, certificates: undefined }
}

/** Services as they are watched. */
const SERVICE: WatchedKind = {
  kind: 'Service',
  group: '',
  resource: { version: 'v1', plural: 'services', namespaced: true, optional: false },
  read: (object, namespace) => ({ object, identity: readIdentity('Service', readMetadata(object), namespace) }),
}

type Services = Addresses & { isSynced(): boolean; stop(): void }

/**
 * Watches the Services of a cluster. The address of one that is not there, or has no cluster IP, is `absent`, where nothing
 * listens, so that nginx answers with 502.
 */
function watchServices(
  kubeconfig: KubeConfig,
  { clock, changed, absent }: { readonly clock: Clock; changed(): void; readonly absent: string },
): Services {
  const watch = watchKind(SERVICE, { kubeconfig, clock, changed, keep: keptService })
  return {
    isSynced: () => watch.state() === 'synced',
    /** By `NAMESPACE/SERVICE:PORT`. */
    get(backend) {
      const [, namespace, name = '', port] = /^([^/]*)\/(.*):(\d+)$/.exec(backend) ?? []
      const service = watch.objects().index().get('Service', namespace, name)
      const address = service.state === 'found' ? clusterIp(service.value.object) : undefined
      return address === undefined ? absent : `${address}:${port}`
    },
    stop: watch.stop,
  }
}

/** In brackets for IPv6; undefined for `None` and where none is assigned. */
function clusterIp(service: JsonObject): string | undefined {
  const ip = member(member(service, '', 'spec', asObject).value, '', 'clusterIP', asString).value ?? ''
  if (/^[\d.]+$/.test(ip)) return ip
  return /^[0-9a-f:.]+$/i.test(ip) ? `[${ip}]` : undefined
}

function keptService({ metadata, spec }: JsonObject): JsonObject {
  const { name, namespace, resourceVersion } = asObject(metadata ?? null) ?? {}
  const { clusterIP } = asObject(spec ?? null) ?? {}
  return { metadata: { name, namespace, resourceVersion }, spec: { clusterIP } }
}
