/** The one explicit, ordered list of rules. A new rule is a file and a line here. */
import type { AnyRule } from '../src/engine/rule.ts'
import mixedTargetKinds from './gateway/mixed-target-kinds.ts'
import rateSyntax from './gateway/rate-syntax.ts'

export const RULES: readonly AnyRule[] = [mixedTargetKinds, rateSyntax]
