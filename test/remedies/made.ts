/**
 * Remedies carried out in the fixtures: by the patch of the finding, by what its words quote (`Write "10r/s"`), and by
 * the edits in `test/fixtures/<system>/<rule>/remedies.yaml`.
 */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { load } from 'js-yaml'
import { createEditor } from '../../src/lint/fix.ts'
import type { ReportedFinding } from '../../src/lint/report.ts'
import { applyEdits } from '../../src/yaml/edit/edit.ts'
import { type Fixture, readFixtures, withText } from '../fixtures.ts'
import { type Answer, ask, type NamedFinding } from './ask.ts'

/** A remedy that was carried out. */
export type MadeRemedy = NamedFinding & {
  /** The fixture and the line of the finding, and how the remedy was carried out. */
  readonly title: string
  readonly before: Answer
  /** The fixture as it is afterwards. */
  readonly after: Fixture
}

/** An entry of `remedies.yaml`. */
type WrittenProof = {
  /** The id of the message. */
  readonly message: string
  /** `bad-words.yaml:16`, where the finding is. */
  readonly at: string
  /** What the finding says: a proof of other words proves nothing. */
  readonly remedy: string
  /** Each way to follow the remedy, as edits: the old text and the new one. `^` and `$` are the ends of the file. */
  readonly made: readonly Readonly<Record<string, string>>[]
}

/** Every remedy that was carried out, and what `remedies.yaml` says of findings that do not exist. */
export function makeRemedies(): { readonly made: readonly MadeRemedy[]; readonly problems: readonly string[] } {
  const problems: string[] = []
  const made = readFixtures()
    .filter(({ name }) => name.startsWith('bad'))
    .flatMap((fixture) => {
      const before = ask(fixture.text, fixture)
      const own = before.findings.filter(({ finding }) => finding.rule === fixture.rule)
      const making = (named: NamedFinding, how: string, text: string): MadeRemedy => ({
        ...named,
        title: `${fixture.rule}/${fixture.name}:${named.finding.line} ${how}`,
        before,
        after: withText(fixture, text),
      })
      const byItself = own.flatMap((named) =>
        carryOut(fixture.text, before, named).map(({ how, text }) => making(named, how, text)),
      )
      const byHand = proofsFor(fixture).flatMap(({ message, at, remedy, made: ways }) => {
        const line = Number(at.split(':')[1])
        const here = own.filter(({ finding, id }) => finding.line === line && id === message)
        const named = here.find(({ finding }) => finding.help === remedy)
        if (!named) problems.push(`${fixture.rule}: no finding "${message}" at ${at} says "${remedy}"`)
        return (named ? ways : []).flatMap((edits) => {
          const text = named && edited(fixture, named, edits)
          if (named && text !== undefined) return [making(named, JSON.stringify(edits).slice(0, 200), text)]
          problems.push(`${fixture.rule}: ${at} has a text nowhere or in several places: ${JSON.stringify(edits)}`)
          return []
        })
      })
      return [...byItself, ...byHand]
    })
  return { made, problems }
}

/** What a text becomes by the patch of a finding, and by what its remedy says in quotes. */
export function carryOut(text: string, before: Answer, { finding }: NamedFinding) {
  const edits = createEditor(before)(finding)
  const quoted = withQuoted(text, finding)
  return [
    ...(edits ? [{ how: 'by its patch', text: applyEdits(text, edits) }] : []),
    ...(quoted === undefined ? [] : [{ how: 'by its words', text: quoted }]),
  ]
}

function proofsFor({ path, name }: Fixture): readonly WrittenProof[] {
  const file = join(dirname(path), 'remedies.yaml')
  const all = existsSync(file) ? (load(readFileSync(file, 'utf8')) as readonly WrittenProof[]) : []
  return all.filter(({ at }) => at.startsWith(`${name}:`))
}

const QUOTED = /^Write "(?:(\w+): )?([^"]*)"(?=[.,:]|$)/

/** The text with what the remedy says in quotes at the place of the finding; undefined where its words are others. */
function withQuoted(text: string, finding: ReportedFinding): string | undefined {
  const [whole, member, value] = QUOTED.exec(finding.help) ?? []
  if (whole === undefined || value === undefined) return undefined
  const [start, end] = [
    offsetOf(text, finding.line, finding.column),
    offsetOf(text, finding.endLine, finding.endColumn),
  ]
  if (member === undefined) return splice(text, start, end, JSON.stringify(value))
  const isMember = new RegExp(`${member}["']?\\s*:\\s*$`).test(text.slice(0, start))
  const isText = finding.file.endsWith('.json') && !/^(?:true|false|\d+)$/.test(value)
  return isMember ? splice(text, start, end, isText ? JSON.stringify(value) : value) : undefined
}

const splice = (text: string, start: number, end: number, by: string): string =>
  text.slice(0, start) + by + text.slice(end)

/** The offset of a line and a column, both from 1; columns count characters. */
function offsetOf(text: string, line: number, column: number): number {
  const lines = text.split('\n')
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0)
  return start + [...(lines[line - 1] ?? '')].slice(0, column - 1).join('').length
}

/**
 * Replaces each text by the other one: in the lines of the finding where it is there, else where it is once. Undefined
 * where one of them is nowhere, or in several other places.
 */
function edited({ text }: Fixture, { finding }: NamedFinding, edits: WrittenProof['made'][number]): string | undefined {
  const own = { start: offsetOf(text, finding.line, 1), end: offsetOf(`${text}\n`, finding.endLine + 1, 1) }
  const planned = Object.entries(edits).flatMap(([old, by]) => {
    if (old === '^') return { start: 0, end: 0, text: by }
    if (old === '$') return { start: text.length, end: text.length, text: by }
    const at = text.indexOf(old, own.start)
    const isOwn = at !== -1 && at < own.end
    const start = isOwn ? at : text.indexOf(old)
    if (start === -1 || (!isOwn && text.indexOf(old, start + 1) !== -1)) return []
    return { start, end: start + old.length, text: by }
  })
  return planned.length === Object.keys(edits).length ? applyEdits(text, planned) : undefined
}
