/** Why bytes that name no kind of ours cannot be read as manifests: a typing error may be the reason. */
import { decodeText } from '../../yaml/decode.ts'
import { describeFirstProblem } from '../../yaml/first-problem.ts'

/** The reason, with its line; undefined where the bytes are YAML or JSON. */
export function describeUnreadable(bytes: Uint8Array): string | undefined {
  const { text, problem } = decodeText(bytes)
  if (problem) return problem.reason
  const first = describeFirstProblem(text)
  return first && `cannot be read as YAML: ${first}`
}
