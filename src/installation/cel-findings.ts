/** Rules in CEL as expressions, whose value is a list of findings as texts. */
import { type CelCase, type CelRule, celText } from '../engine/cel.ts'
import type { AnyRule, Message } from '../engine/rule.ts'
import type { CelView } from '../world/system.ts'

/** What a finding says: also how to remedy it, as a denial does, or only what is wrong, as a warning. */
export type FindingText = 'denial' | 'warning'

/**
 * The expression of a rule: for each version of the object, the new one first, a list of the findings as texts such as
 * `spec.rejectCode: … [gateway/reject-code-range]`.
 */
export function celFindings(
  rule: AnyRule,
  { each, of = '', cases }: CelRule,
  view: CelView,
  form: FindingText,
): string {
  const texts = cases.map((one) => findingText(rule, one, each === undefined ? undefined : `${each}.path`, form))
  if (each === undefined) {
    const chosen = cases.map(({ when }, index) => `${when} ? [${texts[index]}]\n  : `)
    return `variables.views.map(${view.name}, ${chosen.join('')}[])`
  }
  const condition = cases.map(({ when }) => (cases.length > 1 ? `(${when})` : when)).join('\n    || ')
  const last = texts.at(-1) ?? ''
  const chosen = texts.slice(0, -1).map((text, index) => `${cases[index]?.when} ? ${text}\n    : `)
  return `variables.views.map(${view.name}, ${of}
  .filter(${each}, ${condition})
  .map(${each}, ${chosen.join('')}${last}))`
}

/** The API server drops a message with a line break. */
export const onOneLine = (expression: string): string =>
  `(${expression}).replace('\\n', '\\\\n').replace('\\r', '\\\\r').replace('\\t', '\\\\t').replace('\\x00', '\\\\u0000')`

/** The text of a finding as an expression. */
function findingText(
  rule: AnyRule,
  { message: id, at, values = {} }: CelCase,
  path: string | undefined,
  form: FindingText,
): string {
  const message: Message = rule.messages[id] ?? ''
  const { text, remedy = rule.remedy } = typeof message === 'string' ? { text: message } : message
  const help = placeholders(remedy).every((name) => values[name] !== undefined) ? remedy : rule.remedy
  const member = path === undefined ? (at ?? '') : at === undefined ? '' : `.${at}`
  const template = `${text}${form === 'denial' ? `. ${help}` : ''}`
  const parts = [...(path === undefined ? [] : [path]), ...filled(template, values, `${member}: `, ` [${rule.id}]`)]
  return parts.join(' + ')
}

const PLACEHOLDER = /\{(\w+)\}/g

const placeholders = (template: string): readonly string[] =>
  [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name)

/** A template with texts around it as parts to add up. Throws where a placeholder of the message has no value. */
function filled(template: string, values: Readonly<Record<string, string>>, before: string, after: string) {
  const parts: string[] = []
  let literal = before
  let from = 0
  for (const { 0: whole, 1: name = '', index } of template.matchAll(PLACEHOLDER)) {
    const value = values[name]
    if (value === undefined) throw new Error(`{${name}} in "${template}" has no value in CEL`)
    parts.push(celText(literal + template.slice(from, index)), value)
    literal = ''
    from = index + whole.length
  }
  return [...parts, celText(literal + template.slice(from) + after)]
}
