import { rule } from '../../src/engine/rule.ts'
import { outcomeOf } from '../../src/gateway/conflicts/precedence.ts'
import { lossPlace, lossWords } from './losses.ts'
import { manifest, target } from './manifest.ts'

const policy = (name: string, second: number, ...routes: readonly string[]): string =>
  manifest({
    metadata: `{ name: ${name}, namespace: shop, creationTimestamp: "2025-01-01T00:00:0${second}Z" }`,
    targets: routes.map((route) => target('HTTPRoute', route)),
    settings: ['rejectCode: 429'],
  })

/** A policy that loses to a loser: whether it is dropped depends on which target is looked at first. */
export default rule({
  id: 'gateway/conflict-chain',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['policies', 'conflict'],
  summary: 'No policy loses to a policy that loses itself.',
  why: 'A dropped policy drops nobody. Where the winner over this policy loses on another of its targets, it depends on the order of the targets, which changes from one run of the controller to the next, whether this policy is dropped.',
  remedy: 'Keep {fields} in one policy of each target.',
  source: 'specification of RateLimitPolicy, "States and transitions"',
  messages: {
    chain:
      'policy "{winner}" sets {fields} on {kind} "{name}" too and {reason}, but itself loses {beyondKind} "{beyondName}" to "{beyond}": whether this policy is dropped is a matter of chance',
  },
  examples: {
    bad:
      policy('third', 3, 'tea').trimEnd() +
      `\n---\n${policy('first', 1, 'coffee')}---\n${policy('second', 2, 'coffee', 'tea')}`,
    good: `${policy('first', 1, 'coffee')}---\n${policy('second', 2, 'tea')}`,
  },
  check(subject, { policies, conflict, report }) {
    const outcome = outcomeOf(subject, policies, conflict)
    const [chain] = outcome.state === 'undetermined' ? outcome.chains : []
    if (!chain) return
    report('chain', lossPlace(subject, chain.conflict), {
      ...lossWords(chain.conflict),
      beyond: chain.next.preferred.identity.name,
      beyondKind: chain.next.kind,
      beyondName: chain.next.name,
    })
  },
})
