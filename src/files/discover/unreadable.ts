/** Why bytes that name no kind of ours cannot be read as manifests: a typing error may be the reason. */
import { decodeText } from '../../yaml/decode.ts'
import { readDocuments } from '../../yaml/documents.ts'
import { createLineIndex } from '../../yaml/locate.ts'

/** The reason, with its line; undefined where the bytes are YAML or JSON. */
export function describeUnreadable(bytes: Uint8Array): string | undefined {
  const { text, problem } = decodeText(bytes)
  if (problem) return problem.reason
  const problems = readDocuments(text, { mentions: /(?:)/ }).flatMap((document) => document.problems)
  const first = problems.find(({ code }) => code !== 'duplicate-key')
  return first && `cannot be read as YAML: ${first.reason} (line ${createLineIndex(text)(first.start).line})`
}
