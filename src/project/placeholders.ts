/** Values that are filled in before the manifest reaches a cluster: nobody can judge them here. */
import { valueAt } from '../json/pointer.ts'
import type { Located } from './subjects.ts'

/** `${NAME}`, `${NAME:=default}`: envsubst, and Flux after a build. */
const PLACEHOLDER = /\$\{[A-Za-z_]\w*(?:[:=?+#%/,^-][^{}]*)?\}/
/** In a key, `${uri}` is what nginx itself would read elsewhere: there only capitals are surely filled in. */
const PLACEHOLDER_IN_KEY = /\$\{[A-Z_][A-Z0-9_]*(?:[:=?+#%/,^-][^{}]*)?\}/

/** True where a part of a text is filled in later. */
export const hasPlaceholder = (text: string): boolean => PLACEHOLDER.test(text)

/** True where a finding is about a text with a placeholder: it will say something else. */
export function isFilledInLater({ view }: Pick<Located, 'view'>, pointer: string): boolean {
  if (!('object' in view)) return false
  const value = valueAt(view.object, pointer)
  return typeof value === 'string' && (pointer.endsWith('/key') ? PLACEHOLDER_IN_KEY : PLACEHOLDER).test(value)
}
