import { newlyRejected, outcomeOf } from '../../src/gateway/conflicts/outcome.ts'
import { type Conflict, type ConflictMode, isAssumption } from '../../src/gateway/conflicts/precedence.ts'
import { rule } from '../../src/gateway/rule.ts'
import { conflictData, conflictMember, oncePerPreferred, rejectedData } from './conflicts.ts'
import { manifest, route } from './manifest.ts'

const BREW = '{ name: brew, namespace: shop, creationTimestamp: "2025-01-01T00:00:00Z" }'
const COFFEE = '{ name: coffee, namespace: shop, creationTimestamp: "2025-02-02T00:00:00Z" }'

const COFFEE_ROUTE = route('coffee', 'parentRefs: [{ name: shop }]')

const KEEP_ONE = 'Set {fields} in only one of the two policies, or merge them into one policy.'
const KEEP_THIS = 'Set {fields} only in this policy, or merge the two policies into one.'
const MERGE = 'Remove {fields} from policy "{preferred}", or merge the two policies into one.'

/** Of two policies that set the same field on one target, the younger is rejected with all its limits. */
export default rule({
  id: 'gateway/conflict',
  severity: 'error',
  judges: 'RateLimitPolicy',
  reads: ['policies', 'gateways', 'routes', 'conflict', 'previous'],
  summary: 'dryRun, logLevel and rejectCode are each set by only one of the policies on a target.',
  why: 'The controller rejects the younger policy, or of two equally old ones the later by name, on all its targets (Accepted is False, with reason Conflicted): none of its limits is enforced. Values are not compared: equal values conflict too, and "dryRun: false" counts as set.',
  remedy: 'Set the field in only one of the policies, or merge them into one policy.',
  source: 'specification of RateLimitPolicy, "States and transitions" and "Errors"',
  messages: {
    'same-field': {
      text: 'this policy is rejected: policy "{preferred}" ({reason}) also sets {fields} on {kind} "{name}"',
      remedy: KEEP_ONE,
    },
    'same-field-assumed': {
      text: 'policy "{preferred}" also sets {fields} on {kind} "{name}": the younger is rejected, or this one if both have the same age',
      severity: 'warning',
      remedy: KEEP_THIS,
    },
    'same-field-dated': {
      text: 'policy "{preferred}" ({reason}) also sets {fields} on {kind} "{name}": this policy is rejected unless it is older',
      severity: 'warning',
      remedy: KEEP_THIS,
    },
    'any-field': {
      text: 'this policy is rejected: policy "{preferred}" ({reason}) sets {fields} on {kind} "{name}"',
      remedy: MERGE,
    },
    'any-field-assumed': {
      text: 'policy "{preferred}" sets {fields} on {kind} "{name}": this policy is rejected unless it is older',
      severity: 'warning',
      remedy: MERGE,
    },
    strict: {
      text: 'this policy may be rejected: policy "{preferred}" ({reason}) sets {fields} on {kind} "{name}"',
      severity: 'warning',
      remedy: 'Merge the two policies, unless the controller compares field by field, as NGINX Gateway Fabric does.',
    },
    'pushes-out': {
      text: 'this change sets {fields} on {kind} "{name}", so the younger {rejected} will be rejected',
      severity: 'warning',
      remedy: 'Remove {fields} from this policy, or merge the policies.',
    },
  },
  examples: () => ({
    bad: manifest({
      metadata: COFFEE,
      settings: ['rejectCode: 429'],
      beside: [COFFEE_ROUTE, manifest({ metadata: BREW, settings: ['rejectCode: 503'] })],
    }),
    good: manifest({
      metadata: COFFEE,
      settings: ['rejectCode: 429'],
      beside: [COFFEE_ROUTE, manifest({ metadata: BREW })],
    }),
  }),
  check(policy, context) {
    const { conflict, previous, report } = context
    const outcome = outcomeOf(policy, context, conflict)
    if (outcome.state === 'rejected')
      for (const one of oncePerPreferred(outcome.conflicts))
        report(messageOf(one, conflict), conflictMember(policy, one), conflictData(one))
    const strict = outcome.state === 'accepted' ? outcomeOf(policy, context, 'any-field') : outcome
    if (outcome.state === 'accepted' && strict.state === 'rejected')
      for (const one of oncePerPreferred(strict.conflicts)) report('strict', one.target.name, conflictData(one))
    const pushed = previous ? newlyRejected({ policy, previous }, context, conflict) : []
    const [first] = pushed
    if (first) report('pushes-out', conflictMember(policy, first), rejectedData(pushed))
  },
})

/** Where creation times are not known, it is not certain which of the two is rejected. */
function messageOf({ decidedBy }: Pick<Conflict, 'decidedBy'>, mode: ConflictMode) {
  if (!isAssumption(decidedBy)) return mode
  return mode === 'same-field' && decidedBy === 'dated' ? 'same-field-dated' : (`${mode}-assumed` as const)
}
