/** What a change of the configuration has changed, for the log and for Events. */
import type { User } from '../../http/delegated-access.ts'
import type { Log } from '../../http/log.ts'
import type { JsonObject } from '../../json/member.ts'
import { fieldPath } from '../../json/pointer.ts'
import { isSameValue } from '../../json/same.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { jsonAt } from '../../mesh/config.ts'
import { configFields } from '../../mesh/config-fields.ts'
import type { ConfigChange, ConfigStore, KeptConfig } from './state.ts'

/** A field that has changed; `from` and `to` are absent where it has no value. */
export type ChangedField = { readonly field: string; readonly from: unknown; readonly to: unknown }

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

/** Where changes are stored and written down. */
export type ChangeTools = {
  readonly names: ApiNames
  readonly config: ConfigStore
  readonly log: Log
  /** Called after each change of the configuration, beside the log. */
  onChange?(change: AuditedChange): void
}

/** Who changes the configuration, and whether really. */
type Changer = { readonly user: User; readonly isDryRun: boolean }

/** Changes the configuration, and writes down who did it. Gives the configuration then. */
export async function changeConfig(
  { config, names, log, onChange }: ChangeTools,
  { user, isDryRun }: Changer,
  make: (kept: KeptConfig) => KeptConfig,
): Promise<JsonObject> {
  if (isDryRun) return make(await config.readKept()).config
  const changed = await config.change(make)
  const fields = changedFields(changed, names)
  if (fields.length > 0) {
    const { username, uid, groups } = user
    log.info({ audit: 'config', user: username, uid, groups, fields }, 'the configuration was changed')
    onChange?.({ user, fields })
  }
  return changed.after
}
