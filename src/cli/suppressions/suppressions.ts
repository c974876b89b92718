/** `sluice suppressions`. */
import { resolve } from 'node:path'
import { isExpired, termsOf } from '../../engine/suppression.ts'
import { loadBaseline, nameFrom } from '../../files/baseline-file.ts'
import { commitDates } from '../../files/git/blame.ts'
import { type LintOutcome, lint } from '../../lint/lint.ts'
import type { WrittenSuppression } from '../../lint/report.ts'
import { REGISTRY, withPolicies } from '../../registry.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import type { Format } from '../../reports/lint/formats.ts'
import { type AgedSuppression, suppressionsJson, suppressionsReport } from '../../reports/suppressions.ts'
import { dateOf } from '../../text/date.ts'
import { compareText } from '../../text/order.ts'
import { counted } from '../../text/plural.ts'
import { createLineIndex } from '../../yaml/locate.ts'
import { type Command, command } from '../core/command.ts'
import type { Args, Flags } from '../core/flags.ts'
import { finish, INPUT_FLAGS, type Inputs, readInputs } from '../core/inputs.ts'
import { EXIT, InputError, type Io } from '../core/io.ts'
import { OUTPUT_FLAGS, type Outputs, readOutputs, writeReports } from '../lint/output.ts'

const FLAGS = {
  format: OUTPUT_FLAGS.format,
  output: OUTPUT_FLAGS.output,
  baseline: { value: 'FILE', summary: 'list the entries of this baseline, too' },
  expired: { summary: 'only those whose last day is over' },
  'expires-within': { value: 'DAYS', summary: 'only those that end within so many days, or have ended: 30d' },
  owner: { value: 'NAME', summary: 'only those of this owner' },
  ...INPUT_FLAGS,
} as const satisfies Flags

/** `sluice suppressions`. */
export const suppressionsCommand: Command = command({
  name: 'suppressions',
  summary: 'list what suppresses findings, with owner, last day and age',
  usage: '[paths…] [flags]',
  details: `Lists the comments and annotations that suppress findings, and with --baseline
the entries of a baseline: the rules, who answers for each, its last day, and
how old its line is in Git. A suppression is needed, unneeded, expired, wrong
(it cannot be understood) or unknown. Paths are the same as for lint.

The exit code is 1 where one has expired. As annotations and in reports an
expired one is an error, an unneeded or wrong one a warning, any other an info.`,
  flags: FLAGS,
  examples: [
    { line: 'sluice suppressions k8s', does: 'all of a folder' },
    { line: 'sluice suppressions --expires-within 30d', does: 'what somebody has to look at this month' },
    { line: 'sluice suppressions --owner team-a --format markdown', does: 'those of a team, for an issue' },
    { line: 'sluice suppressions --baseline sluice.baseline.json --format json', does: 'for programs' },
  ],
  run: async (io, args) => {
    const days = readDays(args.value('expires-within'))
    const today = io.today()
    const outputs = readOutputs(outputFlags(args), io)
    const inputs = await readInputs(io, args, args.positionals)
    const outcome = lint(inputs.collected, {
      ...REGISTRY,
      settings: inputs.project.settings,
      closedWorld: inputs.closedWorld,
      today,
    })
    const file = args.value('baseline')
    const known = file === undefined ? [] : await fromBaseline(file, outcome, io)
    const last = days === undefined ? undefined : dayAfter(today, days)
    const owner = args.value('owner')
    const written = [...outcome.suppressions(), ...known].filter(
      (one) =>
        (!args.has('expired') || one.state === 'expired') &&
        (last === undefined || (one.until !== undefined && one.until <= last)) &&
        (owner === undefined || one.owner === owner),
    )
    const listed = await withAges(inOrder(written), io)
    const isWritten = await print(listed, { outputs, inputs, documents: outcome.report.summary.documents }, io)
    const code = isWritten ? finish(io, inputs.collected) : EXIT.input
    return code === EXIT.clean && listed.some(({ state }) => state === 'expired') ? EXIT.findings : code
  },
})

type SuppressionArgs = Args<keyof typeof FLAGS>

/** The flags of reports that this command has; infos are always shown. */
const outputFlags = (args: SuppressionArgs): Parameters<typeof readOutputs>[0] => ({
  positionals: args.positionals,
  has: (name) => name === 'info',
  value: (name) => (name === 'format' || name === 'color' ? args.value(name) : undefined),
  values: (name) => (name === 'output' ? args.values(name) : []),
})

/** Days of `30d` or `30`. Throws {@link InputError}. */
function readDays(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const [, days] = /^(\d{1,5})d?$/.exec(text) ?? []
  if (days === undefined) throw new InputError(`--expires-within must be a number of days such as 30d; got "${text}"`)
  return Number(days)
}

const DAY = 24 * 60 * 60 * 1000

const dayAfter = (date: string, days: number): string | undefined => dateOf(Date.parse(date) + days * DAY)

/** The entries of a baseline, in the state that the findings of today give them. Throws {@link InputError}. */
async function fromBaseline(file: string, { report }: LintOutcome, io: Io): Promise<readonly WrittenSuppression[]> {
  const { applyBaseline, placesOf } = await import('../../lint/baseline/baseline.ts')
  const stored = loadBaseline(file, io.cwd)
  if ('problem' in stored) throw new InputError(escapeUnsafe(stored.problem))
  const { known, text = '' } = stored
  if (!known) throw new InputError(escapeUnsafe(`${file}: no such file`))
  const missing = new Set(applyBaseline(report, known, nameFrom(file, io.cwd), io.today()).missing)
  const [places, placeOf] = [placesOf(text), createLineIndex(text)]
  return known.map((one, index) => ({
    kind: 'baseline',
    file,
    ...placeOf(places[index]?.start ?? 0),
    rules: [one.rule],
    reason: `${one.file}: ${one.message}`,
    ...termsOf(one),
    state: isExpired(one, io.today()) ? 'expired' : missing.has(one) ? 'unknown' : 'needed',
  }))
}

const inOrder = (all: readonly WrittenSuppression[]): readonly WrittenSuppression[] =>
  [...all].sort((a, b) => compareText(a.file, b.file) || a.line - b.line || a.column - b.column)

/** How many days ago the line of each was committed. */
async function withAges(all: readonly WrittenSuppression[], io: Io): Promise<readonly AgedSuppression[]> {
  const dates = await commitDates(all.map(({ file, line }) => ({ path: resolve(io.cwd, file), line })))
  return all.map((one, index) => {
    const date = dates[index]
    const age = date === undefined ? undefined : Math.max(0, (Date.parse(io.today()) - Date.parse(date)) / DAY)
    return { ...one, age }
  })
}

type Shown = { readonly outputs: Outputs; readonly inputs: Inputs; readonly documents: number }

async function print(
  listed: readonly AgedSuppression[],
  { outputs, inputs, documents }: Shown,
  io: Io,
): Promise<boolean> {
  if (listed.length === 0 && outputs.format.name === 'text' && outputs.files.length === 0) {
    io.stdout.write(`no suppressions in ${counted(inputs.collected.files, 'file')}\n`)
    return true
  }
  const own = { syntax: 'json' as const, render: () => suppressionsJson(listed) }
  const withOwnJson = (format: Format): Format =>
    format.name === 'json' ? { ...format, load: async () => own } : format
  return await writeReports(
    {
      report: suppressionsReport(listed, { files: inputs.collected.files, documents }),
      sources: [...inputs.collected.sources],
      rules: withPolicies(REGISTRY, inputs.project.settings).rules,
      warningsFail: false,
    },
    {
      ...outputs,
      format: withOwnJson(outputs.format),
      files: outputs.files.map((file) => ({ ...file, format: withOwnJson(file.format) })),
    },
    io,
  )
}
