/** The names of the zones of a policy, as the setting `zoneNaming` has them. */
import { type ZoneNaming, zoneName } from '../../limits/zone.ts'
import type { LimitView, PolicyView } from '../objects/policy.ts'

/** The name of a limit's zone. `namespace` takes the place of that of the policy. */
export function zoneNameOf(
  { identity }: PolicyView,
  { index, key }: LimitView,
  naming: ZoneNaming,
  namespace: string = identity.namespace ?? '',
): string {
  const written = typeof key.raw === 'string' ? key.raw : ''
  return zoneName(namespace, identity.name ?? '', index, keyInName(key.value?.unquoted ?? written, naming))
}

/** True where a limit keeps the name of its zone although its key changes. Keys are without quotes and escapes. */
export const keepsZoneName = (oldKey: string, newKey: string, naming: ZoneNaming): boolean =>
  zoneName('', '', 0, keyInName(oldKey, naming)) === zoneName('', '', 0, keyInName(newKey, naming))

const keyInName = (key: string, naming: ZoneNaming): string | undefined => (naming === 'keyed' ? key : undefined)
