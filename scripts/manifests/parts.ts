/** What the makers of manifests share. */
import { readFileSync } from 'node:fs'
import { type Choices, COMPONENTS, type ComponentName, type KubeObject, NAMES } from '../../src/installation/object.ts'

/** The version of this program. */
export const VERSION: string = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version

/** A comment above everything that is made. */
export const MADE = '# Made by `npm run docs` from src/manifests; edit that.\n'

/** What nobody changed anything of. */
export const BASE: Choices = {
  namespace: NAMES.namespace,
  image: `sluice:${VERSION}`,
  components: new Set<ComponentName>(),
}

/** In the order of the table. */
export const componentNames = (): readonly ComponentName[] => {
  const isComponent = (name: string): name is ComponentName => Object.hasOwn(COMPONENTS, name)
  return Object.keys(COMPONENTS).filter(isComponent)
}

/** Tells objects apart. */
export const identityOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`

/** The file in which an object stands: one a kind, and one for everything about rights. */
export function fileOf({ kind }: KubeObject): string {
  if (/^(?:Cluster)?Role(?:Binding)?$|^ServiceAccount$/.test(kind)) return 'access.yaml'
  if (/^(?:Issuer|Certificate)$/.test(kind)) return 'certificates.yaml'
  return `${kind.replaceAll(/\B[A-Z]/g, '-$&').toLowerCase()}.yaml`
}
