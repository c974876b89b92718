/** Texts that another program fills in before they reach a cluster. */
import type { Subject } from '../engine/finding.ts'
import { valueAt } from '../json/pointer.ts'
import { isPlaceholder } from '../text/placeholder.ts'

/** True where a finding is about a string with a placeholder: its value is not known. */
export const isFilledInLater = ({ object }: Pick<Subject, 'object'>, pointer: string): boolean =>
  object !== undefined && isPlaceholder(valueAt(object, pointer), pointer)

/** The findings that are not about a string with a placeholder. Each string is searched once. */
export function withoutFilledIn<F extends { readonly pointer: string }>(
  findings: readonly F[],
  subject: Pick<Subject, 'object'>,
): readonly F[] {
  if (findings.length === 0) return findings
  const searched = new Map<string, boolean>()
  return findings.filter(({ pointer }) => {
    const isFilled = searched.get(pointer) ?? isFilledInLater(subject, pointer)
    searched.set(pointer, isFilled)
    return !isFilled
  })
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
