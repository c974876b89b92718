/** Help while one types: what a rule says where it found something, what fields mean, and what may be written next. */
import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete'
import { type Diagnostic, forEachDiagnostic } from '@codemirror/lint'
import type { Extension } from '@codemirror/state'
import { type EditorView, hoverTooltip, type Tooltip } from '@codemirror/view'
import type { RuleText } from '../../browser.ts'
import { library } from '../library/library.ts'
import { manifestAt, pathAt, textAt } from './manifest-places.ts'
import { blockPlace, type FieldSchema, fieldAt, type Proposal, proposals, valuesOf } from './policy-fields.ts'

/** The schema of the CRD. The build fills it in. */
declare const POLICY_SCHEMA: FieldSchema

/** True where a manifest is a RateLimitPolicy, or is going to be something. */
const mayBePolicy = (text: string, offset: number): boolean => {
  const manifest = manifestAt(text, offset)
  const kind = manifest ? textAt(manifest, ['kind']) : ''
  return kind === 'RateLimitPolicy' || kind === ''
}

/** Loaded after the editor: hover and completion. */
export const ASSISTANCE: Extension = [
  hoverTooltip(describeRules),
  hoverTooltip(describeField),
  autocompletion({ override: [complete], icons: false }),
]

/** What the rules say whose findings are marked at a place. */
async function describeRules({ state }: EditorView, offset: number): Promise<Tooltip | null> {
  const found: Diagnostic[] = []
  forEachDiagnostic(state, (one, from, to) => {
    if (from <= offset && offset <= to) found.push(one)
  })
  const ids = [...new Set(found.flatMap(({ source }) => source ?? []))]
  const texts = (await Promise.all(ids.map((id) => library().explain(id)))).flatMap((one) =>
    one.ok ? [one.value] : [],
  )
  const [first] = found
  if (!first || texts.length === 0) return null
  return tooltip(
    first.from,
    texts.flatMap(({ id, summary, why }: RuleText) => [
      paragraph(id, 'cm-help-name'),
      paragraph(summary),
      paragraph(why),
    ]),
  )
}

/** What the field at a place means. */
function describeField({ state }: EditorView, offset: number): Tooltip | null {
  const text = state.doc.toString()
  const manifest = manifestAt(text, offset)
  if (!manifest || textAt(manifest, ['kind']) !== 'RateLimitPolicy') return null
  const path = pathAt(manifest, offset)
  const name = path.at(-1)
  const field = fieldAt(POLICY_SCHEMA, path)
  if (typeof name !== 'string' || !field?.description) return null
  return tooltip(offset, [paragraph(`${name}: ${valuesOf(field)}`, 'cm-help-name'), paragraph(field.description)])
}

const tooltip = (pos: number, parts: readonly HTMLElement[]): Tooltip => ({
  pos,
  above: true,
  create: () => {
    const dom = document.createElement('div')
    dom.className = 'cm-help'
    dom.append(...parts)
    return { dom }
  },
})

function paragraph(text: string, name = ''): HTMLElement {
  const made = document.createElement('p')
  made.textContent = text
  made.className = name
  return made
}

/** What may be written at the cursor. */
function complete({ state, pos, explicit }: CompletionContext): CompletionResult | null {
  const text = state.doc.toString()
  if (!mayBePolicy(text, pos)) return null
  const place = blockPlace(text.slice(0, pos))
  if (!/^[\w$./-]*$/.test(place.written) || (place.written === '' && place.key === undefined && !explicit)) return null
  const options = proposals(POLICY_SCHEMA, place).map(completionOf)
  return options.length === 0 ? null : { from: pos - place.written.length, options, validFor: /^[\w$./-]*$/ }
}

const completionOf = ({ text, detail, info }: Proposal): Completion => ({
  label: text.replace(/: ?$/, ''),
  apply: text,
  detail,
  ...(info === '' ? {} : { info: () => paragraph(info) }),
})
