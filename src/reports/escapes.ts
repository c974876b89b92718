/** Texts from manifests within the syntax of a format. */
import { escapeUnsafe } from './characters.ts'

/** What is no character of XML 1.0 (section 2.2, Char): no document can hold it, not even as a reference. */
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

/** Text for an XML attribute or element, in one line. What XML cannot hold becomes U+FFFD. */
export const escapeXml = (text: string): string =>
  text.replace(NOT_IN_XML, '\ufffd').replace(/[&<>"'\t\n\r]/g, (character) => XML[character] ?? '')

const encode = (text: string, characters: RegExp): string =>
  text.replace(characters, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)

/** The message of a workflow command. Line breaks stay line breaks; what a terminal must not get is spelt out. */
export const escapeCommandData = (text: string): string =>
  encode(text.split('\n').map(escapeUnsafe).join('\n'), /[%\r\n]/g)

/** The value of a property of a workflow command. */
export const escapeCommandProperty = (text: string): string => encode(text, /[%\r\n:,]/g)

const LITERAL = /^[\w./:@$+=^(){},;'!?#&*<>~[\]-][\w ./:@$+=^(){},;'!?#&*<>~[\]-]*$/

/** Text as code, in one line and within a cell of a table; `before` is what stands right in front of it. */
export function markdownCode(text: string, before = ''): string {
  const shown = escapeUnsafe(text)
  const isLiteral = LITERAL.test(shown) && !shown.endsWith(' ') && !before.endsWith('`')
  return isLiteral ? `\`${shown}\`` : `<code>${entities(shown)}</code>`
}

const entities = (text: string): string =>
  text.replace(/[^\p{L}\p{N} .,;/=+-]/gu, (character) => `&#${character.codePointAt(0) ?? 0};`)

/** A quoted piece, a variable, or what stands between. */
const PIECES = /"[^"]+"|\$\w+|[^"$]+|["$]/g

/**
 * A message in one line and within a cell: what it quotes stands as code, and nothing in it is markup, a mention of
 * somebody, a formula or a link.
 */
export const markdownProse = (text: string): string =>
  (text.match(PIECES) ?? []).reduce((before, piece) => {
    const quoted = /^"([^"]+)"$/.exec(piece)?.[1] ?? /^\$\w+$/.exec(piece)?.[0]
    return before + (quoted === undefined ? quietProse(piece) : markdownCode(quoted, before))
  }, '')

/** An invisible space behind `@` and `#` keeps them from naming people and issues. */
const quietProse = (text: string): string =>
  escapeUnsafe(text)
    .replace(/[@#](?=\w)/g, '$&\u200b')
    .replace(/[&<>|\\`*_~[\]$"!]|:(?=\/\/)/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/\bwww\./gi, 'www&#46;')

/** The first characters of a text that is too long. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text
  const end = /[\ud800-\udbff]/.test(text[length - 1] ?? '') ? length - 1 : length
  return `${text.slice(0, end)}…`
}
