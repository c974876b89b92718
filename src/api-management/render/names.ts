/** Names that one proxy has in a configuration, and values that are safe in it. */
import { fingerprint } from '../../text/fingerprint.ts'
import { legibleInZone } from '../mapping.ts'

/**
 * An id as a part of names. nginx compares names of variables and upstreams without case, and a variable has neither
 * hyphens nor dots, so that everything but small letters and digits is escaped. Different ids stay different.
 */
export const nameOf = (id: string): string =>
  id.replace(/[^a-z0-9]/gu, (character) => {
    if (character === '_') return '__'
    return /[A-Z]/.test(character)
      ? `_${character.toLowerCase()}`
      : `_0${(character.codePointAt(0) ?? 0).toString(16)}_`
  })

/** What the names of a proxy's zones begin with: legible, and different for all ids. */
export const zoneOwner = (name: string, id: string): string => `${legibleInZone(name) || 'proxy'}.${nameOf(id)}`

/** What the names of the zones of an environment's global policies begin with. */
export const globalZoneOwner = (environment: string): string =>
  `global.${legibleInZone(environment) || 'environment'}.${fingerprint(environment)}`

/** Any text in characters that mean nothing to nginx; different texts stay different. */
export const encoded = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))
