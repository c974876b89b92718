/** What the library says of the files, asked anew after each change. Only the newest question is answered. */
import type { Diagnostic } from '@codemirror/lint'
import { useEffect, useState } from 'preact/hooks'
import type { FindingFix, LintResult, RenderResult, Result, TextSource } from '../../browser.ts'
import { library } from '../library/library.ts'
import type { PlaygroundState } from './state.ts'

/** What is known of one state of the files; a part that could not be had is its problems, a line each. */
export type Analysis = {
  /** What was analysed: places are in these texts. */
  readonly files: readonly TextSource[]
  readonly lint: LintResult
  readonly configuration: RenderResult | readonly string[]
  /** As `sluice status` prints it. */
  readonly conditions: string | readonly string[]
  /** As `sluice effective` prints it; undefined where there is nothing to ask about. */
  readonly limits: string | readonly string[] | undefined
}

/** The newest analysis; undefined until there is one. `isBusy` while a newer one is made. */
export function useAnalysis({ files, previous, target }: PlaygroundState): {
  readonly analysis: Analysis | undefined
  readonly isBusy: boolean
} {
  const [analysis, setAnalysis] = useState<Analysis>()
  const [isBusy, setIsBusy] = useState(true)
  useEffect(() => {
    const isNewest = { value: true }
    setIsBusy(true)
    void analyse(files, previous, target, () => isNewest.value).then((found) => {
      if (!found || !isNewest.value) return
      setAnalysis(found)
      setIsBusy(false)
    })
    return () => {
      isNewest.value = false
    }
  }, [files, previous, target])
  return { analysis, isBusy }
}

async function analyse(
  files: PlaygroundState['files'],
  previous: PlaygroundState['previous'],
  target: string | undefined,
  isWanted: () => boolean,
): Promise<Analysis | undefined> {
  const { lint, render, status, formatStatus } = library()
  const options = { closedWorld: true, namespace: 'default' }
  const found = await lint(files, { ...options, fixes: true, ...(previous ? { previous } : {}) })
  if (!found.ok || !isWanted()) return undefined
  const configuration = await render(files, options)
  const statuses = await status(files, options)
  const conditions = statuses.ok ? await formatStatus(statuses.value, 'table', { width: 72 }) : statuses
  if (!isWanted()) return undefined
  return {
    files,
    lint: found.value,
    configuration: configuration.ok ? configuration.value : problemsOf(configuration),
    conditions: conditions.ok ? conditions.value : problemsOf(conditions),
    limits: target === undefined ? undefined : await limitsOf(files, target),
  }
}

async function limitsOf(files: readonly TextSource[], target: string): Promise<string | readonly string[]> {
  const { effective, formatEffective } = library()
  const found = await effective(files, target, { closedWorld: true, namespace: 'default' })
  const text = found.ok ? await formatEffective(found.value, 'text', { width: 72 }) : found
  return text.ok ? text.value : problemsOf(text)
}

const problemsOf = (result: Result<unknown>): readonly string[] =>
  result.ok ? [] : result.problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))

/** A finding of one file, with its fix where it has one. */
export type FileFinding = LintResult['findings'][number] & { readonly fix: FindingFix | undefined }

/** The findings of a file, in their order. */
export const findingsIn = ({ findings, fixes }: LintResult, file: string): readonly FileFinding[] =>
  findings.flatMap((finding, index) =>
    finding.file === file ? [{ ...finding, fix: fixes.find((one) => one.finding === index) }] : [],
  )

/** The files after a fix; as they are where the text has changed since it was analysed. */
export function afterFix(
  files: readonly TextSource[],
  analysed: readonly TextSource[],
  { file, edits }: Pick<FindingFix, 'edits'> & { readonly file: string },
): readonly TextSource[] {
  const before = analysed.find((one) => one.file === file)?.text
  return files.map((one) => (one.file === file && one.text === before ? { file, text: edited(one.text, edits) } : one))
}

/** Edits do not overlap: the last one first, so that offsets stay right. */
const edited = (text: string, edits: FindingFix['edits']): string =>
  [...edits]
    .sort((a, b) => b.start - a.start)
    .reduce((left, { start, end, text: by }) => left.slice(0, start) + by + left.slice(end), text)

/** A finding as a mark in the editor. Lines and columns count from 1. */
export function diagnosticOf(
  text: string,
  { line, column, endLine, endColumn, severity, message, help, rule, fix }: FileFinding,
  apply: (fix: FindingFix) => void,
): Diagnostic {
  const lines = text.split('\n')
  const offset = (wanted: number, at: number) =>
    lines.slice(0, wanted - 1).reduce((sum, one) => sum + one.length + 1, 0) + at - 1
  const from = Math.min(offset(line, column), text.length)
  return {
    from,
    to: Math.min(Math.max(from, offset(endLine, endColumn)), text.length),
    severity,
    source: rule,
    message: `${message}. ${help}`,
    ...(fix ? { actions: [{ name: 'Fix', apply: () => apply(fix) }] } : {}),
  }
}
