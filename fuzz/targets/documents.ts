/** Texts of manifests, with the comments and annotations that suppress findings, and with pieces put in anywhere. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Random } from '../../bench/random.ts'
import { problemsOf } from '../core/manifests.ts'
import { mutatedText } from '../core/mutate.ts'
import { isTrue, textAt } from '../core/read.ts'
import type { Input, Target } from '../core/target.ts'
import { TOKENS } from './yaml-texts.ts'

const FIXTURES = new URL('../../test/fixtures/', import.meta.url)
const TEXTS: readonly string[] = ['document', 'gateway', 'api-management'].flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, FIXTURES), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml') && !name.endsWith('remedies.yaml'))
    .toSorted()
    .map((name) => readFileSync(new URL(`${folder}/${name}`, FIXTURES), 'utf8')),
)
const SUPPRESSED = TEXTS.filter((text) => /sluice-disable|sluice\.policy\/ignore/.test(text))

const RULE_PARTS = [
  'gateway/key-constant',
  'gateway/rate-rounding',
  'document/syntax',
  'gateway/',
  '*',
  'nope',
  '',
  ',',
] as const
const REASONS = [
  ' -- as agreed',
  ' --',
  ' -- ',
  ' - x',
  '',
  ' -- ##[x]',
  ' -- \u2028',
  ` -- ${'x'.repeat(200)}`,
] as const
const DIRECTIVES = [
  'disable-line',
  'disable-next-line',
  'disable-file',
  'disable',
  'enable',
  'disable-lines',
  '',
] as const

function suppression(random: Random): string {
  const rules = Array.from({ length: random.below(4) }, () => random.pick(RULE_PARTS)).join(
    random.pick([', ', ',', ' ']),
  )
  return random.below(4) === 0
    ? `sluice.policy/ignore: "${rules}${random.pick(REASONS)}"\n`
    : `# sluice-${random.pick(DIRECTIVES)} ${rules}${random.pick(REASONS)}${random.pick(['\n', '\n', '\r', '', ' # '])}`
}

const asked = (random: Random) => random.pick(['lint', 'lint', 'fix', 'queries'])

function check(input: Input) {
  const sources = [{ file: 'a.yaml', text: textAt(input, 'text') }]
  const options = { closedWorld: isTrue(input, 'closedWorld') }
  return problemsOf(textAt(input, 'asked'), sources, options)
}

const LONE_SURROGATE = /\p{Cs}/gu

function makeFrom(texts: readonly string[], pieces: (random: Random) => readonly string[]): Target['make'] {
  return (random) => ({
    asked: asked(random),
    closedWorld: random.below(2) === 0,
    text: mutatedText(random, random.pick(texts), pieces(random)).replace(LONE_SURROGATE, ''),
  })
}

/** Manifests with mistakes of every kind, and pieces of YAML anywhere in them. */
export const DOCUMENTS: Target = {
  name: 'documents',
  reads: 'texts of manifests: lint, fixes, status, render, effective',
  make: makeFrom(TEXTS, () => TOKENS),
  async open() {
    return { check }
  },
}

/** Comments and annotations that suppress findings, well and badly written, anywhere in manifests. */
export const SUPPRESSIONS: Target = {
  name: 'suppressions',
  reads: 'comments and annotations that suppress findings',
  make: makeFrom([...SUPPRESSED, ...TEXTS.filter((_, index) => index % 9 === 0)], (random) => [
    ...Array.from({ length: 4 }, () => suppression(random)),
    ...['#', ' # ', '\n', '"', '--', ', '],
  ]),
  async open() {
    return { check }
  },
}
