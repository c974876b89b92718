/** Helm charts. Their templates are not manifests until Helm renders them. */
import { basename, dirname, join } from 'node:path'
import { DISK, type FileTree } from '../discover/file-tree.ts'
import { createFileReader } from '../discover/read-file.ts'
import { describeSystemError } from '../input-problem.ts'
import { foldersAbove } from '../paths.ts'

/** The file that makes a folder a chart. */
export const CHART_FILE = 'Chart.yaml'

/** The folder of a chart whose contents are templates. */
export const TEMPLATES = 'templates'

/** True for names of files that hold values for a chart's templates, not objects. */
export const isValuesFile = (name: string): boolean => /^values.*\.(?:ya?ml|json)$/.test(name)

/** The folder of the chart to whose templates a path belongs, looking no higher than `top`; undefined for other paths. */
export function chartOfTemplate(path: string, top: string, tree: FileTree): string | undefined {
  for (const folder of [path, ...foldersAbove(path, top)])
    if (basename(folder) === TEMPLATES && tree.exists(join(dirname(folder), CHART_FILE))) return dirname(folder)
  return undefined
}

/** Charts whose templates name one of these kinds are reported to the user. */
const JUDGED_KIND = /\b(?:RateLimitPolicy|HTTPRoute|GRPCRoute)\b|\bkind:\s*Gateway\b/

/**
 * The charts (absolute path and how it is shown) whose templates name a judged kind, as shown. Without charts inside
 * other charts: rendering the outermost renders all.
 */
export function relevantCharts(charts: ReadonlyMap<string, string>): readonly string[] {
  const read = createFileReader(JUDGED_KIND)
  const relevant = new Set(
    [...charts.keys()].filter((chart) => templatesOf(chart, DISK).some((file) => read(file).type === 'bytes')),
  )
  const outermost = [...relevant].filter((chart) => ![...foldersAbove(chart)].some((above) => relevant.has(above)))
  return outermost.sort().map((chart) => charts.get(chart) ?? chart)
}

/** Paths of the files in a chart's templates. */
export const templatesOf = (chart: string, tree: FileTree): readonly string[] =>
  filesBelow(join(chart, TEMPLATES), tree)

function filesBelow(folder: string, tree: FileTree): readonly string[] {
  try {
    return tree.list(folder).flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return filesBelow(path, tree)
      return entry.isFile() ? [path] : []
    })
  } catch (error) {
    describeSystemError(error)
    return []
  }
}
