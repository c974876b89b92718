/** What is wrong with a text that another program of ours could not read: the first problem, in one line. */
import { readDocuments } from './documents.ts'
import { createLineIndex } from './locate.ts'

/** `a bracket is never closed (line 2)`; undefined where kubectl reads the text. Duplicate keys do not count. */
export function describeFirstProblem(text: string): string | undefined {
  const problems = readDocuments(text, { mentions: /(?:)/ }).flatMap((document) => document.problems)
  const first = problems.find(({ code }) => code !== 'duplicate-key')
  return first && `${first.reason} (line ${createLineIndex(text)(first.start).line})`
}
