/** `rules/README.md`: a page with the texts and examples of every rule. */
import { withoutValues } from '../../src/engine/finding.ts'
import type { AnyRule, Message } from '../../src/engine/rule.ts'
import { readFixtures } from '../../test/fixtures.ts'
import { ask } from '../../test/remedies/ask.ts'

const FIX = { safe: 'fix', 'opt-in': 'fix?' } as const

/** What the rules of a system check. */
const SYSTEMS: Readonly<Record<string, string>> = {
  document: 'YAML and JSON documents that name a checked kind, and the suppressions in them.',
  gateway: 'RateLimitPolicies and their targets.',
  'api-management':
    'Bodies of API proxies with a rate limit policy (`policies.rate-limit`, `proxyConfig.policies.rate-limit`).',
  mesh: 'What is kept for the service mesh: roles, the APIService, the stored configuration, and workloads. They are checked in texts that name `nsm.nginx.com`, and everywhere with `mesh: true` in the settings.',
}

/** The text of the page. */
export function rulesPage(rules: readonly AnyRule[]): string {
  const systems = [...new Set(rules.map(systemOf))]
  return `<!-- Made by \`npm run docs\` from the rules; edit those. -->

# Rules

${rules.length} rules. \`sluice explain ID\` prints the same for one rule. \`--rule ID=off|info|warning|error\` and the
settings file change a severity. *fix*: the finding has a patch that is safe to apply; *fix?*: it has a patch that
changes behaviour.

${systems.map((system) => systemTable(system, rules)).join('\n')}
${rules.map(ruleSection).join('\n')}`
}

const systemOf = ({ id }: AnyRule): string => id.slice(0, id.indexOf('/'))
const nameOf = ({ id }: AnyRule): string => id.slice(id.indexOf('/') + 1)

/** The anchor that GitHub gives to a heading. */
const anchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-')

function systemTable(system: string, rules: readonly AnyRule[]): string {
  const rows = rules
    .filter((rule) => systemOf(rule) === system)
    .map((rule) => {
      const fix = rule.fix ? FIX[rule.fix] : ''
      return `| [${nameOf(rule)}](#${anchor(rule.id)}) | ${severities(rule).join(', ')} | ${fix} | ${cell(rule.summary)} |`
    })
  return `## ${system}/

${SYSTEMS[system] ?? ''}

| rule | severity | fix | what it requires |
|---|---|---|---|
${rows.join('\n')}
`
}

/** Every severity that findings of a rule can have, that of the rule first. */
const severities = (rule: AnyRule): readonly string[] => [
  ...new Set([rule.severity, ...Object.values(rule.messages).map((message) => severityOf(message) ?? rule.severity)]),
]

const severityOf = (message: Message): string | undefined =>
  typeof message === 'string' ? undefined : message.severity

function ruleSection(rule: AnyRule): string {
  const { bad, good } = rule.examples()
  return `### ${rule.id}

${prose(rule.summary)} ${prose(rule.why)}

**What to do.** ${prose(rule.remedy)}

${Object.entries(rule.messages)
  .map(([id, message]) => messageLine(rule.id, id, message))
  .join('\n')}

Bad:

${fenced(bad)}

Good:

${fenced(good)}

Source: ${prose(rule.source)}
`
}

/** A message as a fixture shows it, and its remedy where that is not the one of the rule. */
function messageLine(rule: string, id: string, message: Message): string {
  const { text, severity, remedy } = typeof message === 'string' ? { text: message } : message
  const shown = FOUND.get(`${rule} ${id}`) ?? { text: withoutValues(text), help: withoutValues(remedy ?? '') }
  const extra = [severity ? `(${severity})` : '', remedy ? `*${prose(shown.help)}*` : ''].filter((part) => part !== '')
  return [`- \`${id}\`: ${prose(shown.text)}`, ...extra].join(' ')
}

/** The shortest finding of each message in the fixtures, by rule and message. */
const FOUND = new Map(
  readFixtures()
    .filter(({ name }) => name.startsWith('bad'))
    .flatMap((fixture) => ask(fixture.text, fixture).findings)
    .map(({ id, finding }) => ({
      key: `${finding.rule} ${id}`,
      text: finding.message.slice(id.length + 1),
      help: finding.help,
    }))
    .sort((a, b) => b.text.length - a.text.length)
    .map(({ key, ...shown }) => [key, shown]),
)

/** Markdown would read these as markup. */
const prose = (text: string): string => text.trim().replace(/[<>*_`]/g, (character) => `\\${character}`)

const cell = (text: string): string => prose(text).replaceAll('|', '\\|')

function fenced(text: string): string {
  return `\`\`\`yaml\n${text.trimEnd()}\n\`\`\``
}
