/**
 * The directives of a part of a configuration, as nginx reads them: words, quotes, escapes, comments, blocks. Source:
 * nginx, syntax of the configuration file (ngx_conf_read_token); tests compare with real programs.
 */

/** A directive: its words without quotes and escapes, and the blocks around it. */
export type Directive = {
  readonly words: readonly string[]
  /** True where a block follows. */
  readonly opensBlock: boolean
  /** The name of the directive in whose block it is; empty outside of any. */
  readonly block: string
  /** The name of the outermost one. */
  readonly outermost: string
}

/** Reads the directives of a text up to the first place where nginx could not read on. Never throws; linear in its length. */
export function readDirectives(text: string): readonly Directive[] {
  const directives: Directive[] = []
  const blocks: string[] = []
  let words: string[] = []
  for (const token of tokensOf(text))
    if (typeof token === 'object') words.push(token.value)
    else if ((token === '}') !== (words.length === 0)) break
    else if (token !== '}') {
      const [outermost = '', block = ''] = [blocks[0], blocks.at(-1)]
      directives.push({ words, opensBlock: token === '{', block, outermost })
      if (token === '{') blocks.push(words[0] ?? '')
      words = []
    } else if (blocks.pop() === undefined) break
  return directives
}

/** The words of a text, and the characters that end directives and blocks; ends at a quote that nginx cannot read. */
function* tokensOf(text: string): Iterable<Word | '}' | ';' | '{'> {
  for (let at = skipBlank(text, 0); at < text.length; at = skipBlank(text, at)) {
    const char = text.charAt(at)
    if (char === '}' || char === ';' || char === '{') {
      yield char
      at += 1
      continue
    }
    const word = char === '"' || char === "'" ? quotedWord(text, at) : plainWord(text, at)
    if (!word) return
    yield word
    at = word.end
  }
}

const isBlank = (char: string): boolean => char === ' ' || char === '\t' || char === '\r' || char === '\n'

/** The first offset at or after `from` that is neither space nor part of a comment, which begins only where a word could. */
function skipBlank(text: string, from: number): number {
  let at = from
  while (at < text.length)
    if (isBlank(text.charAt(at))) at += 1
    else if (text.charAt(at) === '#') {
      const end = text.indexOf('\n', at)
      at = end < 0 ? text.length : end
    } else return at
  return at
}

type Word = { readonly value: string; readonly end: number }

/** A word in quotes; undefined where it does not end, or is not followed by what may follow it. */
function quotedWord(text: string, start: number): Word | undefined {
  const quote = text.charAt(start)
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '\\') at += 1
    else if (char === quote) {
      const next = text.charAt(at + 1)
      if (next !== '' && !isBlank(next) && !';{)'.includes(next)) return undefined
      return { value: unescaped(text.slice(start + 1, at)), end: at + 1 }
    }
  }
  return undefined
}

/** A word without quotes: a brace is part of it only after a dollar, as in `${name}`. */
function plainWord(text: string, start: number): Word {
  let at = start
  let afterDollar = false
  for (; at < text.length; at += 1) {
    const char = text.charAt(at)
    if (char === '{' && afterDollar) {
      afterDollar = false
      continue
    }
    if (isBlank(char) || char === ';' || char === '{') break
    if (char === '\\') at += 1
    afterDollar = char === '$'
  }
  return { value: unescaped(text.slice(start, at)), end: Math.min(at, text.length) }
}

const ESCAPES: Readonly<Record<string, string>> = { t: '\t', r: '\r', n: '\n' }

/** Only these escapes have a meaning; any other backslash is kept. */
const unescaped = (text: string): string =>
  text.includes('\\') ? text.replace(/\\(["'\\trn])/g, (_, letter: string) => ESCAPES[letter] ?? letter) : text
