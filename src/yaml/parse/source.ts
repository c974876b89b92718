/** The text that the YAML parser gets: that of the document, with more in it where the parser wants more than kubectl. */
import { type Event, parseEvents, YAMLException } from 'js-yaml'
import { MAX_DEPTH } from './expansion.ts'

/** A document's text, and the way from its offsets to those of the file. */
export type Source = { text: string; readonly insertions: Insertion[]; readonly toFile: (offset: number) => number }

/** Characters put in before an offset of the document, in the order of the text. */
type Insertion = { readonly before: number; length: number }

/** Makes the source of a document that stands at `base` in its file. go-yaml breaks lines at NEL, too. */
export function createSource(text: string, base: number): Source {
  const insertions: Insertion[] = []
  return {
    text: text.replaceAll('\u0085', '\n'),
    insertions,
    toFile: (offset) => base + (insertions.length === 0 ? offset : original(insertions, offset)),
  }
}

/** A document is not parsed again more often than this, nor more characters than this. */
const MOST_TRIES = 1000
const MOST_CHARACTERS = 8 * 1024 * 1024

/** The parser's events, after mending what it alone refuses; else why it refuses the text. */
export function readEvents(source: Source): Event[] | YAMLException {
  for (let tries = 1; ; tries++) {
    try {
      return parseEvents(source.text, { maxDepth: MAX_DEPTH })
    } catch (error) {
      if (!(error instanceof YAMLException)) throw error
      const isTired = tries >= MOST_TRIES || tries * source.text.length > MOST_CHARACTERS
      if (isTired || !mend(source, error.reason, error.mark?.position ?? 0)) return error
    }
  }
}

const STEP = 64

/**
 * Mends the text where the parser refused it for a reason that kubectl does not have: lines within brackets and quotes
 * that are indented too little or with tabs, and the escape `\'`. False where it is wrong for kubectl, too.
 */
function mend(source: Source, reason: string, offset: number): boolean {
  const { text } = source
  if (reason === 'unknown escape sequence' && text[offset] === "'") {
    insert(source, offset, 'x2')
    source.text = `${source.text.slice(0, offset + 2)}7${source.text.slice(offset + 3)}`
    return true
  }
  if (reason !== 'deficient indentation') return false
  const line = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1
  const before = text.slice(line, offset)
  const tabs = /["']/.test(before) ? /\t(?=[ \t]*$)/g : /\t/g
  const untabbed = before.replace(tabs, ' ')
  if (untabbed !== before) source.text = text.slice(0, line) + untabbed + text.slice(offset)
  else insert(source, line, ' '.repeat(STEP))
  return true
}

function insert(source: Source, offset: number, text: string): void {
  const before = original(source.insertions, offset)
  source.text = source.text.slice(0, offset) + text + source.text.slice(offset)
  const last = source.insertions.at(-1)
  if (last?.before === before) last.length += text.length
  else source.insertions.push({ before, length: text.length })
}

function original(insertions: readonly Insertion[], offset: number): number {
  let shift = 0
  for (const { before, length } of insertions) {
    if (offset <= before + shift) break
    shift += Math.min(length, offset - before - shift)
  }
  return offset - shift
}
