/** Objects to text. */
import { dump } from 'js-yaml'

/**
 * Writes values as documents of one YAML text, in the block style of kubectl. What any reader of YAML 1.1 or 1.2 could
 * take for something else than a text stands in quotes.
 */
export const writeDocuments = (values: Iterable<unknown>): string =>
  [...values].map((value) => dump(value, { lineWidth: -1, noRefs: true, seqNoIndent: true })).join('---\n')
