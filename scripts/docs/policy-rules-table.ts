/** The tables of docs/validating-admission-policy.md: which rules the exported policies have, with the default settings. */
import { admissionPolicies } from '../../src/installation/admission-policies.ts'
import { DEFAULT_PROJECT } from '../../src/settings/settings.ts'

const START = '<!-- rules: made by `npm run docs` from the rules -->\n'
const END = '<!-- end of rules -->'

/** Replaces the tables between the marks on a page. Throws where the marks are missing. */
export function withPolicyRules(page: string): string {
  const start = page.indexOf(START)
  const end = page.indexOf(END)
  if (start < 0 || end < start) throw new Error('docs/validating-admission-policy.md has lost the marks of its tables')
  const { carried, notCarried } = admissionPolicies(DEFAULT_PROJECT)
  const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
    [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('')
  const text = [
    `${carried.length} rules are carried:\n`,
    table(
      ['rule', 'severity', 'policy', 'messages'],
      carried.map(({ rule, severity, policy, messages }) => [
        linkTo(rule),
        severity,
        `\`${policy}\``,
        messages.map((id) => `\`${id}\``).join(', '),
      ]),
    ),
    `${notCarried.length} rules are not:\n`,
    table(
      ['rule', 'why not'],
      notCarried.map(({ rule, reason }) => [linkTo(rule), reason]),
    ),
  ].join('\n')
  return page.slice(0, start + START.length) + text + page.slice(end)
}

const linkTo = (rule: string): string => `[${rule}](../rules/README.md#${rule.replace(/[^\w-]/g, '')})`
