/** The texts of the kustomizations that are built. */
import { dirname, resolve } from 'node:path'
import type { createBuilder } from '../../kustomize/build.ts'
import {
  isMeantToBeBuilt,
  type KustomizationRoot,
  relevantRoots,
  type UnreadableKustomization,
} from '../../project/kustomizations.ts'
import { partsOf } from '../../project/parts.ts'
import type { TextSource } from '../../project/source.ts'
import type { Decoded } from '../../yaml/decode.ts'
import type { PathSettings } from '../discover/path-settings.ts'
import { type PathTest, shownPath } from '../paths.ts'

/** How the files of kustomizations become sources. */
export type PartsOptions = {
  readonly cwd: string
  readonly pathSettings: PathSettings
  /** The namespace of manifests that have none. */
  readonly namespace?: string | undefined
  /** Matches a text that may hold an object of a system. */
  readonly mentions: RegExp
  /** The text of a file; undefined where there is none, or it cannot be read. */
  textOf(path: string): Decoded | undefined
  /** The names in a folder, to suggest one of them. Default: none. */
  namesIn?(path: string): readonly string[]
  /** Which files are judged: an object is, where one of its files is. Default: all. */
  readonly isJudged?: PathTest
  /** Files in which nothing is reported. Default: none. */
  readonly isIgnored?: PathTest
  /** Kustomizations that cannot be read, and the files that name a judged kind. Default: none. */
  readonly broken?: { readonly unreadable: readonly UnreadableKustomization[]; readonly judged: readonly string[] }
  /** How reports name a file. Default: relative to `cwd`. */
  nameOf?(path: string): string
}

/** A part and the path of its file. */
export type FoundPart = { readonly path: string; readonly source: TextSource }

/** The texts of those kustomizations in which a system's object is named. Each builds in a world of its own. */
export async function readParts(
  roots: readonly KustomizationRoot[],
  options: PartsOptions,
): Promise<readonly FoundPart[]> {
  const { mentions, textOf, cwd, pathSettings, isJudged = () => true } = options
  const texts = new Map<string, Decoded | undefined>()
  const get = (path: string): Decoded | undefined => {
    if (!texts.has(path)) texts.set(path, textOf(path))
    return texts.get(path)
  }
  const relevant = relevantRoots(roots, {
    mentions: (path) => mentions.test(get(path)?.text ?? ''),
    exists: (path) => get(path) !== undefined,
    others: options.broken?.judged ?? [],
  })
  const unreadable = unreadableAmong(options.broken, relevant, get)
  if (relevant.length === 0 && unreadable.length === 0) return []
  const { createBuilder: create } = await import('../../kustomize/build.ts')
  const { nameOf = (path: string) => shownPath(path, cwd), namesIn = () => [] } = options
  const builder: typeof createBuilder = (read, known) =>
    create((name) => read(nameOf(resolve(cwd, name))), known, {
      hasData: (name) => get(resolve(cwd, name)) !== undefined,
      namesIn: (name) => namesIn(resolve(cwd, name)),
    })
  const parts = partsOf(relevant, {
    createBuilder: builder,
    nameOf,
    worldOf: (file) => pathSettings(file).world,
    isJudged,
    sourceOf(path) {
      const decoded = get(path)
      return decoded && { ...partOf(path, nameOf(path), options), ...decoded }
    },
  })
  for (const { file, decoded } of unreadable) {
    const shown = nameOf(dirname(file))
    const builds = [{ folder: shown, createBuilder: builder, isJudged: isJudged(file) }]
    const world = pathSettings(file).world ?? [shown]
    parts.set(file, { ...partOf(file, nameOf(file), options), ...decoded, isPart: true, world, builds })
  }
  return [...parts].map(([path, source]) => ({ path, source }))
}

/** Those of which kubectl would be asked. */
function unreadableAmong(
  { unreadable, judged }: NonNullable<PartsOptions['broken']> = { unreadable: [], judged: [] },
  relevant: readonly KustomizationRoot[],
  get: (path: string) => Decoded | undefined,
): readonly { readonly file: string; readonly decoded: Decoded }[] {
  if (unreadable.length === 0) return []
  const ours = [...judged, ...relevant.flatMap(({ files }) => [...files])]
  return unreadable.flatMap(({ file }) => {
    const decoded = get(file)
    if (!decoded || decoded.problem) return []
    return isMeantToBeBuilt({ folder: dirname(file), text: decoded.text, resolve }, ours) ? [{ file, decoded }] : []
  })
}

function partOf(path: string, file: string, options: PartsOptions): Omit<TextSource, 'text'> {
  const { pathSettings, namespace, isJudged = () => true, isIgnored = () => false } = options
  const { rules } = pathSettings(path)
  return {
    file,
    ...(namespace ? { namespace: { fallback: namespace } } : {}),
    ...(rules ? { rules } : {}),
    ...(isJudged(path) ? {} : { unjudged: true }),
    ...(isIgnored(path) || isIgnored(dirname(path)) ? { isIgnored: true } : {}),
  }
}
