/** Texts are read as kubectl's own decoder reads them, built from its modules for the tests. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../bench/random.ts'
import { compare } from '../../fuzz/targets/yaml.ts'
import { textOf } from '../../fuzz/targets/yaml-texts.ts'
import { askKubectl, findKubectlReader } from '../../scripts/kubectl-reader.ts'
import { isWholeObject } from '../../src/yaml/fast/whole.ts'
import { createFolder } from '../files/folder.ts'
import { HIDDEN_KINDS, REFUSED } from '../yaml/spellings.ts'

const isBuilt = findKubectlReader() !== undefined
if (!isBuilt) console.log("kubectl's decoder is not built: comparisons with it are left out")

type Answer = { readonly objects: readonly unknown[]; readonly refusal?: string }
/** `random`: Go's order of a map, which is another one each time, decides what kubectl reads. */
type Row = { readonly text?: string; readonly lines?: readonly string[]; readonly random?: boolean }

const fixture = (name: string) =>
  JSON.parse(
    readFileSync(new URL(`../fixtures/documents-kubectl/${name}`, import.meta.url), 'utf8'),
    (_key: string, value: unknown) =>
      typeof value === 'object' && value !== null && 'int64' in value ? Number(value.int64) : value,
  )

describe.runIf(isBuilt || process.env.CI)("kubectl's decoder", () => {
  it('answers what kubectl has answered when the fixtures were recorded', () => {
    const { head, texts }: { head: string[]; texts: Record<string, Row> } = fixture('table.json')
    const recorded: Record<string, Answer> = fixture('answers.json').texts
    const names = Object.keys(texts)
    const written = Object.values(texts).map(({ lines = [], text = `${lines.join('\n')}\n` }) =>
      text.replaceAll('HEAD', head.join('\n')),
    )
    const answers = askKubectl(written)
    for (const [index, name] of names.entries()) {
      if (texts[name]?.random) continue
      const { objects = [], refusal } = recorded[name] ?? {}
      // What it reads may still be no object for kubectl.
      if (refusal?.includes("Object 'Kind' is missing")) continue
      expect(answers[index]?.documents, name).toEqual(objects)
      expect(answers[index]?.error !== '', name).toBe(refusal !== undefined)
    }
  })

  it('answers what kubectl does to random texts', () => {
    const kubectl = (text: string) => {
      const file = join(createFolder({ 'asked.yaml': text }), 'asked.yaml')
      return spawnSync('kubectl', ['annotate', '--local', '-f', file, 'asked=yes', '-o', 'name'], { encoding: 'utf8' })
    }
    if (kubectl('').error) return console.log('no kubectl: its decoder is only compared with recorded answers')
    const random = createRandom(7)
    const head = 'apiVersion: example.com/v1\nkind: Row\nmetadata: {name: row}\nspec:\n '
    const texts = Array.from({ length: 100 }, () => head + textOf(random))
    for (const [index, answer] of askKubectl(texts).entries()) {
      const { stderr } = kubectl(texts[index] ?? '')
      expect(stderr === '', `${JSON.stringify(texts[index])}\n${stderr}\n${answer.error}`).toBe(
        answer.error === '' && answer.documents.every((document) => isRow(document)),
      )
    }
  })

  it('reads a policy in each spelling that hides its kind', () => {
    for (const { documents, error } of askKubectl(HIDDEN_KINDS))
      expect([error, documents]).toMatchObject(['', [{ kind: 'RateLimitPolicy' }]])
  })

  it('reads what is refused because its value is another one, or hard to tell', () => {
    for (const [index, { error }] of askKubectl(REFUSED).entries()) expect(error, REFUSED[index]).toBe('')
  })

  it.each([1, 2, 3])('and our readers agree on random texts, or ours has a problem: seed %i', (seed) => {
    const random = createRandom(seed)
    const texts = Array.from({ length: 2000 }, () => textOf(random))
    const differences = compare(texts)
    expect(differences.filter(({ kind }) => kind !== 'refused')).toEqual([])
    expect(differences.length).toBeLessThan(20)
    const whole = [...texts, ...texts.map((text) => `kind: A\n${text}`)].filter((text) =>
      isWholeObject(text, 0, text.length),
    )
    expect(whole.length).toBeGreaterThan(50)
    for (const [index, { documents, error, partial }] of askKubectl(whole).entries())
      expect([error, partial, documents.length], whole[index]).toEqual(['', false, 1])
  })
})

const isRow = (document: unknown): boolean =>
  typeof document === 'object' && document !== null && 'kind' in document && 'metadata' in document
