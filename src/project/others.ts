/** kubectl's unit is the file: what it cannot read of a file is wrong beside ours, whatever it is. */
import { isObject } from '../json/member.ts'
import { placeholderIn, withoutPlaceholders } from '../text/placeholder.ts'
import { type MistakeOfValue, readContent, type TextDocument } from '../yaml/documents.ts'
import { syntax, type TextMistake } from '../yaml/parse/problem.ts'
import { mayBeFilledIn, templateMark } from './templates.ts'

/** What makes a text one that is filled in later. */
type Filling = { readonly template: string } | { readonly placeholder: string }

/** Documents beside ours that kubectl cannot read: those that are broken, and those that are filled in later. */
type Others = {
  readonly broken: readonly TextDocument[]
  readonly filledIn: readonly (Filling & { readonly document: TextDocument })[]
}

/** Why kubectl stops at a document: it is not an object, or has no kind. */
export function mistakeOfObject(value: unknown): TextMistake | undefined {
  if (value === undefined || value === null) return undefined
  if (!isObject(value)) return syntax('no-object', 'this document is not an object, so kubectl stops here')
  const { kind } = value
  return typeof kind === 'string' && kind !== ''
    ? undefined
    : syntax('no-kind', 'this document has no "kind", so kubectl stops here')
}

/** Bodies of API proxies, which have no kind, are not for kubectl. */
const isForKubectl = ({ value }: TextDocument): boolean =>
  isObject(value) && (Object.hasOwn(value, 'kind') || Object.hasOwn(value, 'apiVersion'))

/** What kubectl cannot read of a text beside some of its documents. */
export function othersBeside(
  text: string,
  {
    ours,
    broken: brokenBy,
  }: {
    readonly ours: readonly TextDocument[]
    /** The broken ones. */
    broken(mistakeOf: MistakeOfValue): readonly TextDocument[]
  },
): Others {
  const broken = brokenBy(ours.some(isForKubectl) ? mistakeOfObject : () => undefined)
  const filledIn = broken.flatMap((document) => {
    const filling = fillingOf(text.slice(document.start, document.end), document)
    return filling ? [{ document, ...filling }] : []
  })
  // A template may have any text around its documents.
  if (filledIn.some((one) => 'template' in one)) return { broken: [], filledIn }
  const later = new Set(filledIn.map(({ document }) => document))
  return { broken: broken.filter((document) => !later.has(document)), filledIn }
}

/** What makes a broken text one that is filled in later: its mark, or placeholders without which it can be read. */
function fillingOf(written: string, { format = 'yaml' }: TextDocument): Filling | undefined {
  if (!mayBeFilledIn(written)) return undefined
  const template = templateMark(written, false)
  if (template !== undefined) return { template }
  const placeholder = placeholderIn(written)
  if (placeholder === undefined) return undefined
  const filled = withoutPlaceholders(written)
  return readContent(filled, { start: 0, end: filled.length, format }).problems.length === 0
    ? { placeholder }
    : undefined
}
