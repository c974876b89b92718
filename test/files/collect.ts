/** What a command line would read in a folder. */

import { type Collected, type CollectSourcesOptions, collectSources } from '../../src/files/discover/collect-sources.ts'
import { fileOf } from '../../src/project/source.ts'

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

/** The names of the files that are judged. */
export const judged = async (...parameters: Parameters<typeof collect>): Promise<readonly string[]> =>
  (await collect(...parameters)).sources.map(fileOf).sort()
