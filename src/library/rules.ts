/** The texts of rules. */
import { type RuleText, ruleText } from '../lint/rule-text.ts'
import { REGISTRY } from '../registry.ts'
import { findRuleId } from '../settings/rule-ids.ts'
import { problemsOf, string } from './check.ts'
import { RULE_IDS } from './input.ts'
import { failure, guarded, type Result, success } from './result.ts'

/** The texts of all rules, in the order of the documentation. */
export const rules = (): readonly RuleText[] => REGISTRY.rules.map(ruleText)

/** The text of one rule, by its id, or by the part after the slash if only one rule has it. */
export function explain(id: string): Result<RuleText> {
  return guarded(() => {
    const problems = problemsOf(string, id, 'id')
    if (problems.length > 0) return failure(...problems)
    const found = findRuleId(id, RULE_IDS)
    if ('problem' in found) return failure({ path: 'id', message: found.problem })
    const [rule] = rules().filter((one) => one.id === found.id)
    return rule ? success(rule) : failure({ path: 'id', message: `unknown rule "${id}"` })
  })
}
