/** Baselines: read, written again, and applied to a report. */
import { isDeepStrictEqual } from 'node:util'
import type { Random } from '../../bench/random.ts'
import { applyBaseline, knownFrom, readBaseline, writeBaseline } from '../../src/lint/baseline/baseline.ts'
import { lint } from '../../src/lint/lint.ts'
import { anyValue, mutatedText, mutatedValue } from '../core/mutate.ts'
import { POLICY } from '../core/samples.ts'
import type { Input, Problem, Target } from '../core/target.ts'

const nameFile = (file: string) => file
const BROKEN = JSON.stringify(POLICY).replace('10r/s', '10 r/s').replace('"burst":20', '"burst":0,"x":1')
const { report: REPORT } = lint([{ file: 'a.json', text: `${BROKEN}\n---\n${BROKEN.replace('"coffee"', '"tea"')}` }])
const TEXT = writeBaseline(knownFrom(REPORT.findings, [], nameFile))
const VALUE: Input = JSON.parse(TEXT)

export const BASELINES: Target = {
  name: 'baselines',
  reads: 'baselines',
  make(random: Random) {
    switch (random.below(4)) {
      case 0:
        return mutatedText(random, TEXT)
      case 1:
        return JSON.stringify(anyValue(random))
      default:
        return JSON.stringify(mutatedValue(random, VALUE))
    }
  },
  async open() {
    return { check }
  },
}

function check(input: Input): readonly Problem[] {
  const text = typeof input === 'string' ? input : JSON.stringify(input)
  const read = readBaseline(text)
  if ('problem' in read)
    return /^[^\n]+$/.test(read.problem) ? [] : [{ what: 'a problem of several lines', detail: read.problem }]
  const problems: Problem[] = []
  const again = readBaseline(writeBaseline(read.known))
  if (!('known' in again) || !isDeepStrictEqual(again.known, read.known.map(inOrder)))
    problems.push({ what: 'a baseline changes when it is written', detail: JSON.stringify(again) })
  const { report, missing } = applyBaseline(REPORT, read.known, nameFile)
  const count = report.findings.length + report.suppressed.length
  if (count !== REPORT.findings.length + REPORT.suppressed.length)
    problems.push({ what: 'findings are lost', detail: JSON.stringify(report) })
  const known = sumOf(read.known)
  if (known - sumOf(missing) !== report.suppressed.length - REPORT.suppressed.length)
    problems.push({ what: 'known findings are miscounted', detail: JSON.stringify(missing) })
  return problems
}

const sumOf = (known: readonly { readonly count: number }[]): number => known.reduce((sum, { count }) => sum + count, 0)

type Known = ReturnType<typeof knownFrom>[number]
const inOrder = ({ file, rule, object, pointer, message, count }: Known) => ({
  file,
  rule,
  object,
  pointer,
  message,
  count,
})
