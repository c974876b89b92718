/** `sluice explain`. */
import { RULES } from '../../../rules/index.ts'
import { withoutValues } from '../../engine/finding.ts'
import type { AnyRule, Message } from '../../engine/rule.ts'
import { canBeCommented } from '../../lint/suppressions/problems.ts'
import { widthOf } from '../../reports/characters.ts'
import { createPaint, type Paint, wrap } from '../../reports/style.ts'
import { resolveRule } from '../../settings/rule-ids.ts'
import { type Command, command } from '../core/command.ts'
import { EXIT, InputError } from '../core/io.ts'
import { wantsColor } from '../core/terminal.ts'

/** `sluice explain`. */
export const explainCommand: Command = command({
  name: 'explain',
  summary: 'explain a rule: why it exists, and how to fix what it reports',
  usage: 'ID… [flags]',
  flags: { color: { value: 'WHEN', summary: 'auto, always or never; default: auto' } },
  examples: [
    { line: 'sluice explain gateway/rate-syntax', does: 'the reason, the fix, a wrong and a right example' },
    { line: 'sluice explain rate-syntax', does: 'the same: the short name is enough if only one rule has it' },
  ],
  run: (io, args) => {
    if (args.positionals.length === 0) throw new InputError('the name of a rule is missing; "sluice rules" lists them')
    const rules = args.positionals.map(findRule)
    const paint = createPaint(wantsColor(args.value('color'), io.stdout, io))
    const width = Math.min(io.stdout.columns ?? WIDTH, WIDTH)
    io.stdout.write(rules.map((rule) => page(rule, paint, width)).join('\n'))
    io.onWork?.()
    return EXIT.clean
  },
})

/** Columns of the text: longer lines are hard to read. */
const WIDTH = 96

/** Finds a rule by its id, or by the part after the slash if only one rule has it. Throws {@link InputError}. */
function findRule(written: string): AnyRule {
  const found = resolveRule(
    written,
    RULES.map(({ id }) => id),
  )
  if ('problem' in found) throw new InputError(found.problem)
  const rule = RULES.find(({ id }) => id === found.id)
  if (!rule) throw new Error(`${found.id} is the id of no rule`)
  return rule
}

function page(rule: AnyRule, paint: Paint, width: number): string {
  const paragraph = (text: string) => wrap(text, width - 2, widthOf).map((line) => `  ${line}`)
  const part = (title: string, lines: readonly string[]) => ['', paint('strong', title), ...lines]
  const fix = rule.fix === undefined ? '' : `, ${rule.fix === 'safe' ? 'fixed by --fix' : 'fixed by --fix=all'}`
  const since = rule.since === undefined ? '' : `, since ${rule.since}`
  const lines = [
    `${paint('strong', rule.id)}  ${paint(rule.severity, rule.severity)}${paint('faint', fix + since)}`,
    rule.summary,
    ...part('Why', paragraph(rule.why)),
    ...part('How to fix it', paragraph(rule.remedy)),
    ...part('Wrong', example(rule.examples.bad)),
    ...part('Right', example(rule.examples.good)),
    ...(outlines(rule).length > 0
      ? part(
          'Messages',
          outlines(rule).map((text) => `  ${text}`),
        )
      : []),
    ...(canBeCommented(rule)
      ? part('How to suppress it', [`  # sluice-disable-next-line ${rule.id} -- the reason`])
      : []),
    ...part('Source', paragraph(rule.source)),
  ]
  return `${lines.join('\n')}\n`
}

/** What the messages say, without values; each once, and none that is only a value. */
const outlines = ({ messages }: AnyRule): readonly string[] => {
  const texts = Object.values<Message>(messages).map((message) =>
    typeof message === 'string' ? message : message.text,
  )
  return [...new Set(texts.map(withoutValues))].filter((text) => text !== '…')
}

const example = (yaml: string): readonly string[] =>
  yaml
    .trim()
    .split('\n')
    .map((line) => `    ${line}`.trimEnd())
