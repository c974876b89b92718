import { documentRule as rule } from '../../src/engine/rule.ts'
import { manifest } from '../gateway/manifest.ts'

/** A text that kubectl cannot read applies nothing. */
export default rule({
  id: 'document/syntax',
  severity: 'error',
  judges: 'Document',
  summary: 'A manifest is YAML or JSON that kubectl can read.',
  why: 'kubectl stops at the first document that it cannot read, so none of its objects is applied. What it refuses here can be something that other YAML readers let pass.',
  remedy: 'Correct it. If the file is a template, lint what it renders to.',
  source: 'YAML 1.2, specification; JSON, RFC 8259; both as kubectl reads them',
  messages: {
    unreadable: '{reason}',
    tab: { text: '{reason}', remedy: 'Indent with blanks.' },
    indentation: { text: '{reason}', remedy: 'Give this line the indentation of the fields or items beside it.' },
    anchor: {
      text: '{reason}',
      remedy: 'Write the value itself, or name an anchor that stands above in this document.',
    },
    pairs: { text: '{reason}', remedy: 'Look above this place for a bracket, brace, quote or comma that is missing.' },
    json: {
      text: '{reason}',
      remedy: 'Look just before this place for a comma, bracket or quote that is missing or one too many.',
    },
    quotes: { text: '{reason}', remedy: 'Put it in quotes.' },
    colon: { text: '{reason}', remedy: 'Write a colon and a blank between the key and its value.' },
    separator: {
      text: '{reason}',
      remedy: 'Begin a document with a line of its own that says "---" and nothing else.',
    },
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

/** Reasons whose remedy is known. */
const KINDS = [
  [/\btabs?\b/, 'tab'],
  [/after the end of the document|follow "---"/, 'separator'],
  [/flow collection|closing quote|bracket is never closed|within brackets or quotes/, 'pairs'],
  [/indentation|line of its own/, 'indentation'],
  [/^expected .* found/, 'json'],
  [/^no anchor is named/, 'anchor'],
  [/^a key must be a string|needs quotes$/, 'quotes'],
  [/^a key has no ": "/, 'colon'],
] as const

const kindOf = (reason: string) => KINDS.find(([pattern]) => pattern.test(reason))?.[1] ?? 'unreadable'
