/** What `sluice try` does with each version of the manifests. */
import { join } from 'node:path'
import type { JsonObject } from '../../json/member.ts'
import { fullName } from '../../kubernetes/metadata.ts'
import { createApiServer } from '../../live/api-server.ts'
import type { SampleRequest } from '../../live/listeners.ts'
import { acceptedObjects } from '../../live/objects-in-force.ts'
import { takeWorld } from '../../live/world.ts'
import { objectsOf } from '../../project/worlds.ts'
import { queryWorlds } from '../../queries/query-world.ts'
import { kubernetesTime, queryStatus } from '../../queries/status.ts'
import type { Settings } from '../../settings/settings.ts'
import { InputError } from '../core/io.ts'
import type { Version } from './manifests.ts'
import { type RunningGateway, type RunningOptions, runGateway } from './running-gateway.ts'
import { createTeller, type Voice } from './tell.ts'

/** What a session needs of the rest. */
type SessionOptions = Omit<RunningOptions, 'onDriverEvent'> &
  Voice & {
    readonly composition: Settings['composition'] | undefined
  }

/** What is tried now. */
export type Trying = {
  /** `shop/edge`, with the requests that its routes take. */
  readonly gateways: ReadonlyMap<string, readonly SampleRequest[]>
  /** What an API server would have stored. */
  readonly objects: readonly JsonObject[]
  readonly settings: Settings
}

/** A session. */
export type Session = {
  /** Throws {@link InputError} where nothing can be run. */
  apply(version: Version): Promise<Trying>
  /** Ends every nginx. */
  stop(): Promise<void>
}

/** Starts without manifests. The nginx of each Gateway gets a folder below that of the options. */
export function startSession(options: SessionOptions): Session {
  const apiServer = createApiServer()
  const teller = createTeller(options)
  const running = createRunning(options, applyAgain)
  let latest: Version | undefined
  let accepted: readonly JsonObject[] = []
  let revision = 0
  let work: Promise<unknown> = Promise.resolve()
  let isClosed = false

  /** A fresh nginx may accept what was refused before. */
  function applyAgain(): void {
    if (latest && !isClosed) apply(latest).catch((error: unknown) => options.fail(messageOf(error)))
  }

  function apply(version: Version): Promise<Trying> {
    latest = version
    const applied = work.then(() => applyNow(version))
    work = applied.catch(() => {})
    return applied
  }

  async function applyNow(version: Version): Promise<Trying> {
    revision += 1
    const now = kubernetesTime(new Date().toISOString()) ?? ''
    const { composition = version.settings.composition } = options
    const settings = { ...version.settings, composition }
    const { objects, rejected } = apiServer.store(version.world.objects.collected, now)
    const sources = objects.map((object) => ({ object }))
    const [queryWorld] = queryWorlds(sources, { settings, closedWorld: true })
    if (!queryWorld) throw new Error('a world with a Gateway has objects')
    const world = takeWorld(objectsOf(queryWorld.objects.collected, { closed: true }), settings)
    teller.keep(version.gateways)
    teller.findings(version.reading, settings, now.slice(0, 'YYYY-MM-DD'.length))
    teller.rejected(rejected, revision)
    await running.keep(version.gateways)
    const gateways = world.gateways.filter((one) => version.gateways.includes(nameOf(one)))
    const results = await Promise.all(
      gateways.map(async (gateway) => {
        const name = nameOf(gateway)
        const nginx = await running.open(name)
        return { name, applied: await nginx.apply(gateway, world) }
      }),
    )
    const outcomes = results.map(({ name, applied }) => teller.applied(name, applied, revision))
    const refused = new Map(outcomes.flatMap((one) => [...one.refused]))
    const status = queryStatus(queryWorld, {
      settings,
      controllerName: undefined,
      now,
      refusal: ({ identity }) => refused.get(fullName(identity)),
    })
    teller.conditions(status)
    const isPartial = refused.size + rejected.length > 0
    const isApplied = outcomes.every((one) => one.isApplied)
    accepted = isApplied ? acceptedObjects(accepted, objects, refused) : accepted
    teller.compareWith(accepted)
    if (isApplied) options.emit({ event: 'applied', revision }, { isPartial })
    const samples = results.map(({ name, applied }) => [name, applied.offer.samples] as const)
    return { gateways: new Map(samples), objects, settings }
  }

  return {
    apply(version) {
      return isClosed ? Promise.reject(new InputError('it has ended')) : apply(version)
    },
    async stop() {
      isClosed = true
      await work
      await running.keep([])
    },
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const nameOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }) => `${namespace}/${name}`

/** The nginx of Gateways, by the names of those. */
function createRunning(options: SessionOptions, restarted: () => void) {
  const { fail } = options
  const running = new Map<string, RunningGateway>()
  let folders = 0
  return {
    /** The nginx of a Gateway, which is started where there is none. Throws {@link InputError}. */
    async open(name: string): Promise<RunningGateway> {
      const known = running.get(name)
      if (known) return known
      folders += 1
      const nginx = await runGateway({
        ...options,
        folder: join(options.folder, String(folders)),
        onDriverEvent(event) {
          if (event.event === 'ended') fail(`the nginx of Gateway ${name} has ended; it is started again`)
          else if (event.outcome.result === 'failed')
            fail(`the nginx of Gateway ${name}: ${event.outcome.failure.message}`)
          else restarted()
        },
      })
      running.set(name, nginx)
      return nginx
    },
    /** Ends all others. */
    async keep(names: readonly string[]): Promise<void> {
      const others = [...running].filter(([name]) => !names.includes(name))
      for (const [name] of others) running.delete(name)
      await Promise.all(others.map(([, nginx]) => nginx.stop()))
    },
  }
}
