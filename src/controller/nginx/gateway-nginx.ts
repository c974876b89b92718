/** The nginx of one Gateway: what it was given last, and what it said. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { NamedGateway } from '../../gateway/render/listeners.ts'
import type { Refusal } from '../../gateway/status/status.ts'
import { configurationFor, type Site } from '../../live/configuration.ts'
import type { LiveWorld } from '../../live/world.ts'
import { composeFiles, type Forms } from '../../proxy/configuration.ts'
import { type Driver, type Outcome, openDriver } from '../../proxy/driver.ts'

export type GatewayNginxOptions = {
  /** Made for this Gateway. */
  readonly folder: string
  readonly nginx: string
  readonly whole: boolean
  /** Called when nginx has ended by itself and was started again. */
  restarted(): void
}

/** What is known of the nginx of a Gateway. */
export type NginxState = {
  /** The policies that it refused, by `namespace/name`. */
  readonly refused: ReadonlyMap<string, Refusal>
  /** Policies in force in the form that is wanted. */
  readonly inForce: ReadonlySet<string>
  /** Why the newest configuration is not in force at all, in one line; undefined where it is, but for the refused policies. */
  readonly problem: string | undefined
}

export type GatewayNginx = {
  /** Puts a configuration into force, unless it is the one before. Throws nothing that the cluster can cause. */
  apply(gateway: NamedGateway, world: LiveWorld, site: Omit<Site, 'nginxVersion' | 'socketDir'>): Promise<NginxState>
  state(): NginxState
  /** Ends nginx, which gets some milliseconds to finish its requests. */
  stop(grace: number): Promise<void>
  /** Leaves nginx to the next controller. Returns its process id where it runs. */
  leave(): Promise<number | undefined>
}

const NOTHING: NginxState = { refused: new Map(), inForce: new Set(), problem: undefined }

/** Opens the folder; nginx starts with the first configuration. Throws a `DriverFailure` where that cannot be done. */
export async function openGatewayNginx({
  folder,
  nginx,
  whole,
  restarted,
}: GatewayNginxOptions): Promise<GatewayNginx> {
  let state = NOTHING
  let wanted: Forms = new Map()
  let inForce: Forms | undefined
  let leftOut: ReadonlyMap<string, string> = new Map()
  /** What was tried last, and not in vain. */
  let tried: string | undefined
  const driver: Driver = await openDriver({
    folder,
    nginx,
    onEvent(event) {
      if (event.event !== 'restarted') return
      take(event.outcome)
      restarted()
    },
  })
  function take(outcome: Outcome): void {
    inForce = outcome.forms
    const before = outcome.result === 'failed' ? state.refused : outcome.refused.map((one) => [one.part, one] as const)
    const refused = new Map<string, Refusal>(before)
    for (const [part, words] of leftOut) refused.set(part, { words, keeps: 'nothing' })
    state = { refused, inForce: partsInForce(wanted, inForce), problem: problemOf(outcome) }
  }
  return {
    state: () => state,
    async apply(gateway, world, site) {
      const options = { site: { ...site, nginxVersion: driver.version, socketDir: folder }, inForce, whole }
      const configuration = configurationFor(gateway, world, options)
      const [problem] = configuration.problems
      if (problem !== undefined) {
        tried = undefined
        state = { ...state, problem }
        return state
      }
      const files = composeFiles(configuration.wanted, configuration.wanted.forms)
      const digest = createHash('sha256').update(JSON.stringify(files)).digest('hex')
      if (digest === tried) return state
      wanted = configuration.wanted.forms
      leftOut = configuration.leftOut
      const outcome = await driver.apply(configuration.wanted)
      tried = outcome.result === 'failed' ? undefined : digest
      take(outcome)
      return state
    },
    stop: (grace) => driver.stop(grace),
    async leave() {
      await driver.leave()
      return driver.master()?.pid
    },
  }
}

const partsInForce = (wanted: Forms, inForce: Forms | undefined): ReadonlySet<string> =>
  new Set([...wanted].flatMap(([part, form]) => (inForce?.get(part) === form ? [part] : [])))

function problemOf(outcome: Outcome): string | undefined {
  if (outcome.result === 'failed') return outcome.failure.message
  return outcome.result === 'refused' ? outcome.words : undefined
}

/** The Gateways of which a controller before this one has left something in a folder. */
export function leftBehind(base: string): readonly Pick<NamedGateway, 'namespace' | 'name'>[] {
  const names = existsSync(base) ? readdirSync(base) : []
  return names.flatMap((folder) => {
    const [, namespace, name] = /^([^_]+)_([^_]+)$/.exec(folder) ?? []
    return namespace && name && existsSync(join(base, folder, 'state.json')) ? [{ namespace, name }] : []
  })
}

/** The folder of a Gateway: neither name has an underscore. */
export const folderOf = (base: string, { namespace, name }: Pick<NamedGateway, 'namespace' | 'name'>): string =>
  join(base, `${namespace}_${name}`)
