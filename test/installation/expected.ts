/** What the tests of manifests compare with, and how. */

import { BASE, componentNames, identityOf } from '../../scripts/manifests/parts.ts'
import { admissionInstallation } from '../../src/installation/admission.ts'
import type { Choices, ComponentName, KubeObject } from '../../src/installation/object.ts'
import { readDocuments } from '../../src/yaml/documents.ts'

/** Objects by kind and name: their order is the tool's affair. */
export type Objects = Readonly<Record<string, unknown>>

/** What an installation with these components consists of. */
export const expected = (
  components: readonly ComponentName[] = [],
  choices: Partial<Choices> = {},
): readonly KubeObject[] => admissionInstallation({ ...BASE, components: new Set(components), ...choices })

export const byIdentity = (objects: readonly KubeObject[]): Objects =>
  Object.fromEntries(objects.map((object) => [identityOf(object), object]))

/** The objects of a YAML text by kind and name. */
export function objectsIn(text: string): Objects {
  const documents = readDocuments(text, { mentions: /(?:)/ })
  return Object.fromEntries(
    documents.filter(({ value }) => value !== null).map(({ value }) => [identityOfValue(value), value]),
  )
}

function identityOfValue(value: unknown): string {
  if (typeof value !== 'object' || value === null || !('kind' in value) || !('metadata' in value)) return 'unreadable'
  const { kind, metadata } = value
  return typeof metadata === 'object' && metadata !== null && 'name' in metadata
    ? `${kind} ${metadata.name}`
    : `${kind}`
}

/** Every set of components, with a title. */
export function allCombinations(): readonly { readonly names: readonly ComponentName[]; readonly title: string }[] {
  const all = componentNames()
  return Array.from({ length: 2 ** all.length }, (_, bits) => {
    const names = all.filter((_name, place) => bits & (1 << place))
    return { names, title: names.join(' ') || 'nothing' }
  })
}
