/** A list of suppressions, for people and for programs. */
import {
  countsOf,
  type LintReport,
  type ReportedFinding,
  type Summary,
  type WrittenSuppression,
} from '../lint/report.ts'
import { counted } from '../text/plural.ts'

/** A suppression with its age in days; undefined where that is not known. */
export type AgedSuppression = WrittenSuppression & { readonly age: number | undefined }

/** JSON, version 1: one suppression a line. `schemas/suppressions.schema.json` describes it. */
export function suppressionsJson(all: readonly AgedSuppression[]): string {
  const lines = all.map(({ file, line, column, kind, rules, state, reason, until, owner, age }) =>
    JSON.stringify({
      file,
      line,
      column,
      kind,
      rules,
      state,
      reason,
      until: until ?? null,
      owner: owner ?? null,
      ageInDays: age ?? null,
    }),
  )
  return `{"version":1,"suppressions":${lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n]`}}\n`
}

/** What is wrong with a suppression is worse than that it is there. */
const SEVERITIES: Readonly<Record<WrittenSuppression['state'], ReportedFinding['severity']>> = {
  expired: 'error',
  wrong: 'warning',
  unneeded: 'warning',
  needed: 'info',
  unknown: 'info',
}

const STATES: Readonly<Record<WrittenSuppression['state'], string>> = {
  expired: 'expired',
  wrong: 'suppresses nothing, as it cannot be understood',
  unneeded: 'suppresses nothing',
  needed: 'needed',
  unknown: 'not known whether it is needed',
}

const HELP: Readonly<Record<WrittenSuppression['state'], string>> = {
  expired: 'Fix what it suppressed and remove it, or write a later day after "until=".',
  wrong: 'Correct it: "sluice lint" says what is wrong.',
  unneeded: 'Remove it.',
  needed: 'Look again whether it has to be.',
  unknown: 'Look again whether it has to be.',
}

/** The list as the report of a lint, of which every format can be made. */
export function suppressionsReport(
  all: readonly AgedSuppression[],
  { files, documents }: Pick<Summary, 'files' | 'documents'>,
): LintReport {
  const findings = all.map(
    (one): ReportedFinding => ({
      rule: 'document/suppression',
      severity: SEVERITIES[one.state],
      file: one.file,
      line: one.line,
      column: one.column,
      endLine: one.line,
      endColumn: one.column,
      pointer: '',
      message: describe(one),
      help: HELP[one.state],
      object: { kind: '', namespace: '', name: '' },
    }),
  )
  return {
    version: 1,
    findings,
    suppressed: [],
    notJudged: [],
    summary: { files, documents, ...countsOf(findings), suppressed: 0 },
  }
}

/** `gateway/key-constant (comment, owner pay, until 2027-01-31, 40 days old): needed -- the reason` */
function describe({ rules, kind, state, reason, until, owner, age }: AgedSuppression): string {
  const facts = [
    kind,
    ...(owner === undefined ? [] : [`owner ${owner}`]),
    ...(until === undefined ? [] : [`until ${until}`]),
    ...(age === undefined ? [] : [age === 0 ? 'of today' : `${counted(age, 'day')} old`]),
  ]
  const named = rules.length === 0 ? 'no rule' : rules.join(', ')
  return `${named} (${facts.join(', ')}): ${STATES[state]}${reason === '' ? '' : ` -- ${reason}`}`
}
