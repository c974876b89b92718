/** Names of Kubernetes objects. Source: Kubernetes, "Object Names and IDs" (RFC 1123 subdomains and labels). */

import type { Json } from '../json/member.ts'
import { withoutEnd } from '../text/trim.ts'
import type { MetadataView } from './metadata.ts'

const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?'
const SUBDOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`)

/** Most characters in the name of an object and in the name of a namespace. */
const LONGEST_NAME = 253
const LONGEST_NAMESPACE = 63

/** Why the API server rejects a string as a name. */
type SyntaxProblem = 'characters' | 'length'

/** Dots separate labels, and each label starts and ends with a letter or digit. */
function objectProblem(name: string): SyntaxProblem | undefined {
  if (name.length > LONGEST_NAME) return 'length'
  return SUBDOMAIN.test(name) ? undefined : 'characters'
}

/** The name of a namespace has no dots. */
function namespaceProblem(name: string): SyntaxProblem | undefined {
  if (name.length > LONGEST_NAMESPACE) return 'length'
  return !name.includes('.') && SUBDOMAIN.test(name) ? undefined : 'characters'
}

/** The API server appends letters and digits to a `generateName`, so it may end in a hyphen. */
const prefixProblem = (prefix: string): SyntaxProblem | undefined =>
  objectProblem(prefix.length > 1 ? prefix.replace(/.-$/, 'a') : prefix)

/** The most similar valid name: `Coffee_Limit` becomes `coffee-limit`. */
function repairName(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/[-.]+/g, (run) => (run.includes('.') ? '.' : run))
  return withoutEnd(plain.replace(/^[-.]+/, ''), '-.')
}

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

/** A name in `metadata` that the API server rejects. */
type NameProblem = {
  readonly member: keyof typeof NAMES
  readonly pointer: string
  readonly raw: Json
  /** `quotes`: a number or boolean, which quotes turn into a string; `hopeless`: no valid name is similar. */
  readonly problem: SyntaxProblem | 'type' | 'quotes' | 'hopeless'
  /** Most characters that it may have. */
  readonly most: number
  /** A valid name to suggest, where the characters are wrong. */
  readonly meant: string | undefined
}

/** Every name in `metadata` that the API server rejects; an empty name counts as absent. */
export function nameProblems(metadata: MetadataView): readonly NameProblem[] {
  const problems: NameProblem[] = []
  for (const member of MEMBERS) {
    const { raw, value, pointer } = metadata[member]
    if (raw === undefined || raw === '') continue
    const { most, repair, problemOf } = NAMES[member]
    const problem = value === undefined ? typeProblem(raw) : problemOf(value)
    if (problem === undefined) continue
    const meant = problem === 'characters' && value !== undefined ? repair(value) : undefined
    const isHopeless = meant !== undefined && problemOf(meant) !== undefined
    problems.push({ member, pointer, raw, problem: isHopeless ? 'hopeless' : problem, most, meant })
  }
  return problems
}

const MEMBERS = ['name', 'generateName', 'namespace'] as const

const typeProblem = (raw: Json): 'type' | 'quotes' => (typeof raw === 'object' ? 'type' : 'quotes')
