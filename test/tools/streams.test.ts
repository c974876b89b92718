/** kubectl's unit is the file: what it does not read whole, and has one of ours in it, ends with an error. */
import { load } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { createRandom, type Random } from '../../bench/random.ts'
import { askKubectl, findKubectlReader, type KubectlAnswer } from '../../scripts/kubectl-reader.ts'
import { isObject } from '../../src/json/member.ts'
import { apiNames, DEFAULT_NAME_PARTS } from '../../src/kubernetes/api-groups.ts'
import { lint } from '../../src/lint/lint.ts'
import { collectObjects, noCollectedObjects } from '../../src/project/objects.ts'
import { SYSTEMS } from '../../src/registry.ts'
import { kindTable } from '../../src/world/kinds.ts'
import { createTexts } from '../../src/yaml/documents.ts'
import type { TextProblem } from '../../src/yaml/parse/problem.ts'
import { WAYS } from '../remedies/syntax.ts'
import { ALL_CASES } from '../runs.ts'
import { casesOf } from '../support/cases.ts'

const { cases } = casesOf(import.meta.url)

type Damages = Readonly<Record<string, readonly [pattern: string, replacement: string]>>
type Documents = { readonly ours: readonly string[]; readonly others: readonly string[] }
type Language = Documents & {
  readonly damages: Damages
  readonly separators: readonly string[]
  readonly instead: readonly string[]
}

const documents: Documents = { ours: cases('ours'), others: cases('others') }
const YAML: Language = {
  ...documents,
  damages: cases('damages'),
  separators: cases('separators'),
  instead: cases('instead'),
}
const inJson = (texts: readonly string[]) =>
  texts.filter((text) => text.includes('kind')).map((text) => JSON.stringify(load(text)))
const JSON_TEXTS: Language = {
  ours: inJson(documents.ours),
  others: inJson(documents.others),
  damages: cases('damages of JSON'),
  separators: cases('separators of JSON'),
  instead: ['{}', '{"kind":1}', '{"kind":""}'],
}

/** One to five documents, each whole or broken; one of them is ours. */
function streamOf(random: Random): string {
  const { ours, others, damages, separators, instead } = random.below(5) === 0 ? JSON_TEXTS : YAML
  const count = 1 + random.below(5)
  const own = random.below(count)
  const names = Object.keys(damages)
  const written = Array.from({ length: count }, (_, index) => {
    const isOurs = index === own || random.below(4) === 0
    if (!isOurs && random.below(12) === 0) return random.pick(instead)
    const text = random.pick(isOurs ? ours : others)
    const [pattern, put] = (random.below(3) === 0 && damages[random.pick(names)]) || ['(?!)', '']
    return text.replace(new RegExp(pattern, 'm'), () => put)
  })
  return written.map((text, index) => (index === 0 ? text : random.pick(separators) + text)).join('')
}

/** Whether kubectl reads all of a file; it stops at what has no kind. */
const readsAll = ({ documents, error, partial }: KubectlAnswer): boolean =>
  error === '' && !partial && documents.every((one) => isObject(one) && typeof one.kind === 'string' && one.kind !== '')

/** What a lint says where kubectl does not read all of a file. */
const ERRORS = cases<readonly { readonly rule: string; readonly message: string }[]>('errors').map(
  ({ rule, message }) => [rule, new RegExp(message)] as const,
)

const errorsIn = (text: string) =>
  lint([{ file: 'a.yaml', text }]).report.findings.filter((finding) =>
    ERRORS.some(([rule, message]) => finding.rule === rule && message.test(finding.message)),
  )

const KINDS = kindTable(SYSTEMS, apiNames(DEFAULT_NAME_PARTS))
const isBuilt = findKubectlReader() !== undefined

describe.runIf(isBuilt || process.env.CI)('a stream with one of ours', () => {
  it('has an error where kubectl does not read all of it, and only there', () => {
    const random = createRandom(Number(process.env.SLUICE_SEED ?? 1))
    const texts = Array.from({ length: ALL_CASES ? 100_000 : 1500 }, () => streamOf(random))
    const answers = askKubectl(texts)
    const different = texts.flatMap((text, index) => {
      const kubectl = answers[index]
      const errors = errorsIn(text)
      return kubectl === undefined || readsAll(kubectl) === (errors.length === 0)
        ? []
        : [
            {
              text,
              errors: errors.map(({ line, rule, message }) => `${line} ${rule} ${message}`),
              kubectl: kubectl.error || kubectl.partial,
            },
          ]
    })
    expect(different).toEqual([])
  })

  it('is read to its end once the remedy of its error is followed, in each of its ways', () => {
    const asked = Object.entries(YAML.damages).flatMap(([damage, [pattern, put]]) =>
      [...documents.ours, ...documents.others].flatMap((text) => {
        const damaged = text.replace(new RegExp(pattern, 'm'), () => put)
        const broken = `${documents.ours[0]}---\n${damaged}`
        const [at] = problemsOf(broken)
        // What is in the middle of two fields has no place at all, and a key that is there twice is read.
        if (damaged === text || !at || damage.endsWith('in the middle') || damage === 'key twice') return []
        return [{ damage, text, at, ways: (at.code === 'syntax' && WAYS[at.cause]?.({ text: broken, at })) || [[]] }]
      }),
    )
    expect(asked.length).toBeGreaterThan(200)
    const failures = asked.filter(({ ways }) => !ways.every((way) => askKubectl(way).some(readsAll)))
    expect(failures.map(({ damage, text, at }) => ({ damage, text, at }))).toEqual([])
  })
})

function problemsOf(text: string): readonly TextProblem[] {
  const found = noCollectedObjects()
  collectObjects({ file: 'a.yaml', text }, { kinds: KINDS, texts: createTexts() }, found)
  return found.broken.flatMap(({ document }) => document.problems).sort((a, b) => a.start - b.start)
}
