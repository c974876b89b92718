/** Reports full of characters that formats must escape, and readers of these formats. */
import fc from 'fast-check'
import { SaxesParser } from 'saxes'
import type { LintReport, ReportedFinding } from '../../src/lint/report.ts'
import { casesOf } from '../support/cases.ts'
import { finding, reportOf } from './report.ts'

/** Strings with a meaning in some format. */
const PIECES = casesOf(import.meta.url).cases<readonly string[]>('pieces')

/** Texts of such strings. */
export const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'grapheme' })), { maxLength: 6 })
  .map((pieces) => pieces.join(''))

const severity = fc.constantFrom('error', 'warning', 'info')

const hostileFinding: fc.Arbitrary<ReportedFinding> = fc
  .record({
    rule: fc.constantFrom('gateway/rate-syntax', 'gateway/conflict', 'gone/rule'),
    severity: severity as fc.Arbitrary<ReportedFinding['severity']>,
    file: hostileText.map((text) => `k8s/${text.replaceAll('/', '')}.yaml`),
    line: fc.integer({ min: 1, max: 5 }),
    column: fc.integer({ min: 1, max: 30 }),
    pointer: hostileText,
    message: hostileText,
    help: hostileText,
    object: fc.record({ kind: hostileText, namespace: hostileText, name: hostileText }),
  })
  .map((parts) => finding(parts))

/** Reports of such findings, in the order in which the lint gives them. */
export const hostileReport: fc.Arbitrary<LintReport> = fc.array(hostileFinding, { maxLength: 8 }).map((findings) => {
  const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
  return reportOf(findings.sort((a, b) => byText(a.file, b.file) || a.line - b.line || a.column - b.column))
})

/** A workflow command as GitHub's runner reads it out of a line. */
export type RunnerCommand = {
  readonly name: string
  readonly properties: Readonly<Record<string, string>>
  readonly data: string
}

const REGISTERED = ['error', 'warning', 'notice', 'add-mask', 'stop-commands', 'set-output', 'group', 'debug']

/**
 * Reads one line of a log by the rules of the runner: `::name key=value,key=value::data` after spaces, and anywhere
 * `##[name key=value;key=value]data`. Undefined where the line is no command.
 */
export function readCommand(line: string): RunnerCommand | undefined {
  const [, head, data] = /^\s*::((?:(?!::).)*)::(.*)$/s.exec(line) ?? []
  const [, oldHead, oldData] = /##\[([^\]]*)\](.*)$/s.exec(line) ?? []
  const modern = head === undefined || data === undefined ? undefined : split(head, ',', data)
  const old = oldHead === undefined || oldData === undefined ? undefined : split(oldHead, ';', oldData)
  return [modern, old].find((command) => command && REGISTERED.includes(command.name))
}

function split(head: string, separator: string, data: string): RunnerCommand {
  const space = head.indexOf(' ')
  const name = space === -1 ? head : head.slice(0, space)
  const pairs =
    space === -1
      ? []
      : head
          .slice(space + 1)
          .trim()
          .split(separator)
  const properties = pairs
    .filter((pair) => pair.includes('='))
    .map((pair): [string, string] => {
      const at = pair.indexOf('=')
      return [pair.slice(0, at), decode(pair.slice(at + 1))]
    })
  return { name, properties: Object.fromEntries(properties), data: decode(data) }
}

const decode = (text: string): string =>
  text
    .replaceAll('%0D', '\r')
    .replaceAll('%0A', '\n')
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',')
    .replaceAll('%25', '%')

/** The lines of a log, as the runner's reader cuts them. */
export const logLines = (log: string): readonly string[] => log.split(/\r\n|\r|\n/)

/** An XML element. */
export type Element = {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Element[]
  text: string
}

/** Parses XML with a parser that rejects anything that is not well-formed. */
export function parseXml(xml: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' }
  const open = [root]
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element: Element = { name, attributes: { ...attributes }, children: [], text: '' }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('text', (text) => {
    const element = open.at(-1)
    if (element) element.text += text
  })
  parser.on('closetag', () => void open.pop())
  parser.write(xml).close()
  return root
}

/** A text with the characters that XML allows. */
export const inXml = (text: string): string =>
  text.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
