/** Warnings in answers, as an API server gives them: kubectl prints each. Source: RFC 7234, header Warning; KEP 1693. */
import type { ServerResponse } from 'node:http'

/** How the warning ends that names a document which cannot be read. */
export const LEFT_AS_IT_IS = '; it is left as it is'

/** Bytes of all warnings together, as of an API server. */
const MOST_BYTES = 4096

/** The values of the header. */
export function warningHeaders(texts: readonly string[]): readonly string[] {
  const headers: string[] = []
  let bytes = 0
  for (const [index, text] of texts.entries()) {
    const header = `299 - "${printable(text)}"`
    bytes += header.length
    if (bytes > MOST_BYTES) return [...headers, `299 - "and ${texts.length - index} more"`]
    headers.push(header)
  }
  return headers
}

/** Sends warnings with the answer. */
export function warn(response: ServerResponse, headers: readonly string[]): void {
  if (headers.length > 0) response.setHeader('warning', headers)
}

/** The text in a quoted string of a header, which has ASCII alone. */
const printable = (text: string): string =>
  text.replace(/["\\]/g, String.raw`\$&`).replace(/[^ -~]/g, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`)

/** The texts in the header of a response, whose values have commas between them. */
export const warningsIn = (header: string): readonly string[] =>
  [...header.matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text.replace(/\\(["\\])/g, '$1'))
