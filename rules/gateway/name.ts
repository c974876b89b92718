import { rule } from '../../src/engine/rule.ts'
import type { Member } from '../../src/gateway/member.ts'
import {
  generateNameProblem,
  LONGEST_NAME,
  LONGEST_NAMESPACE,
  LONGEST_POLICY_FILE,
  nameProblem,
  namespaceProblem,
  repairName,
} from '../../src/gateway/object-name.ts'
import { isMisspelt } from '../../src/gateway/schema/violations.ts'
import { manifest } from './manifest.ts'
import { describe, shorten } from './words.ts'

/** The name of a policy becomes part of its zones and of a file that nginx reads. */
export default rule({
  id: 'gateway/name',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'The name and namespace of a policy are DNS names, short enough for a file name.',
  why: 'The API server refuses other names. The controller writes one file for each policy, named after its namespace and name: with a longer name NGINX cannot read its configuration, and no change reaches any route of that Gateway.',
  remedy: 'Write lower-case letters, digits and hyphens.',
  source: 'specification of RateLimitPolicy, metadata.name',
  messages: {
    missing: { text: 'the policy has no name', remedy: 'Add metadata.name.' },
    type: {
      text: 'metadata.{member} must be a text, but is {actual}',
      remedy: 'Write a text, in quotes where YAML would read it as something else.',
    },
    characters: {
      text: '"{name}" cannot be a metadata.{member}',
      remedy: 'Write lower-case letters, digits and hyphens, with a letter or digit at both ends: "{meant}".',
    },
    long: { text: 'metadata.{member} has {length} characters, and {most} is the most', remedy: 'Shorten it.' },
    file: {
      text: 'namespace and name have {length} characters together: over {most}, the file name of this policy is too long for NGINX',
      remedy: 'Shorten the name by {surplus}.',
    },
  },
  examples: {
    bad: manifest({ metadata: '{ name: Coffee_Limit, namespace: shop }' }),
    good: manifest({ metadata: '{ name: coffee-limit, namespace: shop }' }),
  },
  check(policy, { report }) {
    const {
      identity,
      targets,
      metadata: { metadata, name, generateName, namespace },
    } = policy
    const judge = (member: string, at: Member<string>, problemOf: typeof nameProblem, most: number) => {
      const { raw, value } = at
      if (raw === undefined || value === '') return true
      if (value === undefined) report('type', at, { member, actual: describe(raw) })
      const problem = value === undefined ? undefined : problemOf(value)
      if (value !== undefined && problem === 'length') report('long', at, { member, length: value.length, most })
      if (value !== undefined && problem === 'characters')
        report('characters', at, { member, name: shorten(value), meant: repairName(value) })
      return value !== undefined && problem === undefined
    }
    const isGood = [
      judge('name', name, nameProblem, LONGEST_NAME),
      judge('generateName', generateName, generateNameProblem, LONGEST_NAME),
      judge('namespace', namespace, namespaceProblem, LONGEST_NAMESPACE),
    ].every(Boolean)
    if (metadata.raw !== undefined && !metadata.value) return
    const unnamed = !name.raw && !generateName.raw
    if (unnamed && !isMisspelt(policy, name.pointer)) report('missing', metadata.value ? name : metadata)
    const most = LONGEST_POLICY_FILE[targets.some(({ kind }) => kind.value === 'Gateway') ? 'Gateway' : 'route']
    const length = (identity.namespace ?? '').length + (name.value ?? '').length
    if (isGood && length > most) report('file', name, { length, most, surplus: length - most })
  },
})
