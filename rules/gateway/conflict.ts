import { rule } from '../../src/engine/rule.ts'
import { newlyRejected, outcomeOf } from '../../src/gateway/conflicts/precedence.ts'
import { lossesByWinner, lossPlace, lossWords, pushWords } from './losses.ts'
import { manifest } from './manifest.ts'

const BREW = '{ name: brew, namespace: shop, creationTimestamp: "2025-01-01T00:00:00Z" }'
const COFFEE = '{ name: coffee, namespace: shop, creationTimestamp: "2025-02-02T00:00:00Z" }'

const MERGE = 'Take {fields} out of policy "{winner}", or merge the two into one policy.'

/** Of two policies that set one same field on one target, the younger is dropped whole: its limits with it. */
export default rule({
  id: 'gateway/conflict',
  severity: 'error',
  judges: 'RateLimitPolicy',
  reads: ['policies', 'conflict', 'previous'],
  summary: 'Only one of the policies on a target sets dryRun, logLevel or rejectCode.',
  why: 'The policy that loses is dropped whole, from all its targets: none of its limits is enforced. Values are not compared, so equal ones conflict too, and "dryRun: false" counts as set.',
  remedy: 'Keep {fields} in one of the two, or merge them into one policy.',
  source: 'specification of RateLimitPolicy, "States and transitions" and "Errors"',
  messages: {
    'same-field': 'policy "{winner}" {reason} and sets {fields} on {kind} "{name}" too: this policy is dropped whole',
    'same-field-assumed': {
      text: 'policy "{winner}" sets {fields} on {kind} "{name}" too: the younger is dropped whole, or this one if they are created together',
      severity: 'warning',
    },
    'any-field': {
      text: 'policy "{winner}" {reason} and sets {fields} on {kind} "{name}": this policy is dropped whole',
      remedy: MERGE,
    },
    'any-field-assumed': {
      text: 'policy "{winner}" sets {fields} on {kind} "{name}": this policy is dropped whole if it is not the older one',
      severity: 'warning',
      remedy: MERGE,
    },
    strict: {
      text: 'policy "{winner}" {reason} and sets {fields} on {kind} "{name}": read strictly, this policy is dropped whole',
      severity: 'warning',
      remedy:
        'Merge the two to be safe, or leave them where the controller compares field by field, as NGINX Gateway Fabric does.',
    },
    'pushes-out': {
      text: 'this change sets {fields} on {kind} "{name}", and so drops the younger {losers} whole',
      severity: 'warning',
      remedy: 'Leave {fields} to one policy of each target, or merge the policies.',
    },
  },
  examples: {
    bad: manifest({
      metadata: COFFEE,
      settings: ['rejectCode: 429'],
      beside: [manifest({ metadata: BREW, settings: ['rejectCode: 503'] })],
    }),
    good: manifest({ metadata: COFFEE, settings: ['rejectCode: 429'], beside: [manifest({ metadata: BREW })] }),
  },
  check(policy, { policies, conflict, previous, report }) {
    const outcome = outcomeOf(policy, policies, conflict)
    if (outcome.state === 'rejected')
      for (const loss of lossesByWinner(outcome.conflicts))
        report(
          loss.decidedBy === 'assumed' ? `${conflict}-assumed` : conflict,
          lossPlace(policy, loss),
          lossWords(loss),
        )
    const strict = outcome.state === 'accepted' ? outcomeOf(policy, policies, 'any-field') : outcome
    if (outcome.state === 'accepted' && strict.state === 'rejected')
      for (const loss of lossesByWinner(strict.conflicts)) report('strict', loss.target.name, lossWords(loss))
    const pushed = previous ? newlyRejected({ policy, previous }, policies, conflict) : []
    const [first] = pushed
    if (first) report('pushes-out', lossPlace(policy, first), pushWords(pushed))
  },
})
