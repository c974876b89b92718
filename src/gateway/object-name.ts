/** Names of Kubernetes objects. Source: RFC 1123 as Kubernetes applies it to names and namespaces. */

const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?'
const SUBDOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`)

/** Characters that the name of an object and that of a namespace can have. */
export const LONGEST_NAME = 253
export const LONGEST_NAMESPACE = 63

/**
 * Characters that the namespace and the name of a policy can have together: the controller writes a file for each
 * policy, and the longest file name of the usual file systems has 255 bytes. The file of a policy on a Gateway has a longer prefix.
 */
export const LONGEST_POLICY_FILE = { Gateway: 218, route: 219 } as const

/** What is wrong with the spelling or the length of a name. */
export type NameProblem = 'characters' | 'length'

/** Why Kubernetes refuses a name of an object: dots separate labels, and each label starts and ends with a letter or digit. */
export function nameProblem(name: string): NameProblem | undefined {
  if (name.length > LONGEST_NAME) return 'length'
  return SUBDOMAIN.test(name) ? undefined : 'characters'
}

/** Why Kubernetes refuses a name of a namespace, which has no dots. */
export function namespaceProblem(name: string): NameProblem | undefined {
  if (name.length > LONGEST_NAMESPACE) return 'length'
  return !name.includes('.') && SUBDOMAIN.test(name) ? undefined : 'characters'
}

/** Why Kubernetes refuses a `generateName`: a letter or digit will follow its last hyphen. */
export const generateNameProblem = (prefix: string): NameProblem | undefined =>
  nameProblem(prefix.length > 1 ? prefix.replace(/.-$/, 'a') : prefix)

/** The nearest good spelling of a name: `Coffee_Limit` becomes `coffee-limit`. */
export const repairName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9.]+/g, '-')
    .replace(/-*\.[-.]*/g, '.')
    .replace(/^[-.]+|[-.]+$/g, '')

/** The nearest good spelling of a namespace: no dots. */
export const repairNamespace = (name: string): string => repairName(name.replaceAll('.', '-'))

/** The nearest good spelling of a `generateName`: it may end with a hyphen. */
export const repairGenerateName = (prefix: string): string => repairName(prefix) + (prefix.endsWith('-') ? '-' : '')

/** The names in `metadata`: why one is refused, what it was meant to be, and how many characters it may have. */
export const NAME_KINDS = {
  name: { problemOf: nameProblem, repair: repairName, most: LONGEST_NAME },
  generateName: { problemOf: generateNameProblem, repair: repairGenerateName, most: LONGEST_NAME },
  namespace: { problemOf: namespaceProblem, repair: repairNamespace, most: LONGEST_NAMESPACE },
} as const
export type NameKind = keyof typeof NAME_KINDS
