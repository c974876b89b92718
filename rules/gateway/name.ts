import { FILE_NAME_IN_CEL } from '../../src/gateway/cel/zone-changes.ts'
import type { PolicyView } from '../../src/gateway/objects/policy.ts'
import { fileNameSize } from '../../src/gateway/render/files.ts'
import { rule } from '../../src/gateway/rule.ts'
import { isMisspelt } from '../../src/gateway/schema/violations.ts'
import { nameProblems } from '../../src/kubernetes/names.ts'
import { withoutEnd } from '../../src/text/trim.ts'
import { describeValue, shorten } from '../describe.ts'
import { manifest } from './manifest.ts'

/** The name of a policy becomes part of its zones and of a file that nginx reads. */
export default rule({
  id: 'gateway/name',
  severity: 'error',
  judges: 'RateLimitPolicy',
  reads: ['previous'],
  summary: 'The name and namespace of a policy are valid DNS names, and short enough for a file name.',
  why: 'The API server refuses other names. The controller writes one file for each policy, named after its namespace and name. If that file name is too long, nginx cannot read its configuration, and no change reaches any route of that Gateway.',
  remedy: 'Write lower-case letters, digits and hyphens, starting and ending with a letter or digit.',
  source: 'specification of RateLimitPolicy, metadata.name and metadata.namespace',
  messages: {
    missing: { text: 'the policy has no name', remedy: 'Add metadata.name.' },
    quotes: { text: 'metadata.{member} must be a string, but is {actual}', remedy: 'Put the value in quotes.' },
    type: 'metadata.{member} must be a string, but is {actual}',
    characters: {
      text: '"{name}" is not a valid metadata.{member}',
      remedy: 'Write "{meant}", with lower-case letters, digits and hyphens only.',
    },
    hopeless: '"{name}" is not a valid metadata.{member}',
    length: {
      text: 'metadata.{member} has {length} characters, but at most {most} are allowed',
      remedy: 'Shorten it to {room} characters.',
    },
    file: {
      text: 'namespace and name together have {length} characters, but the file of a policy has room for {most}',
      remedy: 'Shorten the name to {room} characters.',
    },
  },
  cel: {
    cases: [
      {
        message: 'file',
        at: 'metadata.name',
        when: `${FILE_NAME_IN_CEL.length} > ${FILE_NAME_IN_CEL.most}`,
        values: {
          length: `string(${FILE_NAME_IN_CEL.length})`,
          most: `string(${FILE_NAME_IN_CEL.most})`,
          room: `string(${FILE_NAME_IN_CEL.most} - size(policy.object.metadata.?namespace.orValue('')))`,
        },
      },
    ],
  },
  examples: () => ({
    bad: manifest({ metadata: '{ name: Coffee_Limit, namespace: shop }' }),
    good: manifest({ metadata: '{ name: coffee-limit, namespace: shop }' }),
  }),
  check(policy, { previous, report }) {
    // The API server reads generateName only when it creates an object.
    const mistakes = nameProblems(policy.metadata).filter(({ member }) => member !== 'generateName' || !previous)
    const size = fileNameSize(policy)
    for (const { pointer, member, problem, raw, most, meant } of mistakes) {
      const room = member === 'name' ? Math.min(most, size.room) : most
      const data = {
        member,
        actual: describeValue(raw),
        name: shorten(String(raw)),
        length: String(raw).length,
        most,
        room,
        meant: meant && meant.length > room ? withoutEnd(meant.slice(0, room), '-.') : meant,
      }
      report(problem, pointer, data)
    }
    const { metadata, name, generateName } = policy.metadata
    const isUnnamed = [name, generateName].every(({ raw }) => raw === undefined || raw === '')
    if (isUnnamed && isReadable(metadata) && !isMisspelt(policy, name.pointer))
      report('missing', metadata.value ? name : metadata)
    if (size.length > size.most && mistakes.length === 0) report('file', name, size)
  },
})

const isReadable = ({ raw, value }: PolicyView['metadata']['metadata']): boolean =>
  raw === undefined || value !== undefined
