/** Reads the manifests again and again: what cannot be read, or is only half written, stays as it was. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { TextSource } from '../../project/source.ts'
import { type FoundGateways, findGateways } from '../../queries/find.ts'
import type { NamedWorld } from '../../queries/query-world.ts'
import { worldsWithNames } from '../../queries/render.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import type { Settings } from '../../settings/settings.ts'
import { readInputs } from '../core/inputs.ts'
import { InputError, type Io } from '../core/io.ts'
import { findSettings } from '../core/project.ts'
import type { Folders } from '../core/watch.ts'
import type { TryArgs } from './flags.ts'

/** The manifests at one moment. */
export type Version = {
  readonly settings: Settings
  readonly sources: readonly TextSource[]
  /** The world with the Gateways. */
  readonly world: NamedWorld
  /** The Gateways to try: `shop/edge`. */
  readonly gateways: readonly string[]
}

/** Reads the manifests of a command line. */
export type Reader = {
  /** Throws {@link InputError} for what keeps them from being tried. */
  read(): Promise<Version>
}

/** Milliseconds after which a file that has gone is looked for again: an editor may only be replacing it. */
const REPLACED = 300

/** Watches the folders before it reads them. */
export function createReader(io: Io, args: TryArgs, folders: Folders): Reader {
  let good: ReadonlyMap<string, TextSource> = new Map()

  async function collect() {
    const settings = args.value('config') ?? findSettings(io.cwd)
    folders.begin()
    if (settings !== undefined) folders.watchFile(resolve(io.cwd, settings))
    const inputs = await readInputs(io, withClosedWorld(args), args.positionals, {
      onFolder: (path) => folders.watchFolder(path),
      onSource: (path) => folders.watchFile(path),
    })
    folders.end()
    return inputs
  }

  return {
    async read() {
      let inputs = await collect()
      const isGone = () => {
        const named = new Set(inputs.collected.sources.map(({ file }) => file))
        return [...good.keys()].some((file) => !named.has(file))
      }
      if (isGone()) {
        await pause(REPLACED)
        inputs = await collect()
      }
      const { settings } = inputs.project
      const texts = inputs.collected.sources.filter((source) => 'text' in source)
      const unreadable = inputs.collected.problems.flatMap(({ file }) =>
        existsSync(resolve(io.cwd, file)) ? (good.get(file) ?? []) : [],
      )
      const read = [...texts, ...unreadable]
      const broken = brokenFiles(worldsOf(read, settings))
      const sources = read.map((source) => (broken.has(source.file) ? (good.get(source.file) ?? source) : source))
      good = new Map(
        sources.flatMap((source) => (broken.has(source.file) && !good.has(source.file) ? [] : [[source.file, source]])),
      )
      return { settings, sources: read, ...chosen(worldsOf(sources, settings), args, inputs.namespace) }
    },
  }
}

/** Nothing exists beside what is tried. */
const withClosedWorld = (args: TryArgs): Parameters<typeof readInputs>[1] => ({
  ...args,
  has: (name) => name === 'closed-world' || args.has(name),
  value: (name) => (name === 'closed-world' ? '' : args.value(name)),
  values: (name) => (name === 'closed-world' ? [] : args.values(name)),
})

const worldsOf = (sources: readonly TextSource[], settings: Settings): readonly NamedWorld[] => [
  ...worldsWithNames(sources, { settings, closedWorld: true }).keys(),
]

const brokenFiles = (worlds: readonly NamedWorld[]): ReadonlySet<string> =>
  new Set(worlds.flatMap(({ objects }) => objects.collected.broken.flatMap(({ source }) => source.file ?? [])))

/** The world and the Gateways that are tried. */
function chosen(worlds: readonly NamedWorld[], args: TryArgs, namespace: string | undefined) {
  const query = { gateway: args.value('gateway'), world: args.value('world'), namespace, several: true }
  const found = findGateways(worlds, query)
  if (!found.ok) throw new InputError(escapeUnsafe(found.problem))
  return oneWorld(found.value)
}

function oneWorld({ chosen: all }: FoundGateways<NamedWorld>): Pick<Version, 'world' | 'gateways'> {
  const given = all.filter(({ gateway }) => gateway.view)
  const [first] = given
  const name = ({ gateway }: (typeof all)[number]) => `${gateway.namespace}/${gateway.name}`
  if (!first)
    throw new InputError(
      `the manifest of Gateway ${escapeUnsafe(all.map(name).join(', '))} is not in these files; pass the paths of its manifests too`,
    )
  const worlds = new Set(given.map(({ queryWorld }) => queryWorld))
  if (worlds.size > 1)
    throw new InputError(
      `there are Gateways in several worlds; pick one with --world: ${[...worlds].map((world) => escapeUnsafe(world.name)).join(', ')}`,
    )
  return { world: first.queryWorld, gateways: given.map(name) }
}
