/** Texts that another program fills in before they reach a cluster: templates, and placeholders within values. */
import type { Subject } from '../engine/finding.ts'
import { valueAt } from '../json/pointer.ts'

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
const PLACEHOLDER = new RegExp(String.raw`\$\{[A-Za-z_]\w*${BRACES}|${OTHERS}`)
const PLACEHOLDER_IN_KEY = new RegExp(String.raw`\$\{[A-Z_][A-Z0-9_]*${BRACES}|${OTHERS}`)

/** The first placeholder of a text: a part that is filled in before it reaches a cluster. */
export const placeholderIn = (text: string): string | undefined => PLACEHOLDER.exec(text)?.[0]

/** True where a finding is about a string with a placeholder: its value is not known. */
export function isFilledInLater({ object }: Pick<Subject, 'object'>, pointer: string): boolean {
  if (!object) return false
  const value = valueAt(object, pointer)
  return typeof value === 'string' && (pointer.endsWith('/key') ? PLACEHOLDER_IN_KEY : PLACEHOLDER).test(value)
}

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

/** Matches every text in which there may be a placeholder or a mark of a template; one look at most texts is enough. */
const SUSPICIOUS = /\$[{(]|\{[{%]|__|#[@{]|<path:/

/** False for a text in which nothing is filled in later. */
export const mayBeFilledIn = (text: string): boolean => SUSPICIOUS.test(text)

/** Templates whose text is no YAML until they are rendered, or where YAML takes the placeholders for comments. */
const TEMPLATES = [
  { mark: '{{ }}', pattern: /\{\{[^\n]{0,200}?\}\}/, isYaml: false },
  { mark: '{% %}', pattern: /\{%[^\n]{0,200}?%\}/, isYaml: false },
  {
    mark: '#@ (ytt)',
    pattern: /(?:^|\s)#@(?:[ \t]|(?:data|overlay|schema|library|ytt|text|yaml|template)\/)/,
    isYaml: true,
  },
  { mark: '#{ }#', pattern: /[:-][ \t]+#\{[^{}\n]{1,200}\}/, isYaml: true },
] as const

/** How the template is marked that a text is, instead of a manifest; `isYaml` is true where it can be parsed. */
export function templateMark(text: string, isYaml: boolean): string | undefined {
  const matches = (template: (typeof TEMPLATES)[number]) =>
    template.isYaml ? template.pattern.test(text) : !isYaml && template.pattern.test(text.replace(COMMENTS, ''))
  return TEMPLATES.find(matches)?.mark
}

/** Lines that are comments. */
const COMMENTS = /^[ \t]*#.*$/gm
