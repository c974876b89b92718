/** What the text of a glob says about the time that it takes to match it. */

/** Wildcards that an expression with backtracking matches in reasonable time. */
const FEW = 3

/** True for a glob with more than three `*` or `**`, or with a repeated group. */
export const hasManyWildcards = (glob: string): boolean =>
  (glob.match(/\*+/g) ?? []).length > FEW || /[*+]\(/.test(glob)

/** Characters of a glob that is matched: longer ones take long even if each wildcard does not. */
export const LONGEST_GLOB = 1000

/**
 * True for a glob with many wildcards and an exclamation mark or an escaped brace: RE2, which matches the others, cannot
 * negate, and braces may repeat what is before them.
 */
export const isSlowGlob = (glob: string): boolean => hasManyWildcards(glob) && /^!|!\(|\\\{/.test(glob)

/**
 * True for a pattern of `.gitignore` with more than three `*` in the name of one file or folder, or that many `**`, and
 * for a very long one.
 */
export const isSlowGitPattern = (pattern: string): boolean =>
  pattern.length > LONGEST_GLOB ||
  hasManyWildcards(pattern.match(/(?:^|\/)\*\*(?=\/|$)/g)?.join('') ?? '') ||
  pattern.split('/').some(hasManyWildcards)
