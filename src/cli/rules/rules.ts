/** `sluice rules`. */
import type { AnyRule } from '../../engine/rule.ts'
import { REGISTRY, withPolicies } from '../../registry.ts'
import { widthOf } from '../../reports/characters.ts'
import { createPaint, type Paint, wrap } from '../../reports/style.ts'
import { type Command, command } from '../core/command.ts'
import { readChoice } from '../core/inputs.ts'
import { EXIT, InputError } from '../core/io.ts'
import { loadSettings } from '../core/project.ts'
import { WHEN, wantsColor } from '../core/terminal.ts'

const FORMATS = ['text', 'json'] as const

/** `sluice rules`. */
export const rulesCommand: Command = command({
  name: 'rules',
  summary: 'list the rules of lint',
  usage: '[flags]',
  flags: {
    format: { value: 'NAME', choices: FORMATS, summary: `output format: ${FORMATS.join(', ')}` },
    config: { value: 'FILE', summary: 'the settings, for their policies; default: sluice.config.yaml here or above' },
    color: { value: 'WHEN', choices: WHEN, summary: 'auto, always or never; default: auto' },
  },
  examples: [
    { line: 'sluice rules', does: 'the id, severity, fix and summary of each rule' },
    { line: 'sluice rules --format json', does: 'for programs' },
  ],
  run: async (io, args) => {
    const format = readChoice('format', args.value('format'), FORMATS)
    const [surplus] = args.positionals
    if (surplus !== undefined)
      throw new InputError(`"sluice rules" lists all rules; use "sluice explain ${surplus}" for one`)
    const { rules } = withPolicies(REGISTRY, await loadSettings(io, args))
    const paint = createPaint(wantsColor(args.value('color'), io.stdout, io))
    io.stdout.write(
      format === 'json' ? asJson(rules) : asTable(rules, paint, io.stdout.columns),
      format === 'json' ? 'json' : 'text',
    )
    io.onWork?.()
    return EXIT.clean
  },
})

/** An array with one rule on each line. `fix` and `since` are null where the rule has none. */
function asJson(rules: readonly AnyRule[]): string {
  const lines = rules.map(({ id, severity, judges, fix, since, summary, remedy, source }) =>
    JSON.stringify({
      id,
      severity,
      judges: [judges].flat(),
      fix: fix ?? null,
      since: since ?? null,
      summary,
      remedy,
      source,
    }),
  )
  return `[\n${lines.join(',\n')}\n]\n`
}

/** Columns of a summary on the narrowest terminal: more than the longest word of any. */
const MIN_SUMMARY_WIDTH = 28

function asTable(rules: readonly AnyRule[], paint: Paint, columns = Number.POSITIVE_INFINITY): string {
  const between = 2 + 'warning'.length + 1 + 'fix?'.length + 1
  // On a narrow terminal the longest ids have a line of their own.
  const widest = Math.min(
    Math.max(...rules.map(({ id }) => id.length)),
    Math.max(columns - between - MIN_SUMMARY_WIDTH, 0),
  )
  const indent = widest + between
  const lines = rules.flatMap(({ id, severity, fix, summary }) => {
    const fixCell = fix === undefined ? '' : fix === 'safe' ? 'fix' : 'fix?'
    const severityCell = paint(severity, severity) + ' '.repeat('warning'.length - severity.length)
    const [first = '', ...rest] = wrap(summary, Math.max(columns - indent, MIN_SUMMARY_WIDTH), widthOf)
    const row = `  ${severityCell} ${fixCell.padEnd(4)} ${first}`
    const named =
      id.length > widest ? [paint('strong', id), ' '.repeat(widest) + row] : [paint('strong', id.padEnd(widest)) + row]
    return [...named, ...rest.map((line) => ' '.repeat(indent) + line)]
  })
  const legend = [
    `${rules.length} rules. fix: fixed by --fix; fix?: by --fix=all, as behaviour may change.`,
    '"sluice explain ID" explains a rule.',
  ]
  return `${[...lines, '', ...legend.map((line) => paint('faint', line))].join('\n')}\n`
}
