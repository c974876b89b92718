import { rule } from '../../src/engine/rule.ts'
import { namesOtherNamespace } from '../../src/gateway/objects/policy.ts'
import { fieldsAt, type Violation } from '../../src/gateway/schema/violations.ts'
import { fieldPath, parentPointer, pointerTokens } from '../../src/json/pointer.ts'
import { manifest } from './manifest.ts'
import { violationsOf } from './owners.ts'
import { shorten } from './words.ts'

const NO_FIELD = '{parent} has no field "{name}"'

/** An unknown field is refused by kubectl and dropped without a word by other clients: the author believes it works. */
export default rule({
  id: 'gateway/unknown-field',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A policy has no fields that its CRD does not know.',
  why: 'kubectl refuses an unknown field. From other clients the API server takes the object and drops the field, so the policy does less than it says.',
  remedy: 'Remove it.',
  source: 'specification of RateLimitPolicy, "Resources and their fields"',
  messages: {
    misspelt: { text: NO_FIELD, remedy: 'Write "{meant}".', marks: 'key' },
    misplaced: { text: NO_FIELD, remedy: 'Move it to {home}.', marks: 'key' },
    unknown: { text: NO_FIELD, remedy: 'Remove it; the fields here are {fields}.', marks: 'key' },
    metadata: { text: NO_FIELD, remedy: 'Remove it; what is your own belongs in labels or annotations.', marks: 'key' },
    namespace: {
      text: 'a target has no namespace: it is looked up in the namespace of the policy',
      remedy: 'Remove it, and keep the policy in the namespace of its targets.',
      marks: 'key',
    },
    sectionName: {
      text: 'a policy holds for its target as a whole: a target has no sectionName',
      remedy: 'Remove it; to limit one listener or one route rule only, target a route that covers just that.',
      marks: 'key',
    },
  },
  examples: {
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m, brust: 5 }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m, burst: 5 }'] }),
  },
  check(policy, { report }) {
    const elsewhere = policy.targets.filter((target) => namesOtherNamespace(target, policy.identity))
    const saidElsewhere = new Set(elsewhere.map(({ namespace }) => namespace.pointer))
    for (const violation of violationsOf(policy, 'gateway/unknown-field')) {
      const { pointer, meant } = violation
      if (saidElsewhere.has(pointer)) continue
      const inside = parentPointer(pointer)
      report(messageFor(violation), pointer, {
        name: shorten(pointerTokens(pointer).at(-1) ?? ''),
        parent: inside === '' ? 'a RateLimitPolicy' : fieldPath(inside),
        fields: fieldsAt(inside).join(', '),
        meant: meant?.field,
        home: meant && homeName(meant.home),
      })
    }
  },
})

function messageFor({ pattern, meant }: Violation) {
  if (pattern === '/spec/targetRefs/*/namespace') return 'namespace'
  if (pattern === '/spec/targetRefs/*/sectionName') return 'sectionName'
  const home = parentPointer(pattern)
  if (!meant) return home === '/metadata' ? 'metadata' : 'unknown'
  return meant.home === home ? 'misspelt' : 'misplaced'
}

/** Where a field belongs: `spec.rateLimit`, or an item of a list. */
function homeName(home: string): string {
  const path = fieldPath(home.replace(/\/\*$/, ''))
  return home === '' ? 'the top of the manifest' : home.endsWith('/*') ? `an item of ${path}` : path
}
