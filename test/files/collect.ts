/** What a command line would read in a folder. */
import { type Collected, type CollectSourcesOptions, collectSources } from '../../src/files/discover/collect-sources.ts'

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
