/** What the library says of the files, asked anew after each change. Only the newest question is answered. */
import type { Diagnostic } from '@codemirror/lint'
import { useState } from 'preact/hooks'
import type { FindingFix, LintResult, RenderResult, Result, TextSource } from '../../browser.ts'
import { library } from '../library/library.ts'
import { useNewest } from '../use-answer.ts'
import type { PlaygroundState } from './state.ts'

/** How the files are read: they are all there is. */
export const READ_AS = { closedWorld: true, namespace: 'default' } as const

/** The findings of one state of the files. */
export type Analysis = {
  /** What was judged: places are in these texts. */
  readonly files: readonly TextSource[]
  readonly lint: LintResult
}

/** The newest findings; undefined until there are some. `isBusy` while newer ones are made. */
export function useAnalysis({ files, previous }: Pick<PlaygroundState, 'files' | 'previous'>): {
  readonly analysis: Analysis | undefined
  readonly isBusy: boolean
} {
  const [analysis, setAnalysis] = useState<Analysis>()
  const [isBusy, setIsBusy] = useState(true)
  useNewest(
    () => {
      setIsBusy(true)
      return library().lint(files, { ...READ_AS, fixes: true, ...(previous ? { previous } : {}) })
    },
    (found) => {
      if (found.ok) setAnalysis({ files, lint: found.value })
      setIsBusy(false)
    },
    [files, previous],
  )
  return { analysis, isBusy }
}

/** What is wrong, a line each; nothing where there is a result. */
export const problemsOf = (result: Result<unknown>): readonly string[] =>
  result.ok ? [] : result.problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))

/** A text of nginx configuration, and what it is of. */
export type ConfigurationPart = { readonly title: string; readonly text: string }

/** The texts of all Gateways and API proxies. */
export const configurationParts = ({ gateways, apiManagement }: RenderResult): readonly ConfigurationPart[] => [
  ...gateways.flatMap(({ namespace, name, files }) =>
    files.map((file) => ({ title: `Gateway ${namespace}/${name}`, text: file.text })),
  ),
  ...apiManagement.flatMap(({ files }) => files.map(({ name, text }) => ({ title: name, text }))),
]

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
