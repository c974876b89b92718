import { documentRule as rule } from '../../src/engine/rule.ts'
import { manifest } from '../gateway/manifest.ts'

/** A document that would exhaust the memory of its readers is not read to the end. */
export default rule({
  id: 'document/unreadable',
  severity: 'error',
  judges: 'Document',
  summary: 'A manifest stays within the limits of kubectl and the API server.',
  why: 'kubectl and the API server refuse a document that is too large, that is nested too deeply, or that aliases make too large. None of its objects is applied or checked.',
  remedy: 'Split the document into smaller ones.',
  source: 'API server, limits of request bodies and of YAML aliases',
  messages: {
    large: 'cannot read this document: {reason}',
    deep: {
      text: 'cannot read this document: {reason}',
      remedy: 'Check for brackets or lines that open a level and never close it.',
    },
    encoding: { text: 'cannot read this file: {reason}', remedy: 'Save the file as UTF-8.' },
    aliases: {
      text: 'cannot read this document: {reason}',
      remedy: 'Replace the aliases with the values that they stand for.',
    },
  },
  examples: () => ({
    bad: manifest({ metadata: `{ name: coffee, annotations: ${'['.repeat(101)}${']'.repeat(101)} }` }),
    good: manifest({}),
  }),
  check({ problems }, { report }) {
    for (const { start, end, ...problem } of problems)
      if (problem.code === 'unreadable') report(problem.cause, { start, end }, { reason: problem.reason })
  },
})
