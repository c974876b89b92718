/** Why something is not judged: the codes of notes, which `--fail-on-unjudged` and `failOnUnjudged` name. */
import { nearest } from '../text/nearest.ts'

/** Every code, and what it means. Codes are a contract: some may be added, none changes its meaning. */
const UNJUDGED = {
  'remote-base': 'a kustomization builds on something that is not among the files',
  plugin: 'a kustomization is changed by a plugin or a transformer, which is not run',
  helm: 'templates of a Helm chart, or a kustomization that renders one',
  kustomization: 'a kustomization cannot be read, or a step of it is not followed',
  placeholder: 'a value is filled in later, such as $(RATE)',
  template: 'a text is a template of another program',
  ambiguous: 'several files define an object, or may mean different ones by a name',
  namespace: 'an object names no namespace, so what it refers to is not known',
  unreadable: 'a file or a text cannot be read',
  empty: 'the standard input is empty',
  outside: 'a path is outside of the folders of --within',
  pattern: 'a pattern of .gitignore takes too long to match',
} as const

/** Why something is not judged. */
export type UnjudgedCode = keyof typeof UNJUDGED

const isCode = (text: string): text is UnjudgedCode => Object.hasOwn(UNJUDGED, text)

/** Every code. */
export const UNJUDGED_CODES: readonly UnjudgedCode[] = Object.keys(UNJUDGED).filter(isCode)

/** A code as people write it, or why it is none. */
export function findUnjudgedCode(text: string): { readonly code: UnjudgedCode } | { readonly problem: string } {
  if (isCode(text)) return { code: text }
  const meant = nearest(text, UNJUDGED_CODES)
  const hint = meant === undefined ? `known are ${UNJUDGED_CODES.join(', ')}` : `did you mean "${meant}"?`
  return { problem: `unknown reason "${text}"; ${hint}` }
}

/** What is written wrongly in `failOnUnjudged` of the settings, with the place in it. */
export function unknownCodes(written: unknown): readonly { readonly index: number; readonly message: string }[] {
  return (Array.isArray(written) ? written : []).flatMap((one: unknown, index) => {
    const found = typeof one === 'string' ? findUnjudgedCode(one) : undefined
    return found && 'problem' in found ? [{ index, message: found.problem }] : []
  })
}

/** The codes of a list that `failOnUnjudged` may hold: `true` stands for all. */
export const failingCodes = (written: boolean | readonly string[]): readonly UnjudgedCode[] =>
  typeof written === 'boolean' ? (written ? UNJUDGED_CODES : []) : written.filter(isCode)
