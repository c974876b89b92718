import { rule } from '../../src/engine/rule.ts'
import type { Member } from '../../src/gateway/member.ts'
import { LONGEST_POLICY_FILE, NAME_KINDS, type NameKind } from '../../src/gateway/object-name.ts'
import { isMisspelt } from '../../src/gateway/schema/violations.ts'
import { manifest } from './manifest.ts'
import { describe, shorten } from './words.ts'

/** The name of a policy becomes part of its zones and of a file that nginx reads. */
export default rule({
  id: 'gateway/name',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'The name and namespace of a policy are DNS names, short enough for a file name.',
  why: 'The API server refuses other names. The controller writes one file for each policy, named after its namespace and name: where that name is too long NGINX cannot read its configuration, and no change reaches any route of that Gateway.',
  remedy: 'Write lower-case letters, digits and hyphens.',
  source: 'specification of RateLimitPolicy, metadata.name and metadata.namespace',
  messages: {
    missing: { text: 'the policy has no name', remedy: 'Add metadata.name.' },
    quotes: { text: 'metadata.{member} must be a text, but is {actual}', remedy: 'Put it in quotes.' },
    type: 'metadata.{member} must be a text, but is {actual}',
    characters: '"{name}" cannot be a metadata.{member}',
    mended: {
      text: '"{name}" cannot be a metadata.{member}',
      remedy: 'Write lower-case letters and digits, with hyphens between them: "{meant}".',
    },
    long: { text: 'metadata.{member} has {length} characters, and {most} is the most', remedy: 'Shorten it.' },
    file: {
      text: 'namespace and name have {length} characters together: beyond {most} the file name of a policy is too long for NGINX',
      remedy: 'Shorten the name to {room} characters.',
    },
  },
  examples: {
    bad: manifest({ metadata: '{ name: Coffee_Limit, namespace: shop }' }),
    good: manifest({ metadata: '{ name: coffee-limit, namespace: shop }' }),
  },
  check(policy, { report }) {
    const { metadata, name, generateName, namespace } = policy.metadata
    const isGood = (member: NameKind, { raw, value, pointer }: Member<string>): boolean => {
      if (raw === undefined || value === '') return true
      const { problemOf, repair, most } = NAME_KINDS[member]
      const problem = value === undefined ? 'type' : problemOf(value)
      const data = { member, actual: describe(raw), name: shorten(value ?? ''), length: value?.length, most }
      const meant = repair(value ?? '')
      if (problem === 'type') report(typeof raw === 'object' ? 'type' : 'quotes', pointer, data)
      else if (problem === 'length') report('long', pointer, data)
      else if (problem && problemOf(meant)) report('characters', pointer, data)
      else if (problem) report('mended', pointer, { ...data, meant })
      return problem === undefined
    }
    const all = [isGood('name', name), isGood('generateName', generateName), isGood('namespace', namespace)]
    const isUnnamed = [name, generateName].every(({ raw }) => raw === undefined || raw === '')
    const isReadable = metadata.raw === undefined || metadata.value !== undefined
    if (isUnnamed && isReadable && !isMisspelt(policy, name.pointer))
      report('missing', metadata.value ? name : metadata)
    const most = LONGEST_POLICY_FILE[policy.targets.some(({ kind }) => kind.value === 'Gateway') ? 'Gateway' : 'route']
    const spaces = (policy.identity.namespace ?? '').length
    const length = spaces + (name.value ?? '').length
    if (length > most && all.every(Boolean)) report('file', name, { length, most, room: most - spaces })
  },
})
