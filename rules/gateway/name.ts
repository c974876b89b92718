import { rule } from '../../src/engine/rule.ts'
import type { PolicyView } from '../../src/gateway/objects/policy.ts'
import { fileNameSize } from '../../src/gateway/render/files.ts'
import { isMisspelt } from '../../src/gateway/schema/violations.ts'
import { nameProblems } from '../../src/kubernetes/names.ts'
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
    characters: {
      text: '"{name}" cannot be a metadata.{member}',
      remedy: 'Write lower-case letters and digits, with hyphens between them: "{meant}".',
    },
    hopeless: '"{name}" cannot be a metadata.{member}',
    length: { text: 'metadata.{member} has {length} characters, and {most} is the most', remedy: 'Shorten it.' },
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
    const mistakes = nameProblems(policy.metadata)
    for (const { pointer, member, problem, raw, most, meant } of mistakes) {
      const data = {
        member,
        actual: describe(raw),
        name: shorten(String(raw)),
        length: String(raw).length,
        most,
        meant,
      }
      report(problem, pointer, data)
    }
    const { metadata, name, generateName } = policy.metadata
    const isUnnamed = [name, generateName].every(({ raw }) => raw === undefined || raw === '')
    if (isUnnamed && isReadable(metadata) && !isMisspelt(policy, name.pointer))
      report('missing', metadata.value ? name : metadata)
    const size = fileNameSize(policy)
    if (size.length > size.most && mistakes.length === 0) report('file', name, size)
  },
})

const isReadable = ({ raw, value }: PolicyView['metadata']['metadata']): boolean =>
  raw === undefined || value !== undefined
