/** Text from manifests within the syntax of a report. */
import { escapeUnsafe } from './characters.ts'

/** Everything but the characters of XML 1.0 (section 2.2, Char). No XML document may contain it, even as a reference. */
const NOT_IN_XML = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu

const XML: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
}

/** Text for an XML attribute or element, on one line. Characters that XML does not have become U+FFFD. */
export const escapeXml = (text: string): string =>
  text.replace(NOT_IN_XML, '\ufffd').replace(/[&<>"'\t\n\r]/g, (character) => XML[character] ?? '')

const encode = (text: string, characters: RegExp): string =>
  text.replace(characters, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)

/** The message of a workflow command of GitHub. Line breaks are kept, other control characters are written out. */
export const escapeCommandData = (text: string): string =>
  encode(text.split('\n').map(escapeUnsafe).join('\n'), /[%\r\n]/g)

/** The value of a property of a workflow command of GitHub. */
export const escapeCommandProperty = (text: string): string => encode(text, /[%\r\n:,]/g)

const LITERAL = /^[\w./:@$+=^(){},;'!?#&*<>~[\]-][\w ./:@$+=^(){},;'!?#&*<>~[\]-]*$/

/** Text as Markdown code, on one line and in a cell of a table; `before` is the text directly before it. */
export function markdownCode(text: string, before = ''): string {
  const shown = escapeUnsafe(text)
  const isLiteral = LITERAL.test(shown) && !shown.endsWith(' ') && !before.endsWith('`')
  return isLiteral ? `\`${shown}\`` : `<code>${entities(shown)}</code>`
}

const entities = (text: string): string =>
  text.replace(/[^\p{L}\p{N} .,;/=+-]/gu, (character) => `&#${character.codePointAt(0) ?? 0};`)

/** A quoted piece, a variable, or the text between. */
const PIECES = /"[^"]+"|\$\w+|[^"$]+|["$]/g

/**
 * A message as Markdown, on one line and in a cell of a table: its quotations are code, and nothing in it is markup, a
 * mention of a user, a formula or a link.
 */
export const markdownText = (text: string): string =>
  (text.match(PIECES) ?? []).reduce((before, piece) => {
    const quoted = /^"([^"]+)"$/.exec(piece)?.[1] ?? /^\$\w+$/.exec(piece)?.[0]
    return before + (quoted === undefined ? inertMarkdown(piece) : markdownCode(quoted, before))
  }, '')

/** An invisible space after `@` and `#` keeps them from mentioning users and issues. */
const inertMarkdown = (text: string): string =>
  escapeUnsafe(text)
    .replace(/[@#](?=\w)/g, '$&\u200b')
    .replace(/[&<>|\\`*_~[\]$"!]|:(?=\/\/)/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/\bwww\./gi, 'www&#46;')

/** At most `length` UTF-16 units of a text, with `…` where it is cut. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text
  const end = /[\ud800-\udbff]/.test(text[length - 1] ?? '') ? length - 1 : length
  return `${text.slice(0, end)}…`
}

/** The syntax of a report's format, which decides how text in it is escaped; `commands` are those of GitHub Actions. */
export type Syntax = 'text' | 'json' | 'xml' | 'markdown' | 'commands'

/** What GitHub Actions, Azure Pipelines (`##vso[`) and TeamCity (`##teamcity[`) look for anywhere in a line. */
const COMMAND = /##(\w*)\[/g

/** What GitHub Actions looks for at the start of a line, behind the characters that .NET counts as space. */
const COLONS = /^([^\S\n\r\u2028\u2029]*):(?=:)/gm

/** A bracket that means the same to a reader of the format and is not a bracket for GitHub's runner. */
const BRACKETS: Readonly<Record<Exclude<Syntax, 'commands'>, string>> = {
  text: '\\x5b',
  json: '\\u005b',
  xml: '&#91;',
  markdown: '&#91;',
}

/** A colon in the same way. No line of JSON begins with one. */
const COLON: Readonly<Record<Exclude<Syntax, 'commands' | 'json'>, string>> = {
  text: '\\x3a',
  xml: '&#58;',
  markdown: '&#58;',
}

/**
 * Makes a report safe for the log of a job, whose runner executes `##[command]` anywhere in a line and `::command::` at
 * the start of a line: text of a manifest must not become a command. Commands of GitHub Actions are left as they are.
 */
export function escapeLogCommands(rendered: string, syntax: Syntax): string {
  if (syntax === 'commands') return rendered
  const inert = rendered.replace(COMMAND, (_, word: string) => `##${word}${BRACKETS[syntax]}`)
  return syntax === 'json' ? inert : inert.replace(COLONS, `$1${COLON[syntax]}`)
}
