import { rule } from '../../src/gateway/rule.ts'
import { manifest, target } from './manifest.ts'

/** One target has one entry in the policy's status. */
export default rule({
  id: 'gateway/duplicate-target',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A policy names every target once.',
  why: 'The status of a policy has one entry for each target. The API server refuses a target that is named twice by the same kind and name.',
  remedy: 'Remove it, or correct its name where another target was meant.',
  source: 'specification of RateLimitPolicy, targetRefs and status.ancestors',
  messages: { twice: '{kind} "{name}" is targeted already, by targetRefs[{first}]' },
  examples: {
    bad: manifest({ targets: [target('HTTPRoute', 'coffee'), target('HTTPRoute', 'coffee')] }),
    good: manifest({ targets: [target('HTTPRoute', 'coffee'), target('GRPCRoute', 'coffee')] }),
  },
  check({ targets }, { report }) {
    if (targets.length < 2) return
    const seen = new Map<string, number>()
    for (const { kind, name, pointer, index } of targets) {
      if (!kind.value || !name.value) continue
      const identity = `${kind.value}/${name.value}`
      const first = seen.get(identity)
      if (first === undefined) seen.set(identity, index)
      else report('twice', pointer, { kind: kind.value, name: name.value, first })
    }
  },
})
