/** Names of Kubernetes objects. Source: RFC 1123 as Kubernetes applies it to names and namespaces. */

import type { Json } from '../../json/member.ts'
import type { MetadataView } from '../../kubernetes/metadata.ts'
import type { PolicyView } from './policy.ts'

const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?'
const SUBDOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`)

/** Characters that the name of an object and that of a namespace can have. */
const LONGEST_NAME = 253
const LONGEST_NAMESPACE = 63

/**
 * Characters that the namespace and the name of a policy can have together: the controller writes a file for each
 * policy, and the longest file name of the usual file systems has 255 bytes. The file of a policy on a Gateway has a longer prefix.
 */
const LONGEST_POLICY_FILE = { Gateway: 218, route: 219 } as const

/** Why Kubernetes refuses a text as a name. */
type TextProblem = 'characters' | 'length'

/** Dots separate labels, and each label starts and ends with a letter or digit. */
function objectProblem(name: string): TextProblem | undefined {
  if (name.length > LONGEST_NAME) return 'length'
  return SUBDOMAIN.test(name) ? undefined : 'characters'
}

/** A namespace has no dots. */
function namespaceProblem(name: string): TextProblem | undefined {
  if (name.length > LONGEST_NAMESPACE) return 'length'
  return !name.includes('.') && SUBDOMAIN.test(name) ? undefined : 'characters'
}

/** A letter or digit will follow the last hyphen of a `generateName`. */
const prefixProblem = (prefix: string): TextProblem | undefined =>
  objectProblem(prefix.length > 1 ? prefix.replace(/.-$/, 'a') : prefix)

/** The nearest good spelling of a name: `Coffee_Limit` becomes `coffee-limit`. */
const repairName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/-*\.[-.]*/g, '.')
    .replace(/^[-.]+|[-.]+$/g, '')

const NAMES = {
  name: { problemOf: objectProblem, repair: repairName, most: LONGEST_NAME },
  generateName: {
    problemOf: prefixProblem,
    repair: (prefix: string) => repairName(prefix) + (prefix.endsWith('-') ? '-' : ''),
    most: LONGEST_NAME,
  },
  namespace: {
    problemOf: namespaceProblem,
    repair: (name: string) => repairName(name.replaceAll('.', '-')),
    most: LONGEST_NAMESPACE,
  },
} as const

/** A name in `metadata` that Kubernetes refuses. */
export type NameMistake = {
  readonly member: keyof typeof NAMES
  readonly pointer: string
  readonly raw: Json
  /** `quotes`: a number or boolean, which quotes make a text; `hopeless`: characters that give no hint at a good name. */
  readonly problem: TextProblem | 'type' | 'quotes' | 'hopeless'
  /** Characters that it may have. */
  readonly most: number
  /** A good spelling, where the characters are wrong. */
  readonly meant: string | undefined
}

/** Every name in `metadata` that Kubernetes refuses; empty ones count as absent. */
export function nameMistakes(metadata: MetadataView): readonly NameMistake[] {
  return (['name', 'generateName', 'namespace'] as const).flatMap((member) => {
    const { raw, value, pointer } = metadata[member]
    if (raw === undefined || raw === '') return []
    const { most, repair, problemOf } = NAMES[member]
    if (value === undefined)
      return { member, pointer, raw, problem: typeof raw === 'object' ? 'type' : 'quotes', most, meant: undefined }
    const problem = problemOf(value)
    if (problem === undefined) return []
    const meant = problem === 'characters' ? repair(value) : undefined
    const isHopeless = meant !== undefined && problemOf(meant) !== undefined
    return { member, pointer, raw, problem: isHopeless ? 'hopeless' : problem, most, meant }
  })
}

/** How long namespace and name are together, how long they may be, and what remains for the name. */
export function fileNameSize({ identity, metadata, targets }: PolicyView): Record<'length' | 'most' | 'room', number> {
  const most = LONGEST_POLICY_FILE[targets.some(({ kind }) => kind.value === 'Gateway') ? 'Gateway' : 'route']
  const namespace = (identity.namespace ?? '').length
  return { length: namespace + (metadata.name.value ?? '').length, most, room: most - namespace }
}
