/** Reads the manifests again and again: what cannot be read, or is only half written, stays as it was. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readSmallText } from '../../disk/read-regular-file.ts'
import { isObject } from '../../json/member.ts'
import type { Reading, TextSource } from '../../project/source.ts'
import { type FoundGateways, findGateways } from '../../queries/find.ts'
import type { NamedWorld } from '../../queries/query-world.ts'
import { worldsWithNames } from '../../queries/render.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import type { Settings } from '../../settings/settings.ts'
import { createTexts, type Texts } from '../../yaml/documents.ts'
import { readInputs } from '../core/inputs.ts'
import { InputError, type Io } from '../core/io.ts'
import { findSettings } from '../core/project.ts'
import type { Folders } from '../core/watch.ts'
import type { TryArgs } from './flags.ts'

/** The manifests at one moment. */
export type Version = {
  readonly settings: Settings
  readonly reading: { readonly sources: readonly TextSource[]; readonly texts: Texts }
  /** Files with objects, and those that are broken: others decide nothing. */
  readonly files: ReadonlySet<string>
  /** Files that are half written or cannot be read: what was in them before counts. */
  readonly kept: readonly string[]
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
  /** Those of the version before: a text that did not change is not parsed again. */
  let known = createTexts()

  async function collect(texts: Texts) {
    const settings = args.value('config') ?? findSettings(io.cwd)
    folders.begin()
    if (settings !== undefined) folders.watchFile(resolve(io.cwd, settings))
    const inputs = await readInputs(io, withoutClosedWorld(args), args.positionals, {
      texts,
      observer: {
        onFolder: (path) => folders.watchFolder(path),
        onSource: (path) => folders.watchFile(path),
      },
    })
    folders.end()
    return inputs
  }

  /** What was good in files that have become so short that nothing in them tells what they are. */
  function keptOf(found: readonly TextSource[], texts: Texts): readonly TextSource[] {
    const named = new Set(found.map(({ file }) => file))
    return [...good.values()].filter((source) => {
      const text = named.has(source.file) ? undefined : textNow(resolve(io.cwd, source.file))
      return text !== undefined && isHalfWritten({ ...source, text }, texts)
    })
  }

  return {
    async read() {
      const texts = known.next()
      let inputs = await collect(texts)
      const isGone = () => {
        const named = new Set(inputs.collected.sources.map(({ file }) => file))
        return [...good.keys()].some((file) => !named.has(file))
      }
      if (isGone()) {
        await pause(REPLACED)
        inputs = await collect(texts)
      }
      const { settings } = inputs.project
      const [broken] = inputs.collected.brokenKustomizations.filter(({ file }) => good.has(file))
      if (broken)
        throw new InputError(
          escapeUnsafe(`${broken.file} cannot be read: ${broken.reason}; what was in force before stays in force`),
        )
      const found = inputs.collected.sources.filter((source) => 'text' in source)
      const unreadable = inputs.collected.problems.flatMap(({ file }) =>
        existsSync(resolve(io.cwd, file)) ? (good.get(file) ?? []) : [],
      )
      const passedOver = keptOf(found, texts)
      const read = [...found, ...unreadable, ...passedOver]
      const asRead = worldsOf({ sources: read, texts }, settings)
      const files = brokenFiles(asRead)
      const isBroken = (source: TextSource) => files.has(source.file) || isHalfWritten(source, texts)
      const sources = read.map((source) => (isBroken(source) ? (good.get(source.file) ?? source) : source))
      const replaced = read.filter((source, index) => sources[index] !== source)
      const kept = [...replaced, ...passedOver].map(({ file }) => file)
      good = new Map(sources.flatMap((source) => (isBroken(source) ? [] : [[source.file, source]])))
      known = texts
      const worlds = replaced.length === 0 ? asRead : worldsOf({ sources, texts }, settings)
      const decides = (source: TextSource) => source.isPart || source.builds || isBroken(source)
      const deciding = new Set([...filesWithObjects(worlds), ...read.filter(decides).map(({ file }) => file)])
      const reading = { sources: read, texts }
      return { settings, reading, files: deciding, kept, ...chosen(worlds, args, inputs.namespace) }
    },
  }
}

/** Whether a text is half written: it is empty, or a document in it cannot be read. */
const isHalfWritten = ({ text, isPart }: TextSource, texts: Texts): boolean =>
  text.trim() === '' ||
  (isPart !== true &&
    texts
      .of(text)
      .documents({ mentions: /(?:)/ })
      .some(({ value, problems }) => (value === undefined && problems.length > 0) || isCutOff(value)))

/** The text of a file; undefined where it is gone or cannot be read. */
function textNow(path: string): string | undefined {
  try {
    return readSmallText(path)
  } catch {
    return undefined
  }
}

/** An object whose text ends before its kind. */
const isCutOff = (value: unknown): boolean =>
  isObject(value) && value.apiVersion !== undefined && typeof value.kind !== 'string'

/** It has no such flag: nothing exists beside what is tried. */
const withoutClosedWorld = (args: TryArgs): Parameters<typeof readInputs>[1] => ({
  ...args,
  has: (name) => name !== 'closed-world' && args.has(name),
  value: (name) => (name === 'closed-world' ? undefined : args.value(name)),
  values: (name) => (name === 'closed-world' ? [] : args.values(name)),
})

const worldsOf = (reading: Reading, settings: Settings): readonly NamedWorld[] => [
  ...worldsWithNames(reading, { settings, closedWorld: true }).keys(),
]

const filesWithObjects = (worlds: readonly NamedWorld[]): readonly string[] =>
  worlds.flatMap(({ objects }) =>
    [...objects.collected.byKind.values()].flat().flatMap(({ origin }) => origin.source.file ?? []),
  )

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
