/** What must hold for manifests: of findings, their places and fixes, and of answers to questions. */
import { isDeepStrictEqual } from 'node:util'
import fastJsonPatch from 'fast-json-patch'
import {
  effective,
  fix,
  formatEffective,
  formatLint,
  formatRender,
  formatStatus,
  type LintFormat,
  type LintOptions,
  type LintResult,
  lint,
  type Result,
  render,
  type Source,
  status,
  type TextEdit,
} from '../../src/index.ts'
import { isObject } from '../../src/json/member.ts'
import { createEditor } from '../../src/lint/fix.ts'
import { lint as lintWithFixes } from '../../src/lint/lint.ts'
import { compareText } from '../../src/text/order.ts'
import { readDocuments } from '../../src/yaml/documents.ts'
import { applyEdits } from '../../src/yaml/edit/edit.ts'
import { lineStarts } from '../../src/yaml/locate.ts'
import type { Problem } from './target.ts'

type Finding = LintResult['findings'][number]

export const ANY = { mentions: /(?:)/ }

/** A fault in sluice. Any other problem is one of the input, and is told in a sentence. */
export function faultsOf(call: string, result: Result<unknown>): readonly Problem[] {
  if (result.ok) return []
  return result.problems.flatMap(({ message, isFault }) => {
    if (isFault) return [{ what: `${call}: fault`, detail: message }]
    return message === '' ? [{ what: `${call}: a problem without a message`, detail: '' }] : []
  })
}

/** A result that cannot be written is a fault, too. */
export const formatProblems = (call: string, written: Result<string>): readonly Problem[] =>
  written.ok ? [] : [{ what: `${call} cannot be written`, detail: JSON.stringify(written.problems) }]

/** What must hold for everything that is found in sources. */
function lintProblems(sources: readonly Source[], options: LintOptions): readonly Problem[] {
  const result = lint(sources, { ...options, fixes: true })
  if (!result.ok) return faultsOf('lint', result)
  const { findings, suppressed, faults, fixes } = result.value
  return [
    ...faults.map(({ rule, message }) => ({ what: `fault of the rule ${rule}`, detail: message })),
    ...[...findings, ...suppressed].flatMap((finding) => findingProblems(finding, sources)),
    ...orderProblems('findings', findings),
    ...orderProblems('suppressed findings', suppressed),
    ...fixes.flatMap(({ finding, edits }) => editProblems(edits, textOf(sources, findings[finding]?.file))),
    ...countProblems(result.value),
    ...reportProblems(result.value, sources),
  ]
}

const textOf = (sources: readonly Source[], file: string | undefined): string | undefined => {
  const source = sources.find((one) => 'text' in one && one.file === file)
  return source && 'text' in source ? source.text : undefined
}

function findingProblems(finding: Finding, sources: readonly Source[]): readonly Problem[] {
  const { rule, line, column, endLine, endColumn, message, help } = finding
  const words = /\bundefined\b|\bNaN\b|\[object /.exec(`${message} ${help}`.replace(/"(?:[^"\\]|\\.)*"/g, '""'))
  const worded = words ? [{ what: `words of ${rule}`, detail: message }] : []
  const text = textOf(sources, finding.file)
  if (text === undefined) return worded
  const isBehind = endLine > line || (endLine === line && endColumn >= column)
  if (isBehind && isIn(text, line, column) && isIn(text, endLine, endColumn)) return worded
  return [...worded, { what: `place of ${rule}`, detail: JSON.stringify(finding) }]
}

function isIn(text: string, line: number, column: number): boolean {
  const starts = lineStarts(text)
  if (line < 1 || line > starts.length || column < 1) return false
  const ofLine = text.slice(starts[line - 1], starts[line])
  return column <= [...ofLine].length + 1
}

function orderProblems(name: string, findings: readonly Finding[]): readonly Problem[] {
  const inOrder = (a: Finding, b: Finding) =>
    compareText(a.file, b.file) || a.line - b.line || a.column - b.column || compareText(a.rule, b.rule)
  const next = (finding: Finding, index: number) => findings[index + 1] ?? finding
  const unsorted = findings.find((finding, index) => inOrder(finding, next(finding, index)) > 0)
  const twice = new Set(findings.map((finding) => JSON.stringify(finding))).size < findings.length
  return [
    ...(unsorted ? [{ what: `${name} are not sorted`, detail: JSON.stringify(unsorted) }] : []),
    ...(twice ? [{ what: `${name} are not unique`, detail: JSON.stringify(findings) }] : []),
  ]
}

function editProblems(edits: readonly TextEdit[], text: string | undefined): readonly Problem[] {
  let end = 0
  for (const edit of edits) {
    if (text === undefined || edit.start < end || edit.end < edit.start || edit.end > text.length)
      return [{ what: 'an edit is not in its text, or overlaps another', detail: JSON.stringify(edits) }]
    end = edit.end
  }
  return []
}

function countProblems({ findings, suppressed, summary }: LintResult): readonly Problem[] {
  const { errors, warnings, infos } = summary
  const isRight = errors + warnings + infos === findings.length && summary.suppressed === suppressed.length
  return isRight ? [] : [{ what: 'the summary does not count the findings', detail: JSON.stringify(summary) }]
}

const FORMATS = ['text', 'json', 'sarif', 'github', 'gitlab', 'junit', 'markdown'] as const satisfies LintFormat[]

function reportProblems(result: LintResult, sources: readonly Source[]): readonly Problem[] {
  return FORMATS.flatMap((format) => {
    const written = formatLint(result, format, { sources, info: true })
    if (!written.ok) return formatProblems(`lint as ${format}`, written)
    if (format === 'json' || format === 'sarif' || format === 'gitlab') JSON.parse(written.value)
    return []
  })
}

/** What must hold for fixes: done twice they change nothing more, and each is what its patch says. */
function fixProblems(sources: readonly Source[], options: LintOptions): readonly Problem[] {
  return [
    ...patchProblems(sources, options),
    ...[false, true].flatMap((all) => onceProblems(sources, { ...options, all })),
  ]
}

function onceProblems(sources: readonly Source[], options: LintOptions & { all: boolean }): readonly Problem[] {
  const once = fix(sources, options)
  if (!once.ok) return faultsOf('fix', once)
  const problems: Problem[] = []
  const fixed = sources.map((source): Source => {
    const change = 'text' in source ? once.value.changed.find(({ file }) => file === source.file) : undefined
    if (!change || !('text' in source)) return source
    problems.push(...editProblems(change.edits, source.text))
    if (applyEdits(source.text, change.edits) !== change.text)
      problems.push({ what: 'edits do not make the fixed text', detail: change.text })
    return { ...source, text: change.text }
  })
  const twice = fix(fixed, options)
  if (!twice.ok) return faultsOf('fix again', twice)
  for (const { text } of twice.value.changed) problems.push({ what: 'a fix changes what is fixed', detail: text })
  return problems
}

/** Each fix alone makes of its text what its patch makes of the document, by another implementation of JSON Patch. */
function patchProblems(sources: readonly Source[], { closedWorld, namespace }: LintOptions): readonly Problem[] {
  if (namespace !== undefined || sources.some((source) => 'object' in source)) return []
  const outcome = lintWithFixes(sources, { closedWorld: closedWorld === true })
  const editsOf = createEditor(outcome)
  return [...outcome.fixes].flatMap(
    ([
      finding,
      {
        patch,
        origin: { source, document, base },
        inline,
      },
    ]): Problem[] => {
      const edits = editsOf(finding)
      if (!edits || inline || 'object' in source || document.value === undefined) return []
      const operations = patch.map((operation) => ({ ...operation, path: base + operation.path }))
      const wanted = fastJsonPatch.applyPatch(structuredClone(document.value), operations, true, true).newDocument
      const at = readDocuments(source.text, ANY).findIndex(({ start }) => start === document.start)
      const got = readDocuments(applyEdits(source.text, edits), ANY)[at]?.value
      if (isDeepStrictEqual(got, wanted)) return []
      return [
        {
          what: `the fix of ${finding.rule} is not its patch`,
          detail: `${JSON.stringify(got)}\n${JSON.stringify(wanted)}`,
        },
      ]
    },
  )
}

const NOW = '2026-01-31T12:00:00Z'

/** What must hold for the answers to questions about manifests: each is one, or says in a sentence why there is none. */
function queryProblems(sources: readonly Source[], options: LintOptions): readonly Problem[] {
  const problems: Problem[] = []
  const answered = status(sources, { ...options, now: NOW })
  if (answered.ok)
    for (const format of ['table', 'yaml', 'json'] as const)
      problems.push(...formatProblems('status', formatStatus(answered.value, format)))
  problems.push(...faultsOf('status', answered))
  for (const complete of [false, true]) {
    const rendered = render(sources, { ...options, complete })
    if (rendered.ok) problems.push(...formatProblems('render', formatRender(rendered.value, 'nginx')))
    problems.push(...faultsOf('render', rendered))
  }
  for (const target of targetsIn(sources)) {
    const limits = effective(sources, target, options)
    if (limits.ok) problems.push(...formatProblems('effective', formatEffective(limits.value, 'text')))
    problems.push(...faultsOf('effective', limits))
  }
  return problems
}

const MOST_TARGETS = 4

function targetsIn(sources: readonly Source[]): readonly string[] {
  const objects = sources.flatMap((source) =>
    'object' in source ? [source.object] : readDocuments(source.text, ANY).map(({ value }) => value),
  )
  return objects
    .filter(isObject)
    .flatMap(({ kind, metadata }) => {
      const name = isObject(metadata) ? metadata.name : undefined
      return /Route$|^Gateway$/.test(String(kind)) && typeof name === 'string' ? [`${kind}/${name}`] : []
    })
    .slice(0, MOST_TARGETS)
}

/** What is wrong with the answers to one question about manifests: `fix`, `queries`, otherwise `lint`. */
export function problemsOf(asked: string, sources: readonly Source[], options: LintOptions): readonly Problem[] {
  switch (asked) {
    case 'fix':
      return fixProblems(sources, options)
    case 'queries':
      return queryProblems(sources, options)
    default:
      return lintProblems(sources, options)
  }
}
