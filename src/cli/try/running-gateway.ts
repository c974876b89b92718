/** The nginx of one Gateway: where it listens, what it was given last, and what came of it. */
import { mkdirSync } from 'node:fs'
import { configurationFor } from '../../live/configuration.ts'
import { type LimitedRequest, readLimited } from '../../live/limited.ts'
import { type Offer, offerOf } from '../../live/listeners.ts'
import type { LiveGateway, LiveWorld } from '../../live/world.ts'
import type { Forms } from '../../proxy/configuration.ts'
import { type DriverEvent, type Outcome, openDriver } from '../../proxy/driver.ts'
import { parseRecord } from '../../proxy/error-log.ts'
import { DriverFailure } from '../../proxy/failure.ts'
import { InputError } from '../core/io.ts'
import type { Ports } from './ports.ts'

/** What came of a version of the manifests for one Gateway. */
export type Applied = {
  readonly offer: Offer
  readonly outcome: Outcome
  /** The policies that cannot be a part, and why. */
  readonly leftOut: ReadonlyMap<string, string>
}

/** An nginx for a Gateway. */
export type RunningGateway = {
  /** Throws {@link InputError} where its listeners cannot be had. */
  apply(gateway: LiveGateway, world: LiveWorld): Promise<Applied>
  /** Ends nginx. */
  stop(): Promise<void>
}

/** How Gateways are run. */
export type RunningOptions = {
  /** Made for this Gateway. */
  readonly folder: string
  readonly nginx: string
  readonly ports: Ports
  /** The address of every backend: `HOST:PORT`. */
  readonly upstream: string
  readonly whole: boolean
  onLimited(request: LimitedRequest): void
  onDriverEvent(event: DriverEvent): void
}

/** How often other ports are taken where something else has just begun to listen on one. */
const ATTEMPTS = 5

/** Starts a driver; nginx starts with the first version. Throws {@link InputError} where there is no nginx to start. */
export async function runGateway(options: RunningOptions): Promise<RunningGateway> {
  const { folder, ports, upstream, whole, onLimited, onDriverEvent } = options
  mkdirSync(folder, { mode: 0o755 })
  const driver = await openDriver({
    folder,
    nginx: options.nginx,
    onEvent: onDriverEvent,
    onLogLine(line) {
      const record = parseRecord(line)
      const limited = record && readLimited(record.message)
      if (limited) onLimited(limited)
    },
  }).catch(asInputError)
  let known: ReadonlyMap<number, number> = new Map()
  let inForce: Forms | undefined

  async function attempt(gateway: LiveGateway, world: LiveWorld): Promise<Applied> {
    known = await ports.take(portsOf(gateway), known)
    const site = {
      nginxVersion: driver.version,
      address: '127.0.0.1',
      ports: known,
      addresses: { get: () => upstream },
      certificates: undefined,
      socketDir: folder,
    }
    const { wanted, problems, leftOut } = configurationFor(gateway, world, { site, inForce, whole })
    const [problem] = problems
    if (problem !== undefined) throw new InputError(`Gateway ${gateway.namespace}/${gateway.name}: ${problem}`)
    const outcome = await driver.apply(wanted)
    inForce = outcome.forms
    return { outcome, leftOut, offer: offerOf(gateway, world, (port) => known.get(port) ?? port) }
  }

  return {
    async apply(gateway, world) {
      for (let count = 1; ; count += 1) {
        const applied = await attempt(gateway, world)
        if (count === ATTEMPTS || !isAboutPort(applied.outcome)) return applied
        ports.release(known.values())
        known = new Map()
      }
    },
    async stop() {
      await driver.stop()
      ports.release(known.values())
    },
  }
}

/** The ports of the listeners, each once, in their order. */
const portsOf = ({ view }: LiveGateway): readonly number[] => [
  ...new Set((view?.listeners ?? []).flatMap(({ port }) => port ?? [])),
]

const isAboutPort = (outcome: Outcome): boolean => outcome.result === 'failed' && outcome.failure.kind === 'port'

function asInputError(error: unknown): never {
  if (!(error instanceof DriverFailure)) throw error
  const help =
    error.kind === 'missing'
      ? '; install nginx (apt-get install nginx, brew install nginx), or name it with --nginx-bin'
      : ''
  throw new InputError(`${error.message}${help}`)
}
