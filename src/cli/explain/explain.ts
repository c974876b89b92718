/** `sluice explain`. */
import { RULES } from '../../../rules/index.ts'
import type { AnyRule } from '../../engine/rule.ts'
import { type RuleText, ruleText } from '../../lint/rule-text.ts'
import { REGISTRY, withPolicies } from '../../registry.ts'
import { widthOf } from '../../reports/characters.ts'
import { createPaint, type Paint, wrap } from '../../reports/style.ts'
import { findRuleId, unknownRule } from '../../settings/rule-ids.ts'
import { LOCAL_PREFIX } from '../../settings/settings.ts'
import { type Command, command } from '../core/command.ts'
import { readChoice } from '../core/inputs.ts'
import { EXIT, InputError } from '../core/io.ts'
import { loadSettings } from '../core/project.ts'
import { WHEN, wantsColor } from '../core/terminal.ts'

const FORMATS = ['text', 'json'] as const

/** `sluice explain`. */
export const explainCommand: Command = command({
  name: 'explain',
  summary: 'explain a rule: why it exists, and how to fix what it reports',
  usage: 'ID… [flags]',
  flags: {
    format: {
      value: 'NAME',
      choices: FORMATS,
      summary: `output format: ${FORMATS.join(', ')}; the JSON is a contract`,
    },
    config: { value: 'FILE', summary: 'the settings, for local/NAME; default: sluice.config.yaml here or above' },
    color: { value: 'WHEN', choices: WHEN, summary: 'auto, always or never; default: auto' },
  },
  examples: [
    { line: 'sluice explain gateway/rate-syntax', does: 'the reason, the fix, a wrong and a right example' },
    { line: 'sluice explain rate-syntax', does: 'the same: the short name is enough if only one rule has it' },
    { line: 'sluice explain rate-syntax --format json', does: 'for programs' },
  ],
  run: async (io, args) => {
    if (args.positionals.length === 0) throw new InputError('the name of a rule is missing; "sluice rules" lists them')
    const format = readChoice('format', args.value('format'), FORMATS)
    const isLocal = args.positionals.some((id) => id.startsWith(LOCAL_PREFIX))
    const known = isLocal ? withPolicies(REGISTRY, await loadSettings(io, args)).rules : RULES
    const rules = args.positionals.map((id) => findRule(id, known))
    const paint = createPaint(wantsColor(args.value('color'), io.stdout, io))
    const width = Math.min(io.stdout.columns ?? WIDTH, WIDTH)
    if (format === 'json')
      io.stdout.write(`${JSON.stringify({ version: 1, rules: rules.map(ruleText) }, null, 2)}\n`, 'json')
    else io.stdout.write(rules.map((rule) => page(ruleText(rule), paint, width)).join('\n'))
    io.onWork?.()
    return EXIT.clean
  },
})

/** Columns of the text: longer lines are hard to read. */
const WIDTH = 96

/** Finds a rule by its id, or by the part after the slash if only one rule has it. Throws {@link InputError}. */
function findRule(id: string, rules: readonly AnyRule[]): AnyRule {
  const ids = rules.map((rule) => rule.id)
  const found = findRuleId(id, ids)
  const rule = 'id' in found ? rules[ids.indexOf(found.id)] : undefined
  if (!rule) throw new InputError('problem' in found ? found.problem : unknownRule(id, ids))
  return rule
}

function page(rule: RuleText, paint: Paint, width: number): string {
  const paragraph = (text: string) => wrap(text, width - 2, widthOf).map((line) => `  ${line}`)
  const part = (title: string, lines: readonly string[]) => ['', paint('strong', title), ...lines]
  const fix = rule.fix === null ? '' : `, ${rule.fix === 'safe' ? 'fixed by --fix' : 'fixed by --fix=all'}`
  const since = rule.since === null ? '' : `, since ${rule.since}`
  const lines = [
    `${paint('strong', rule.id)}  ${paint(rule.severity, rule.severity)}${paint('faint', fix + since)}`,
    rule.summary,
    ...part('Why', paragraph(rule.why)),
    ...part('How to fix it', paragraph(rule.remedy)),
    ...(rule.examples.bad === '' ? [] : part('Wrong', example(rule.examples.bad))),
    ...(rule.examples.good === '' ? [] : part('Right', example(rule.examples.good))),
    ...(outlines(rule).length > 0
      ? part(
          'Messages',
          outlines(rule).map((text) => `  ${text}`),
        )
      : []),
    ...(rule.suppression === null ? [] : part('How to suppress it', [`  ${rule.suppression}`])),
    ...part('Source', paragraph(rule.source)),
  ]
  return `${lines.join('\n')}\n`
}

/** What the messages say, without values; each once, and none that is only a value. */
const outlines = ({ messages }: RuleText): readonly string[] =>
  [...new Set(messages.map(({ text }) => text))].filter((text) => text !== '…')

const example = (yaml: string): readonly string[] =>
  yaml
    .trim()
    .split('\n')
    .map((line) => `    ${line}`.trimEnd())
