import { documentRule as rule } from '../../src/engine/rule.ts'
import { manifest } from '../gateway/manifest.ts'

/** kubectl applies nothing from a document that it cannot read. */
export default rule({
  id: 'document/syntax',
  severity: 'error',
  judges: 'Document',
  summary: 'A manifest is YAML or JSON that kubectl can read.',
  why: 'kubectl stops at the first document that it cannot read and applies none of its objects. It refuses some YAML that other parsers accept.',
  remedy: 'Correct the YAML or JSON. If the file is a template, lint its rendered output instead.',
  source: 'YAML 1.2, specification; JSON, RFC 8259; both as kubectl reads them',
  messages: {
    unreadable: '{reason}',
    tab: { text: '{reason}', remedy: 'Indent with spaces.' },
    line: { text: '{reason}', remedy: 'Start it on the next line, indented more than its key.' },
    indentation: { text: '{reason}', remedy: 'Indent this line like the fields or items beside it.' },
    anchor: { text: '{reason}', remedy: 'Write the value itself, or define the anchor earlier in this document.' },
    pairs: { text: '{reason}', remedy: 'Check here and above for a missing bracket, brace or comma.' },
    quote: { text: '{reason}', remedy: 'Close the quote that opens here, or remove it.' },
    'after-quote': { text: '{reason}', remedy: 'Move the closing quote to the end of the value.' },
    'json-key': { text: '{reason}', remedy: 'Put the key in quotes.' },
    json: { text: '{reason}', remedy: 'Check just before this place for a missing or extra comma, bracket or quote.' },
    quotes: { text: '{reason}', remedy: 'Put it in quotes.' },
    colon: { text: '{reason}', remedy: 'Write a colon and a space between the key and its value.' },
    separator: { text: '{reason}', remedy: 'Start each document with a line that contains only "---".' },
  },
  examples: {
    bad: manifest({}).replace('metadata: {', 'metadata: {{'),
    good: manifest({}),
  },
  check({ problems }, { report }) {
    for (const { code, reason, start, end } of problems)
      if (code === 'syntax') report(kindOf(reason), { start, end }, { reason })
  },
})

/** Reasons of the parser for which there is a better remedy than that of the rule. */
const KINDS = [
  [/\btabs?\b/, 'tab'],
  [/after the end of the document|follow "---"|expected "---"/, 'separator'],
  [/has no closing quote/, 'quote'],
  [/after its closing quote/, 'after-quote'],
  [/flow collection|bracket is never closed|within brackets or quotes/, 'pairs'],
  [/line of its own/, 'line'],
  [/indentation/, 'indentation'],
  [/^expected a key in quotes, found "[\w$']/, 'json-key'],
  [/^expected .* found/, 'json'],
  [/^no anchor is named/, 'anchor'],
  [/^a key must be a string|needs quotes$/, 'quotes'],
  [/^a key has no ": "/, 'colon'],
] as const

const kindOf = (reason: string) => KINDS.find(([pattern]) => pattern.test(reason))?.[1] ?? 'unreadable'
