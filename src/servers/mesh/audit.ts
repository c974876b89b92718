/** What a change of the configuration has changed, for the log and for Events. */
import type { User } from '../../http/delegated-access.ts'
import type { JsonObject } from '../../json/member.ts'
import { fieldPath } from '../../json/pointer.ts'
import { isSameValue } from '../../json/same.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { jsonAt } from '../../mesh/config.ts'
import { configFields } from '../../mesh/config-fields.ts'
import type { ConfigChange } from './state.ts'

/** A field that has changed; `from` and `to` are absent where it has no value. */
type ChangedField = { readonly field: string; readonly from: unknown; readonly to: unknown }

/** A change with who made it. */
export type AuditedChange = { readonly user: User; readonly fields: readonly ChangedField[] }

/** The fields that differ. */
export const changedFields = ({ before, after }: ConfigChange, names: ApiNames): readonly ChangedField[] =>
  configFields(names).flatMap(({ pointer }) => {
    const [from, to] = [before, after].map((config: JsonObject) => jsonAt(config, pointer))
    const isSame = from === to || (from !== undefined && to !== undefined && isSameValue(from, to))
    return isSame ? [] : [{ field: fieldPath(pointer), from, to }]
  })

/** One line for people: `alice changed mtls.mode to "strict"`. */
export function describeChange({ user, fields }: AuditedChange): string {
  const changes = fields.map(({ field, to }) =>
    to === undefined ? `removed ${field}` : `${field} to ${JSON.stringify(to)}`,
  )
  return `${user.username} changed ${changes.join(', ')}`
}
