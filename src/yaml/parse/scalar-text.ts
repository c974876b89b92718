/** The text of a scalar where go-yaml reads another one than js-yaml does. */
import { getScalarValue, SCALAR_STYLE, type ScalarEvent } from 'js-yaml'
import { unusualSpaceIn } from '../../text/space.ts'
import { type Builder, fileSpan, report } from './builder.ts'

/** Breaks that go-yaml keeps as they are, and a return that kubectl drops, where the parser gets a space that counts. */
const ODD_BREAK = /[\u2028\u2029]|(?<=\\)\r(?=\r\n)/
const ODD_BREAK_IN_BLOCK = /[\u2028\u2029]|\r(?=\r\n)/

/** The text of a scalar; one whose line breaks depend on too much is reported. */
export function scalarText(builder: Builder, event: ScalarEvent): string {
  const { from, source } = builder
  const { valueStart, valueEnd, style } = event
  if (valueStart === -1 || event.fast) return getScalarValue(source, event)
  const { start, end } = fileSpan(builder, valueStart, valueEnd)
  const written = from.written.slice(start - from.base, end - from.base)
  const isBlock = style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK
  const odd = written.search(isBlock ? ODD_BREAK_IN_BLOCK : ODD_BREAK)
  if (odd !== -1) {
    const value = oddText(written, event)
    if (value !== undefined) return value
    const at = start + odd
    const what = unusualSpaceIn(written.charAt(odd)) ?? 'a second carriage return'
    report(builder, ['space', `${what} within a text of several lines`], { start: at, end: at + 1 })
    return ''
  }
  if (style !== SCALAR_STYLE.DOUBLE_QUOTED) return getScalarValue(source, event)
  const quoted = source.slice(valueStart, valueEnd)
  const text = quoted.replace(ESCAPE, withEmptyLines)
  return text === quoted ? getScalarValue(source, event) : textOf(text, event)
}

const textOf = (text: string, event: ScalarEvent): string =>
  getScalarValue(text, { ...event, valueStart: 0, valueEnd: text.length, fast: false })

/** Beside spaces, other breaks and backslashes go-yaml drops characters or folds lines. js-yaml does not read `\\'`. */
const BESIDE_SPACE = /[\s\u0085\\][\u2028\u2029]|[\u2028\u2029][\s\u0085]|\r\r\n|\\'/

/** The text of a quoted scalar with odd breaks; undefined where it is hard to tell. */
function oddText(written: string, event: ScalarEvent): string | undefined {
  const isQuoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED
  return isQuoted && !BESIDE_SPACE.test(written) ? textOf(written.replaceAll('\u0085', '\n'), event) : undefined
}

/** A backslash with the character that it escapes, or with the end of its line and the empty lines that follow. */
const ESCAPE = /\\(?:(?:\r\n|\r|\n)(?:[ \t]*(?:\r\n|\r|\n))+|[\s\S])/g

/** js-yaml leaves out the empty lines after a line that ends with a backslash. */
function withEmptyLines(escaped: string): string {
  const breaks = escaped.match(/\r\n|\r|\n/g) ?? []
  return breaks.length < 2 ? escaped : `${'\\n'.repeat(breaks.length - 1)}\\\n`
}
