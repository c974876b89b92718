/** What a command line would read in a folder. */
import { type Collected, type CollectSourcesOptions, collectSources } from '../../src/files/discover/collect-sources.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { knownNamespace } from '../../src/kubernetes/metadata.ts'
import { fileOf } from '../../src/project/source.ts'
import { collectWorlds } from '../../src/project/worlds.ts'
import { SYSTEMS } from '../../src/registry.ts'
import { kindTable } from '../../src/world/kinds.ts'

/** Collects with the defaults of a folder without settings. */
export const collect = (
  cwd: string,
  paths: readonly string[] = [],
  options: Partial<CollectSourcesOptions> = {},
): Promise<Collected> =>
  collectSources(paths, {
    cwd,
    folder: cwd,
    worlds: [],
    overrides: [],
    ignores: [],
    rules: {},
    namespace: undefined,
    stdin: [],
    ...options,
  })

/** The objects that are judged, `WORLD: FILE NAMESPACE/NAME`, and the kustomizations that could not be built. */
export function judgedIn({ sources }: Collected) {
  const { worlds, notBuilt } = collectWorlds(sources, kindTable(SYSTEMS, apiNames()))
  const objects = [...worlds].flatMap(([world, { judged }]) =>
    judged
      .filter(({ origin }) => !origin.source.unjudged)
      .map(({ origin, view: { identity } }) => {
        const name = `${fileOf(origin.source)} ${knownNamespace(identity.namespace) ?? ''}/${identity.name ?? ''}`
        return world === '' ? name : `${world}: ${name}`
      }),
  )
  return { objects, notBuilt }
}
