/** `sluice rules`. */
import { RULES } from '../../../rules/index.ts'
import type { AnyRule } from '../../engine/rule.ts'
import { widthOf } from '../../reports/characters.ts'
import { createPaint, type Paint, wrap } from '../../reports/style.ts'
import { type Command, command } from '../core/command.ts'
import { EXIT, InputError } from '../core/io.ts'
import { wantsColor } from '../core/terminal.ts'

const FORMATS = ['text', 'json']

export const rulesCommand: Command = command({
  name: 'rules',
  summary: 'list the rules',
  usage: '[flags]',
  flags: {
    format: { value: 'NAME', summary: `how to list: ${FORMATS.join(', ')}` },
    color: { value: 'WHEN', summary: 'auto, always or never; default: auto' },
  },
  examples: [
    { line: 'sluice rules', does: 'id, severity, whether it mends, one line' },
    { line: 'sluice rules --format json', does: 'for programs' },
  ],
  run: (io, given) => {
    const format = given.value('format') ?? 'text'
    if (!FORMATS.includes(format))
      throw new InputError(`--format must be one of ${FORMATS.join(', ')}; got "${format}"`)
    if (given.positionals.length > 0) throw new InputError(`"sluice explain ${given.positionals[0]}" tells of one rule`)
    const paint = createPaint(wantsColor(given.value('color'), io.stdout, io))
    io.stdout.write(format === 'json' ? asJson(RULES) : asTable(RULES, paint, io.stdout.columns))
    io.onWork?.()
    return EXIT.clean
  },
})

/** One rule a line. `fix` and `since` are null where there is none. */
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

/** Columns that a summary gets even on a narrow terminal. */
const NARROWEST = 24

function asTable(rules: readonly AnyRule[], paint: Paint, columns = Number.POSITIVE_INFINITY): string {
  const widest = Math.max(...rules.map(({ id }) => id.length))
  const indent = widest + 2 + 'warning'.length + 1 + 'fix?'.length + 1
  const lines = rules.flatMap(({ id, severity, fix, summary }) => {
    const mends = fix === undefined ? '' : fix === 'safe' ? 'fix' : 'fix?'
    const severityCell = paint(severity, severity) + ' '.repeat('warning'.length - severity.length)
    const [first = '', ...rest] = wrap(summary, Math.max(columns - indent, NARROWEST), widthOf)
    const row = `${paint('strong', id.padEnd(widest))}  ${severityCell} ${mends.padEnd(4)} ${first}`
    return [row, ...rest.map((line) => ' '.repeat(indent) + line)]
  })
  const legend = [
    `${rules.length} rules. fix: can be mended by a patch; fix?: by one that changes what happens.`,
    '"sluice explain ID" says more of one.',
  ]
  return `${[...lines, '', ...legend.map((line) => paint('faint', line))].join('\n')}\n`
}
