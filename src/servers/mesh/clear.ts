/** `clear` lets all sidecars pass on traffic as it is; what the mesh was before is kept, so that this can be taken back. */
import { HttpError } from '../../http/http-error.ts'
import type { JsonObject } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { jsonAt, withValue } from '../../mesh/config.ts'
import { type ChangedField, changedFields } from './audit.ts'
import { queryOf } from './negotiation.ts'
import type { Cleared, KeptConfig } from './state.ts'

const TRANSPARENT = '/proxy/transparent'

/** What a request for `clear` asks for. */
export type ClearOptions = { readonly undo: boolean; readonly force: boolean }

/** Reads `undo` and `force`. Throws `HttpError` 400. */
export function readClearOptions(request: { readonly url?: string | undefined }): ClearOptions {
  const query = queryOf({ url: request.url ?? '' })
  const read = (name: string): boolean => {
    const value = query.get(name)
    if (value === null || value === 'false') return false
    if (value === 'true') return true
    throw new HttpError(400, `${name} must be true or false; got "${value.slice(0, 100)}"`)
  }
  const options = { undo: read('undo'), force: read('force') }
  if (options.force && !options.undo) throw new HttpError(400, 'force=true is for undo=true')
  return options
}

const isTransparent = (config: JsonObject): boolean => jsonAt(config, TRANSPARENT) === true

/** Clears. What was kept of the first time stays. */
export const cleared = ({ config, ...kept }: KeptConfig, by: string, at: Date): KeptConfig =>
  isTransparent(config)
    ? { config, ...kept }
    : { config: withValue(config, TRANSPARENT, true), cleared: { at: at.toISOString(), by, config } }

/** What taking it back has done. */
export type Restored = { readonly cleared?: Omit<Cleared, 'config'>; readonly changes: readonly ChangedField[] }

/**
 * Takes it back: sidecars are no longer transparent, and every other field stays as it is now. Does nothing where they are not.
 * Throws `HttpError` 409 where that is not what was before: nobody knows who made the mesh transparent, or other fields have
 * changed since; with `force` it is done all the same.
 */
export function restored(kept: KeptConfig, names: ApiNames, force: boolean): KeptConfig {
  const { config, cleared: before } = kept
  if (!isTransparent(config)) return kept
  if (!force && !before)
    throw new HttpError(
      409,
      'the mesh is transparent, and nothing is kept of what it was before: it was installed so, or cleared by an earlier version; with force=true its sidecars are no longer transparent',
    )
  const since = before
    ? changedFields({ before: withValue(before.config, TRANSPARENT, true), after: config }, names)
    : []
  if (!force && since.length > 0)
    throw new HttpError(
      409,
      `changed since the mesh was cleared: ${since.map(({ field }) => field).join(', ')}; with force=true these fields stay as they are now, and its sidecars are no longer transparent`,
    )
  return { config: withValue(config, TRANSPARENT, false) }
}

/** What the change from the one to the other is for whoever has asked for it. */
export function restoredOf(before: KeptConfig, after: KeptConfig, names: ApiNames): Restored {
  const changes = changedFields({ before: before.config, after: after.config }, names)
  if (changes.length === 0 || !before.cleared) return { changes }
  const { at, by } = before.cleared
  return { cleared: { at, by }, changes }
}
