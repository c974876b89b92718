/** When nginx takes a zone over for a key. Source: nginx, limit_req_zone; measured on 1.22.1 and 1.31.3. */
import { utf8Length } from '../text/utf8.ts'

/**
 * True where a running nginx holds two keys for the same, given without quotes and escapes: it compares their lengths,
 * and their bytes up to a NUL character.
 */
export function isSameZoneKey(left: string, right: string): boolean {
  if (left === right) return true
  return comparedPart(left) === comparedPart(right) && utf8Length(left) === utf8Length(right)
}

/** Half a surrogate pair reaches nginx as the replacement character. */
const comparedPart = (key: string): string =>
  key
    .split('\0', 1)
    .join('')
    .replace(/\p{Surrogate}/gu, '\ufffd')
