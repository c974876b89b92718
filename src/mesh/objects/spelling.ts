/** The API group of the mesh in texts, and its wrong spelling with the vendor first. */
import type { ApiNames } from '../../kubernetes/api-groups.ts'

/** `nginx.nsm.com` for `nsm.nginx.com`: the same words in the wrong order. */
export function misspeltGroup({ meshGroup }: ApiNames): string {
  const [product, vendor, ...rest] = meshGroup.split('.')
  return [vendor, product, ...rest].join('.')
}

/** True for the group of the mesh, spelt right or wrong. */
export const isMeshGroup = (group: unknown, names: ApiNames): boolean =>
  group === names.meshGroup || group === misspeltGroup(names)

/** True for a text that has the wrong spelling as a name of its own, and not within a longer one. */
export const hasMisspelling = (text: string, names: ApiNames): boolean => wrongName(names).test(text)

/** The text with the right spelling. */
export const respelt = (text: string, names: ApiNames): string => text.replace(wrongName(names), names.meshGroup)

const wrongName = (names: ApiNames): RegExp =>
  new RegExp(String.raw`(?<![\w-])${misspeltGroup(names).replaceAll('.', String.raw`\.`)}(?![\w-]|\.\w)`, 'g')
