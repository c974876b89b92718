/** What a SARIF report says of the rules. */
import type { AnyRule } from '../../engine/rule.ts'
import type { Severity } from '../../settings/settings.ts'

/** Every rule, found or not: a viewer shows what was looked for. */
export const describeRules = (rules: readonly AnyRule[]): readonly object[] => rules.map(describeRule)

/** The words of SARIF for severities. */
export const LEVELS = { error: 'error', warning: 'warning', info: 'note' } as const satisfies Record<Severity, string>

/** GitHub's own words for the weight of what is no vulnerability. */
const WEIGHTS = { error: 'error', warning: 'warning', info: 'recommendation' } as const satisfies Record<
  Severity,
  string
>

const describeRule = (rule: AnyRule): object => ({
  id: rule.id,
  name: friendlyName(rule.id),
  shortDescription: { text: rule.summary },
  fullDescription: { text: rule.why },
  help: { text: `${rule.remedy}\n\nSource: ${rule.source}`, markdown: helpPage(rule) },
  defaultConfiguration: { level: LEVELS[rule.severity] },
  properties: {
    tags: ['nginx', 'rate-limiting', rule.id.slice(0, rule.id.indexOf('/'))],
    'problem.severity': WEIGHTS[rule.severity],
  },
})

/** `gateway/rate-syntax` as viewers like it: `RateSyntax`. */
const friendlyName = (id: string): string =>
  id.slice(id.indexOf('/') + 1).replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())

const helpPage = ({ summary, why, remedy, source, examples }: AnyRule): string => `${prose(summary)} ${prose(why)}

**What to do.** ${prose(remedy)}

Wrong:

${fenced(examples.bad)}

Right:

${fenced(examples.good)}

Source: ${prose(source)}
`

/** Markdown would read these as markup. */
const prose = (text: string): string => text.trim().replace(/[<>*_`$]/g, (character) => `\\${character}`)

const fenced = (yaml: string): string => `\`\`\`yaml\n${yaml.trim()}\n\`\`\``
