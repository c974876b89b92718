import { IS_TARGET_KIND } from '../../src/gateway/cel/policy.ts'
import { rule } from '../../src/gateway/rule.ts'
import { manifest, target } from './manifest.ts'

/** CEL: this target, and the others of its kind and name. */
const EQUAL = 'policy.targets.filter(other, other.?kind == target.?kind && other.?name == target.?name)'

/** The status of a policy has one entry for each target. */
export default rule({
  id: 'gateway/duplicate-target',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A policy names each target only once.',
  why: 'The status of a policy has one entry for each target. The API server refuses a policy that names the same kind and name twice.',
  remedy: 'Remove this target, or correct its name if another one is meant.',
  source: 'specification of RateLimitPolicy, targetRefs and status.ancestors',
  messages: {
    twice: '{kind} "{name}" is already a target, in targetRefs[{first}]',
  },
  cel: {
    each: 'target',
    of: 'policy.targets',
    cases: [
      {
        message: 'twice',
        when: `${IS_TARGET_KIND} && target.?name.orValue('') != '' && ${EQUAL}[0].index < target.index`,
        values: { kind: 'target.kind', name: 'target.name', first: `string(${EQUAL}[0].index)` },
      },
    ],
  },
  examples: () => ({
    bad: manifest({ targets: [target('HTTPRoute', 'coffee'), target('HTTPRoute', 'coffee')] }),
    good: manifest({ targets: [target('HTTPRoute', 'coffee'), target('GRPCRoute', 'coffee')] }),
  }),
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
