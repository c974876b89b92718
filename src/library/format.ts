/** Results of the library as texts, in the formats of the command line. */
import manifest from '../../package.json' with { type: 'json' }
import { eachOnce, fileOf, type Source, textOf } from '../project/source.ts'
import type { EffectiveResult } from '../queries/effective.ts'
import type { EffectiveProxy } from '../queries/proxies/effective.ts'
import type { StatusResult } from '../queries/status.ts'
import { REGISTRY } from '../registry.ts'
import { effectiveJson, effectiveText } from '../reports/effective.ts'
import { github } from '../reports/lint/github.ts'
import { gitlab } from '../reports/lint/gitlab.ts'
import { json } from '../reports/lint/json.ts'
import { junit } from '../reports/lint/junit.ts'
import { markdown } from '../reports/lint/markdown.ts'
import type { Reporter } from '../reports/lint/reporter.ts'
import { sarif } from '../reports/lint/sarif.ts'
import { text } from '../reports/lint/text.ts'
import { renderJson, renderText } from '../reports/render.ts'
import { simulationCsv } from '../reports/simulation/csv.ts'
import { simulationJson } from '../reports/simulation/json.ts'
import { simulationSvg } from '../reports/simulation/svg.ts'
import { simulationText, trafficTitle } from '../reports/simulation/text.ts'
import { statusJson, statusTable, statusYaml } from '../reports/status.ts'
import type { SimulationReport } from '../simulate/report/report.ts'
import { boolean, count, type Members, object, oneOf, problemsOf } from './check.ts'
import { sourcesCheck } from './input.ts'
import type { LintResult } from './lint.ts'
import type { RenderResult } from './queries.ts'
import { failure, guarded, type Result, success } from './result.ts'

/** How a text is laid out. */
export type TextOptions = {
  /** True for colours of a terminal. */
  readonly color?: boolean | undefined
  /** Columns at which lines are wrapped. Default: those of the format. */
  readonly width?: number | undefined
}

/** How a report of lint is written. */
export type FormatLintOptions = TextOptions & {
  /** The sources that were judged: `text` then shows the lines of findings, and `sarif` has their texts. */
  readonly sources?: readonly Source[] | undefined
  /** True to show infos in formats for people, not only their number. */
  readonly info?: boolean | undefined
  /** True to leave out everything but errors. */
  readonly quiet?: boolean | undefined
}

const LINT_FORMATS = { text, json, sarif, junit, github, gitlab, markdown } as const satisfies Record<string, Reporter>

/** The formats of {@link formatLint}. */
export type LintFormat = keyof typeof LINT_FORMATS

const EFFECTIVE_FORMATS = {
  text: (result: EffectiveResult | EffectiveProxy, page: Page) => effectiveText(result, page),
  json: (result: EffectiveResult | EffectiveProxy) => effectiveJson(result),
}
const STATUS_FORMATS = {
  table: (results: readonly StatusResult[], page: Page) => statusTable(results, page),
  yaml: (results: readonly StatusResult[]) => statusYaml(results),
  json: (results: readonly StatusResult[]) =>
    statusJson(results, eachOnce(results.flatMap(({ notJudged }) => notJudged))),
}
const RENDER_FORMATS = {
  nginx: (result: RenderResult, { color }: Page) => renderText(result, { color, isTerminal: false }),
  json: (result: RenderResult) => renderJson(result, result.composition),
}
const SIMULATION_FORMATS = {
  text: (report: SimulationReport, page: Page) => simulationText(report, page),
  json: (report: SimulationReport) => simulationJson(report),
  csv: (report: SimulationReport) => simulationCsv(report),
  svg: (report: SimulationReport) => simulationSvg(report, trafficTitle(report)),
}

const TEXT_OPTIONS = { color: boolean, width: count(1, 10_000) } as const satisfies Members<keyof TextOptions>
const LINT_OPTIONS = {
  ...TEXT_OPTIONS,
  sources: sourcesCheck,
  info: boolean,
  quiet: boolean,
} as const satisfies Members<keyof FormatLintOptions>

/** Writes a result of `lint`. For `sarif` with fixes, lint with the option `fixes`. */
export function formatLint(result: LintResult, format: LintFormat, options?: FormatLintOptions): Result<string> {
  return written('lint', { format, formats: Object.keys(LINT_FORMATS), options, members: LINT_OPTIONS }, () => {
    const { sources = [], color = false, width, info = false, quiet = false } = options ?? {}
    const texts = new Map(sources.map((source) => [fileOf(source), source]))
    const editsByFinding = new Map(result.fixes.map(({ finding, edits }) => [result.findings[finding], edits]))
    return LINT_FORMATS[format].render(result, {
      color,
      width,
      info,
      quiet,
      statistics: false,
      warningsFail: false,
      elapsed: undefined,
      tool: { version: manifest.version, rules: REGISTRY.rules },
      base: { folder: '/', repository: undefined },
      files: [...texts.keys()],
      textOf(file) {
        const source = texts.get(file)
        return source && textOf(source)
      },
      editsOf: (finding) => editsByFinding.get(finding),
    })
  })
}

/** Writes a result of `effective`. */
export const formatEffective = (
  result: EffectiveResult | EffectiveProxy,
  format: keyof typeof EFFECTIVE_FORMATS,
  options?: TextOptions,
): Result<string> => formatWith('effective', EFFECTIVE_FORMATS, { result, format, options })

/** Writes a result of `status`; `yaml` and `json` hold the whole objects with their status. */
export const formatStatus = (
  result: readonly StatusResult[],
  format: keyof typeof STATUS_FORMATS,
  options?: TextOptions,
): Result<string> => formatWith('status', STATUS_FORMATS, { result, format, options })

/** Writes a result of `render`. */
export const formatRender = (
  result: RenderResult,
  format: keyof typeof RENDER_FORMATS,
  options?: TextOptions,
): Result<string> => formatWith('render', RENDER_FORMATS, { result, format, options })

/** Writes a result of `simulate`; `svg` is a picture of the timeline. */
export const formatSimulation = (
  result: SimulationReport,
  format: keyof typeof SIMULATION_FORMATS,
  options?: TextOptions,
): Result<string> => formatWith('simulate', SIMULATION_FORMATS, { result, format, options })

type Page = { readonly color: boolean; readonly width: number | undefined }

type Wish<Value, Format> = {
  readonly result: Value
  readonly format: Format
  readonly options: TextOptions | undefined
}

function formatWith<Value, Format extends string>(
  name: string,
  formats: Readonly<Record<Format, (result: Value, page: Page) => string>>,
  { result, format, options }: Wish<Value, Format>,
): Result<string> {
  return written(name, { format, formats: Object.keys(formats), options, members: TEXT_OPTIONS }, () => {
    const { color = false, width } = options ?? {}
    return formats[format](result, { color, width })
  })
}

type Checked = {
  readonly format: string
  readonly formats: readonly string[]
  readonly options: object | undefined
  readonly members: Members
}

/** Writes a result. Writing is a pure function of the result, so it fails only for what is not one. */
function written(name: string, { format, formats, options, members }: Checked, write: () => string): Result<string> {
  return guarded(() => {
    const ofOptions = options === undefined ? [] : problemsOf(object(members), options, '')
    const problems = [...problemsOf(oneOf(formats), format, 'format'), ...ofOptions]
    if (problems.length > 0) return failure(...problems)
    try {
      return success(write())
    } catch {
      return failure({ path: 'result', message: `expected the value of a result of ${name}()` })
    }
  })
}
