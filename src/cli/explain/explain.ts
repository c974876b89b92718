/** `sluice explain`. */
import { RULES } from '../../../rules/index.ts'
import type { AnyRule, Message } from '../../engine/rule.ts'
import { unknownRule } from '../../settings/rule-ids.ts'
import { canBeCommented } from '../../lint/suppressions/problems.ts'
import { widthOf } from '../../reports/characters.ts'
import { createPaint, type Paint, wrap } from '../../reports/style.ts'
import { type Command, command } from '../core/command.ts'
import { EXIT, InputError } from '../core/io.ts'
import { wantsColor } from '../core/terminal.ts'

export const explainCommand: Command = command({
  name: 'explain',
  summary: 'explain why a rule exists and what to do about a finding',
  usage: 'ID… [flags]',
  flags: { color: { value: 'WHEN', summary: 'auto, always or never; default: auto' } },
  examples: [
    { line: 'sluice explain gateway/rate-syntax', does: 'why, remedy, a bad and a good example' },
    { line: 'sluice explain rate-syntax', does: 'the same, where no other rule is called so' },
  ],
  run: (io, given) => {
    if (given.positionals.length === 0) throw new InputError('explain which rule? "sluice rules" lists them')
    const rules = given.positionals.map(findRule)
    const paint = createPaint(wantsColor(given.value('color'), io.stdout, io))
    const width = Math.min(io.stdout.columns ?? WIDTH, WIDTH)
    io.stdout.write(rules.map((rule) => page(rule, paint, width)).join('\n'))
    io.onWork?.()
    return EXIT.clean
  },
})

/** Columns that are pleasant to read. */
const WIDTH = 96

/** Finds a rule by its id, or by the part after the slash where only one has it. Throws {@link InputError}. */
function findRule(id: string): AnyRule {
  const exact = RULES.find((rule) => rule.id === id)
  if (exact) return exact
  const sameName = RULES.filter((rule) => rule.id.endsWith(`/${id}`))
  const [only, another] = sameName
  if (only && !another) return only
  if (only) throw new InputError(`"${id}" is several rules: ${sameName.map((rule) => rule.id).join(', ')}`)
  throw new InputError(
    unknownRule(
      id,
      RULES.map((rule) => rule.id),
    ),
  )
}

function page(rule: AnyRule, paint: Paint, width: number): string {
  const prose = (text: string) => wrap(text, width - 2, widthOf).map((line) => `  ${line}`)
  const part = (title: string, lines: readonly string[]) => ['', paint('strong', title), ...lines]
  const fix =
    rule.fix === undefined ? '' : `, ${rule.fix === 'safe' ? 'with a fix' : 'with a fix that you must ask for'}`
  const since = rule.since === undefined ? '' : `, since ${rule.since}`
  const lines = [
    `${paint('strong', rule.id)}  ${paint(rule.severity, rule.severity)}${paint('faint', fix + since)}`,
    rule.summary,
    ...part('Why', prose(rule.why)),
    ...part('What to do', prose(rule.remedy)),
    ...part('Wrong', example(rule.examples.bad)),
    ...part('Right', example(rule.examples.good)),
    ...part(
      'What it says',
      Object.values<Message>(rule.messages).map((message) => `  ${textOf(message)}`),
    ),
    ...(canBeCommented(rule)
      ? part('Where it is meant', [`  # sluice-disable-next-line ${rule.id} -- the reason`])
      : []),
    ...part('Source', prose(rule.source)),
  ]
  return `${lines.join('\n')}\n`
}

const textOf = (message: Message): string => (typeof message === 'string' ? message : message.text)

const example = (yaml: string): readonly string[] =>
  yaml
    .trim()
    .split('\n')
    .map((line) => `    ${line}`.trimEnd())
