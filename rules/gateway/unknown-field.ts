import { namesOtherNamespace } from '../../src/gateway/objects/policy.ts'
import { rule } from '../../src/gateway/rule.ts'
import type { Violation } from '../../src/gateway/schema/violations.ts'
import { fieldsAt } from '../../src/gateway/schema/violations.ts'
import { fieldPath, parentPointer, pointerTokens } from '../../src/json/pointer.ts'
import { unusualSpaceIn } from '../../src/text/space.ts'
import { shorten } from '../describe.ts'
import { manifest } from './manifest.ts'
import { violationsOf } from './schema-violations.ts'

const NO_FIELD = '{parent} has no field "{name}"'

/** kubectl refuses an unknown field; from other clients the API server drops it, so the author believes that it works. */
export default rule({
  id: 'gateway/unknown-field',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A policy has only fields that its CRD defines.',
  why: 'kubectl refuses an unknown field. From other clients the API server accepts the object and drops the field, so the policy does less than the manifest says.',
  remedy: 'Remove the field.',
  source: 'specification of RateLimitPolicy, "Resources and their fields"',
  messages: {
    misspelt: { text: NO_FIELD, remedy: 'Write "{meant}".', marks: 'key' },
    misplaced: { text: NO_FIELD, remedy: 'Move it to {home}.', marks: 'key' },
    unknown: { text: NO_FIELD, remedy: 'Remove it; the fields allowed here are {fields}.', marks: 'key' },
    metadata: { text: NO_FIELD, remedy: 'Remove it; put your own values into labels or annotations.', marks: 'key' },
    space: {
      text: '{parent} has no field "{name}": {space} is part of the name: YAML does not treat it as a space',
      remedy: 'Replace it with an ordinary space.',
      marks: 'key',
    },
    namespace: {
      text: 'a target has no field "namespace": it is looked up in the namespace of the policy',
      remedy: 'Remove it, and put the policy into the namespace of its targets.',
      marks: 'key',
    },
    sectionName: {
      text: 'a target has no field "sectionName": a policy applies to the whole target',
      remedy: 'Remove it; to limit only one listener or route rule, target a route that covers only that.',
      marks: 'key',
    },
  },
  cel: 'the API server drops unknown fields before it asks any policy',
  examples: () => ({
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m, brust: 5 }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m, burst: 5 }'] }),
  }),
  check(policy, { report }) {
    const elsewhere = policy.targets.filter((target) => namesOtherNamespace(target, policy.identity))
    const reportedElsewhere = new Set(elsewhere.map(({ namespace }) => namespace.pointer))
    for (const violation of violationsOf(policy, 'gateway/unknown-field')) {
      const { pointer, meant } = violation
      if (reportedElsewhere.has(pointer)) continue
      const inside = parentPointer(pointer)
      const name = pointerTokens(pointer).at(-1) ?? ''
      const space = unusualSpaceIn(name)
      report(space === undefined ? messageFor(violation) : 'space', pointer, {
        name: shorten(name),
        space,
        parent: inside === '' ? 'RateLimitPolicy' : fieldPath(inside),
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
