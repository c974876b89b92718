/**
 * Entity tags (RFC 9110, 8.8.3). A tag has the version, which changes of it name in `If-Match`, and a digest of what is shown,
 * such as `"p1f-3.9aXq…"`: the state of a proxy changes without a new version, and a reader must learn of it.
 */
import { hash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { HttpError } from '../../http/http-error.ts'
import { isObject } from '../../json/member.ts'

/** The entity tags of a header, with their quotes. */
const tagsIn = (header: string): readonly string[] => header.match(/(?:W\/)?"[^"]*"|\*/g) ?? []

/** As tags are compared where a weak one is as good (RFC 9110, 8.8.3.2). */
const strong = (tag: string): string => tag.replace(/^W\//, '')

/** The tag of a version, of one with a digest. */
const versionOf = (tag: string): string => tag.replace(/\.[^."]*"$/, '"')

/** The tag of a body that is shown, of the tag of its version where it has one. */
export const tagOfBody = (version: string | undefined, body: unknown): string =>
  `"${version === undefined ? '' : `${version.slice(1, -1)}.`}${digestOf(body)}"`

const digestOf = (body: unknown): string => hash('sha256', JSON.stringify(withoutNotes(body)), 'base64url').slice(0, 16)

/** What is said of a change once is no part of what is read afterwards. */
function withoutNotes(body: unknown): unknown {
  if (!isObject(body) || !isObject(body.status)) return body
  const { warnings: _, notes: __, ...status } = body.status
  return { ...body, status }
}

/** True where a reader has what has this tag already (`If-None-Match`). */
export const isKnown = ({ 'if-none-match': known }: IncomingHttpHeaders, tag: string): boolean =>
  known !== undefined && tagsIn(known).some((one) => one === '*' || strong(one) === tag)

/**
 * Checks `If-Match` and `If-None-Match` against the tag of the version that is there (undefined: nothing). Throws 412, and 428
 * where `If-Match` is `demanded` for a change of what is there.
 */
export function checkPreconditions(
  { 'if-match': match, 'if-none-match': noneMatch }: IncomingHttpHeaders,
  tag: string | undefined,
  demanded = false,
): void {
  const isThere = (one: string) => tag !== undefined && (one === '*' || versionOf(one) === tag)
  if (match !== undefined && !tagsIn(match).some(isThere))
    throw new HttpError(412, tag === undefined ? 'there is nothing that If-Match could match' : CHANGED)
  if (noneMatch !== undefined && tagsIn(noneMatch).map(strong).some(isThere))
    throw new HttpError(412, 'it exists already')
  if (demanded && tag !== undefined && match === undefined)
    throw new HttpError(428, 'this workspace demands If-Match: send the ETag of the version that you have read')
}

const CHANGED = 'it was changed meanwhile: read it again, and send its new ETag in If-Match'
