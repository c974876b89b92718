/** Placeholders within values, which another program fills in before a manifest reaches a cluster. */

/**
 * Placeholders in values, by how people know them. A key is what nginx itself may read, so that only names in capitals
 * are certainly a placeholder in `${uri}`.
 */
const BRACES = String.raw`(?:[:=?+#%/,^-][^{}]*)?\}`
const OTHERS = [
  String.raw`\$\([A-Za-z_][\w.-]*\)`, // Azure Pipelines, vars of kustomize
  String.raw`\{\{[^\n]{0,200}?\}\}`, // Helm, Jinja, mustache
  String.raw`\{%[^\n]{0,200}?%\}`, // Jinja, Liquid
  '__[A-Za-z][A-Za-z0-9.-]*(?:_[A-Za-z0-9.-]+)*__', // replacetokens, sed
  String.raw`#\{[^{}\n]{1,200}\}#?`, // replacetokens, Octopus
  String.raw`<path:[^>\n]{1,300}>`, // argocd-vault-plugin
].join('|')

/** `${NAME}`, `${NAME:=default}`: envsubst, and Flux after a build; and those of {@link OTHERS}. */
const ANY = String.raw`\$\{[A-Za-z_]\w*${BRACES}|${OTHERS}`
const PLACEHOLDER = new RegExp(ANY)
const EVERY_PLACEHOLDER = new RegExp(ANY, 'g')
const PLACEHOLDER_IN_KEY = new RegExp(String.raw`\$\{[A-Z_][A-Z0-9_]*${BRACES}|${OTHERS}`)

/** The first placeholder of a text: a part that is filled in before it reaches a cluster. */
export const placeholderIn = (text: string): string | undefined => PLACEHOLDER.exec(text)?.[0]

/** A text with a word for each placeholder, and nothing for one that has a line of its own. */
export const withoutPlaceholders = (text: string): string =>
  text
    .split('\n')
    .map((line) => {
      const filled = line.replaceAll(EVERY_PLACEHOLDER, 'x')
      return filled !== line && filled.trim() === 'x' ? '' : filled
    })
    .join('\n')

/** True where the value at a JSON Pointer is a string with a placeholder: what it will be is not known. */
export const isPlaceholder = (value: unknown, pointer: string): boolean =>
  typeof value === 'string' && (pointer.endsWith('/key') ? PLACEHOLDER_IN_KEY : PLACEHOLDER).test(value)

/** The first placeholder in the values of an object. */
export function placeholderOf(value: unknown, member = ''): string | undefined {
  if (typeof value === 'string') return (member === 'key' ? PLACEHOLDER_IN_KEY : PLACEHOLDER).exec(value)?.[0]
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, entry] of Object.entries(value)) {
    const found = placeholderOf(entry, name)
    if (found !== undefined) return found
  }
  return undefined
}
