/** Helm charts: their templates are no manifests until Helm renders them. */
import { basename, dirname, join } from 'node:path'
import { createFileReader } from '../discover/read-file.ts'
import { DISK, type Tree } from '../discover/tree.ts'
import { foldersAbove } from '../paths.ts'
import { reasonOf } from '../problem.ts'

/** The file that makes a folder a chart. */
export const CHART_FILE = 'Chart.yaml'

/** The folder of a chart whose contents are templates. */
export const TEMPLATES = 'templates'

/** Files of a chart's folder that hold values for templates, not objects. */
export const isValuesFile = (name: string): boolean => /^values.*\.(?:ya?ml|json)$/.test(name)

/** The chart in whose templates a path lies, looking no higher than `top`. */
export function chartOfTemplate(path: string, top: string, tree: Tree): string | undefined {
  for (const folder of [path, ...foldersAbove(path, top)])
    if (basename(folder) === TEMPLATES && tree.exists(join(dirname(folder), CHART_FILE))) return dirname(folder)
  return undefined
}

/** Charts that no other of them contains: rendering these renders all. */
export function outermost(charts: Iterable<string>): readonly string[] {
  const all = new Set(charts)
  return [...all].filter((chart) => ![...foldersAbove(chart)].some((above) => all.has(above))).sort()
}

/** Kinds that are worth a word about templates that were passed over. */
const JUDGED_KIND = /\b(?:RateLimitPolicy|HTTPRoute|GRPCRoute)\b|\bkind:\s*Gateway\b/

/** The outermost of some charts (folder and how it is shown) in whose templates a judged kind is named, as shown. */
export function chartsOfInterest(charts: ReadonlyMap<string, string>): readonly string[] {
  const read = createFileReader(JUDGED_KIND)
  const speaking = [...charts.keys()].filter((chart) =>
    templatesOf(chart, DISK).some((file) => read(file).type === 'bytes'),
  )
  return outermost(speaking).map((chart) => charts.get(chart) ?? chart)
}

/** Paths of the files in a chart's templates. */
export const templatesOf = (chart: string, tree: Tree): readonly string[] => filesBelow(join(chart, TEMPLATES), tree)

function filesBelow(folder: string, tree: Tree): readonly string[] {
  try {
    return tree.list(folder).flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return filesBelow(path, tree)
      return entry.isFile() ? [path] : []
    })
  } catch (error) {
    reasonOf(error)
    return []
  }
}
