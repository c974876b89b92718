/** What a rule of a role is about, as the rules that judge roles see it. */
import { type AccessRule, type RoleView, VERBS } from '../../src/mesh/objects/access.ts'
import { nearestInAnyCase } from '../../src/text/nearest.ts'

/** The names of all resources. */
export const RESOURCES: readonly string[] = Object.keys(VERBS)

/** Stands for every resource, or every verb. */
export const ANY = '*'

/** The rules of a role that are about the mesh alone: what others mean by their resources is not known. */
export const ownRules = ({ rules }: RoleView): readonly AccessRule[] =>
  rules.filter(({ isOfMeshAlone }) => isOfMeshAlone)

/** The resource that an unknown name certainly means. */
export const meantResource = (name: string): string | undefined =>
  RESOURCES.find((known) => known === name.split('/', 1)[0]) ?? nearestInAnyCase(name, RESOURCES)
