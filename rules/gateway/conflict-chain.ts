import { outcomeOf } from '../../src/gateway/conflicts/outcome.ts'
import { rule } from '../../src/gateway/rule.ts'
import { conflictData, conflictMember } from './conflicts.ts'
import { manifest, route, target } from './manifest.ts'

const policy = (name: string, second: number, ...routes: readonly string[]): string =>
  manifest({
    metadata: `{ name: ${name}, namespace: shop, creationTimestamp: "2025-01-01T00:00:0${second}Z" }`,
    targets: routes.map((route) => target('HTTPRoute', route)),
    settings: ['rejectCode: 429'],
  })

const ROUTES = `${['coffee', 'tea'].map((name) => route(name, 'parentRefs: [{ name: shop }]')).join('\n---\n')}\n---\n`

/** A policy that conflicts with a rejected policy: the outcome depends on which target is checked first. */
export default rule({
  id: 'gateway/conflict-chain',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['policies', 'gateways', 'routes', 'conflict'],
  summary: 'A policy does not conflict with a policy that is rejected on another target.',
  why: 'A rejected policy does not conflict with others any more. If the policy that is preferred over this one is itself rejected on another target, the outcome depends on the order in which the controller checks the targets, and that order changes from run to run.',
  remedy: 'On each target, set the field in only one policy.',
  source: 'specification of RateLimitPolicy, "States and transitions"',
  messages: {
    chain: {
      text: 'this policy may be rejected: policy "{preferred}" ({reason}) sets {fields} on {kind} "{name}", but itself conflicts with "{beyond}" on {beyondKind} "{beyondName}"',
      remedy: 'On each target, set {fields} in only one policy.',
    },
  },
  examples: () => ({
    bad:
      ROUTES +
      policy('third', 3, 'tea').trimEnd() +
      `\n---\n${policy('first', 1, 'coffee')}---\n${policy('second', 2, 'coffee', 'tea')}`,
    good: `${ROUTES}${policy('first', 1, 'coffee')}---\n${policy('second', 2, 'tea')}`,
  }),
  check(subject, context) {
    const { conflict, report } = context
    const outcome = outcomeOf(subject, context, conflict)
    const [chain] = outcome.state === 'undetermined' ? outcome.chains : []
    if (!chain) return
    const { conflict: first, next } = chain
    report('chain', conflictMember(subject, first), {
      ...conflictData(first),
      beyond: next.preferred.identity.name,
      beyondKind: next.kind,
      beyondName: next.name,
    })
  },
})
