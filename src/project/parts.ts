/** The texts of which roots are built, as sources: the one way for files and for texts at hand. */
import type { RelevantRoot } from './kustomizations.ts'
import type { KustomizationBuild, TextSource } from './source.ts'

/** How texts become parts. All paths are as the roots have them. */
export type PartsOptions = {
  readonly createBuilder: KustomizationBuild['createBuilder']
  /** The source of a text; undefined where there is none. */
  sourceOf(path: string): TextSource | undefined
  /** How reports name a path. */
  nameOf(path: string): string
  /** The worlds that the settings name for a file. */
  worldOf(file: string): TextSource['world']
  isJudged(path: string): boolean
}

/** The parts of roots, by path. The text of what is built also says how. Each root builds in a world of its own. */
export function partsOf(roots: readonly RelevantRoot[], options: PartsOptions): Map<string, TextSource> {
  const parts = new Map<string, TextSource>()
  for (const root of roots) {
    const build = buildOf(root, options)
    for (const path of root.files) {
      const known = parts.get(path)
      const own = known ?? options.sourceOf(path)
      if (own) parts.set(path, { ...own, ...(known ? {} : { world: build.world }), ...kindOf(root, path, known) })
    }
    const own = parts.get(root.file)
    if (own) parts.set(root.file, { ...own, builds: [...(own.builds ?? []), build] })
  }
  return parts
}

function buildOf(
  root: RelevantRoot,
  { createBuilder, nameOf, worldOf, isJudged }: PartsOptions,
): KustomizationBuild & Required<Pick<KustomizationBuild, 'world'>> {
  const { folder, file, files, deployment, isOnlyRefused, namespace } = root
  const name = root.name === undefined ? nameOf(folder) : `${nameOf(file)}#${root.name}`
  const world = worldOf(file) ?? [name]
  return {
    folder: nameOf(folder),
    name,
    createBuilder,
    isJudged: [...files].some(isJudged),
    isOnlyRefused,
    world: typeof world === 'string' ? [world] : world,
    ...(deployment ? { deployment: { ...deployment, path: nameOf(deployment.path) } } : {}),
    ...(namespace === undefined ? {} : { namespace }),
  }
}

/** What a text is for a root. An object that deploys others is no part of what it deploys, unless it deploys itself, too. */
function kindOf(
  { deployment, file, deployed }: RelevantRoot,
  path: string,
  known: TextSource | undefined,
): Pick<TextSource, 'isPart' | 'isSubstituted'> {
  if (deployment && path === file && !deployed.includes(path)) return {}
  // Variables are substituted where every root does so.
  const isOther = known?.isPart === true && known.isSubstituted !== true
  return {
    isPart: true,
    ...(deployment?.product === 'flux'
      ? { isSubstituted: !isOther }
      : known?.isSubstituted
        ? { isSubstituted: false }
        : {}),
  }
}

/** The sources with the parts in their place. One that deploys others stays what it is by itself. */
export function withParts(sources: readonly TextSource[], parts: readonly TextSource[]): readonly TextSource[] {
  const byFile = new Map(parts.map((part) => [part.file, part]))
  const kept = new Map(sources.filter(({ file }) => byFile.get(file)?.isPart !== true).map((one) => [one.file, one]))
  const own = (part: TextSource): TextSource => {
    const source = part.builds && !part.isPart ? kept.get(part.file) : undefined
    return source && part.builds ? { ...source, builds: part.builds } : part
  }
  return [...[...kept.values()].filter(({ file }) => !byFile.has(file)), ...parts.map(own)]
}
