/** Placeholders that are filled in before a manifest reaches a cluster: `${NAME}`, `${NAME:=default}`. Source: envsubst; Flux, postBuild. */

const PLACEHOLDER = /\$\{[A-Za-z_]\w*(?:[:=?+#%/,^-][^{}]*)?\}/
/** In a key, `${uri}` is what nginx itself would read elsewhere: there only capitals are certainly a placeholder. */
const PLACEHOLDER_IN_KEY = /\$\{[A-Z_][A-Z0-9_]*(?:[:=?+#%/,^-][^{}]*)?\}/

/** True where a part of a text is filled in before it reaches a cluster. */
export const hasPlaceholder = (text: string): boolean => PLACEHOLDER.test(text)

/** True where the value at a JSON Pointer is a string with a placeholder: what it will be is not known. */
export const isPlaceholder = (value: unknown, pointer: string): boolean =>
  typeof value === 'string' && (pointer.endsWith('/key') ? PLACEHOLDER_IN_KEY : PLACEHOLDER).test(value)
