import { documentRule as rule } from '../../src/engine/rule.ts'
import { manifest } from '../gateway/manifest.ts'

/** Texts that are made to exhaust their reader are not read to the end. */
export default rule({
  id: 'document/unreadable',
  severity: 'error',
  judges: 'Document',
  summary: 'A manifest stays within the bounds of its readers.',
  why: 'kubectl and the API server stop reading a text that is nested too deep, that its aliases multiply or that is too large. None of its objects is applied or judged.',
  remedy: 'Split it into smaller documents.',
  source: 'API server, limits of request bodies and of YAML aliases',
  messages: {
    large: 'this document cannot be read: {reason}',
    deep: {
      text: 'this document cannot be read: {reason}',
      remedy: 'Look for brackets or lines that open a level and never close it.',
    },
    encoding: { text: 'this file cannot be read: {reason}', remedy: 'Save it as UTF-8.' },
    aliases: { text: 'this document cannot be read: {reason}', remedy: 'Write the values out where they are needed.' },
  },
  examples: {
    bad: manifest({ metadata: `{ name: coffee, annotations: ${'['.repeat(101)}${']'.repeat(101)} }` }),
    good: manifest({}),
  },
  check({ problems }, { report }) {
    for (const { code, reason, start, end } of problems)
      if (code === 'unreadable') report(kindOf(reason), { start, end }, { reason })
  },
})

const KINDS = [
  [/^nested/, 'deep'],
  [/alias/, 'aliases'],
  [/^not encoded/, 'encoding'],
] as const

const kindOf = (reason: string) => KINDS.find(([pattern]) => pattern.test(reason))?.[1] ?? 'large'
