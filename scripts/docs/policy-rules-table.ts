/** The tables of docs/validating-admission-policy.md: which rules the exported policies have, with the default settings. */
import { RULES } from '../../rules/index.ts'
import { admissionPolicies } from '../../src/installation/admission-policies.ts'
import { DEFAULT_PROJECT } from '../../src/settings/settings.ts'
import { groupBy } from '../../src/text/group.ts'

const START = '<!-- rules: made by `npm run docs` from the rules -->\n'
const END = '<!-- end of rules -->'

/** Replaces the tables between the marks on a page. Throws where the marks are missing. */
export function withPolicyRules(page: string): string {
  const start = page.indexOf(START)
  const end = page.indexOf(END)
  if (start < 0 || end < start) throw new Error('docs/validating-admission-policy.md has lost the marks of its tables')
  const { carried, notCarried } = admissionPolicies(DEFAULT_PROJECT)
  const text = [
    `${carried.length} rules are carried:\n`,
    table(
      'policy | severity',
      groupBy(carried, ({ policy, severity }) => `\`${policy}\` | ${severity}`),
    ),
    `${notCarried.length} rules are not:\n`,
    table(
      'why not',
      groupBy(notCarried, ({ reason }) =>
        reason.replace(/^it looks up .* in the cluster,/, 'it looks up other objects,'),
      ),
    ),
  ].join('\n')
  return page.slice(0, start + START.length) + text + page.slice(end)
}

/** A row for each group: what its rules have in common, and the rules. */
function table(head: string, groups: ReadonlyMap<string, readonly { readonly rule: string }[]>): string {
  const rows = [...groups].map(([common, rows]) => `| ${common} | ${listRules(rows.map(({ rule }) => rule))} |\n`)
  return `| ${head} | rules |\n|${head.replaceAll(/[^|]+/g, ' --- ')}| --- |\n${rows.join('')}`
}

/** The rules by name; where they are all that a system has, only their number. */
function listRules(rules: readonly string[]): string {
  const [system = ''] = rules[0]?.split('/') ?? []
  const all = RULES.filter(({ id }) => id.startsWith(`${system}/`))
  if (all.length === rules.length && all.every(({ id }) => rules.includes(id)))
    return `all ${all.length} of [\`${system}/\`](../rules/README.md#${system})`
  return rules.map(linkTo).join(', ')
}

const linkTo = (rule: string): string => `[${rule}](../rules/README.md#${rule.replace(/[^\w-]/g, '')})`
