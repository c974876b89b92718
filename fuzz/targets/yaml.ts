/**
 * Random texts through the readers of YAML and JSON. The fast reader must agree with the parser, and both with kubectl's
 * own decoder: the same documents, or a problem. Never another value without a problem.
 */
import { isDeepStrictEqual } from 'node:util'
import { askKubectl, findKubectlReader, type KubectlAnswer } from '../../scripts/kubectl-reader.ts'
import { isObject } from '../../src/json/member.ts'
import { MENTIONS } from '../../src/registry.ts'
import { readDocuments, type TextDocument } from '../../src/yaml/documents.ts'
import { readPlain } from '../../src/yaml/fast/plain.ts'
import { construct } from '../../src/yaml/parse/construct.ts'
import type { TextProblem } from '../../src/yaml/parse/problem.ts'
import { parseYaml } from '../../src/yaml/parse/yaml.ts'
import type { Target } from '../core/target.ts'
import { textOf } from './yaml-texts.ts'

/** How a reading can be wrong. */
export type Difference = {
  readonly text: string
  /**
   * - `value`: other documents than kubectl's, without a problem
   * - `accepted`: no problem where kubectl rejects the text
   * - `refused`: a problem where kubectl reads the text whole
   * - `hidden`: a policy that the search for kinds passes over
   * - `readers`: the fast reader and the parser differ
   * - `place`: a problem whose place is not in the text
   * - `thrown`: an exception
   */
  readonly kind: 'value' | 'accepted' | 'refused' | 'hidden' | 'readers' | 'place' | 'thrown'
  readonly ours: unknown
  readonly kubectl: KubectlAnswer | undefined
}

const EVERYTHING = { mentions: /(?:)/ }

export function compare(texts: readonly string[]): readonly Difference[] {
  const answers = askKubectl(texts)
  return texts.flatMap((text, index): readonly Difference[] => {
    const kubectl = answers[index]
    if (kubectl === undefined) throw new Error('kubectl has not answered')
    try {
      return differences(text, kubectl)
    } catch (error) {
      return [{ text, kind: 'thrown', ours: error, kubectl }]
    }
  })
}

function differences(text: string, kubectl: KubectlAnswer | undefined): readonly Difference[] {
  const documents = readDocuments(text, EVERYTHING)
  const problems = documents.flatMap((document) => document.problems)
  const found: Difference['kind'][] = []
  if (problems.some(({ start, end }) => start < 0 || end < start || end > text.length)) found.push('place')
  if (documents.some((document) => !agree(text, document))) found.push('readers')
  const reading = kubectl && differenceOfReading(documents, kubectl)
  if (reading) found.push(reading)
  if (kubectl && hides(text, kubectl)) found.push('hidden')
  const ours = { values: documents.map(({ value }) => value), problems }
  return found.map((kind) => ({ text, kind, ours, kubectl }))
}

/** Whether a problem is of what kubectl reads without a word: keys twice, in one object or, without a separator, in two. */
const isWarning = (problem: TextProblem): boolean =>
  problem.code === 'duplicate-key' || problem.reason.startsWith('a second object begins here')

/** Only objects count: kubectl stops at any other document, once it has read it. */
function differenceOfReading(
  documents: readonly TextDocument[],
  kubectl: KubectlAnswer,
): Difference['kind'] | undefined {
  const problems = documents.flatMap((document) => document.problems)
  const values = documents.map(({ value }) => value).filter((value) => value !== undefined && value !== null)
  const isRejected = kubectl.error !== '' || !kubectl.documents.every(isObject)
  if (problems.length === 0) {
    if (!values.every(isObject)) return isRejected ? undefined : 'value'
    if (isRejected) return 'accepted'
    return isDeepStrictEqual(values, kubectl.documents) ? undefined : 'value'
  }
  return isRejected || kubectl.partial || problems.every(isWarning) ? undefined : 'refused'
}

/** Whether the parser makes the value that the fast reader makes, where that can read the document. */
function agree(text: string, { start, end, value, format }: TextDocument): boolean {
  if (format === 'json' || readPlain(text, start, end) === undefined) return true
  const { root, problems } = parseYaml(text, start, end)
  return root !== undefined && problems.length === 0 && isDeepStrictEqual(construct(root), { value, problems: [] })
}

const isPolicy = (value: unknown): boolean => isObject(value) && value.kind === 'RateLimitPolicy'

/** Whether the documents that are read for their kinds leave out a policy that kubectl reads. */
function hides(text: string, { documents }: KubectlAnswer): boolean {
  const read = readDocuments(text, { mentions: MENTIONS })
  if (read.some(({ problems }) => problems.length > 0)) return false
  return read.filter(({ value }) => isPolicy(value)).length < documents.filter(isPolicy).length
}

/** Texts through the readers. Without kubectl's decoder, they are only compared with each other. */
export const YAML: Target = {
  name: 'yaml',
  reads: "YAML and JSON texts, compared with kubectl's decoder where that is built",
  make: textOf,
  async open() {
    const answers = new Map<string, KubectlAnswer>()
    const isBuilt = findKubectlReader() !== undefined
    if (!isBuilt) console.log("kubectl's decoder is not built: npm run provide")
    return {
      prepare(inputs) {
        if (!isBuilt) return
        const texts = inputs.map(String)
        answers.clear()
        for (const [index, answer] of askKubectl(texts).entries()) answers.set(texts[index] ?? '', answer)
      },
      check(input) {
        const text = String(input)
        const answer = answers.get(text) ?? (isBuilt ? askKubectl([text])[0] : undefined)
        return differences(text, answer)
          .filter(({ kind }) => kind !== 'refused')
          .map(({ kind, ...difference }) => ({ what: kind, detail: JSON.stringify(difference) }))
      },
    }
  },
}
