/** The corpora of the benchmarks are as the benchmarks describe them. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type CorpusOptions, writeCorpus } from '../../bench/corpus.ts'
import { median } from '../../bench/measure.ts'
import { lint } from '../../src/lint/lint.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-corpus-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function write(name: string, options: CorpusOptions) {
  const bytes = writeCorpus(join(folder, name), options)
  const sources = readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => ({ file: entry.name, text: readFileSync(join(entry.parentPath, entry.name), 'utf8') }))
    .sort((a, b) => (a.file < b.file ? -1 : 1))
  return { bytes, sources, ...lint(sources).report }
}

it('gives the same bytes for the same seed, and others for another', () => {
  const [first, again, other] = [
    write('a', { seed: 1, policyFiles: 20 }),
    write('b', { seed: 1, policyFiles: 20 }),
    write('c', { seed: 2, policyFiles: 20 }),
  ]
  expect(again.sources).toEqual(first.sources)
  expect(other.sources).not.toEqual(first.sources)
})

it('has policies of about 500 bytes; two in a hundred have a mistake, the others none', () => {
  const { bytes, findings, summary } = write('usual', { seed: 1, policyFiles: 200 })
  expect(bytes / 1000).toBeGreaterThan(450)
  expect(bytes / 1000).toBeLessThan(550)
  expect(summary).toMatchObject({ documents: 1000, warnings: 0, infos: 0 })
  expect(summary.errors).toBe(findings.length)
  expect(summary.errors / 1000).toBeGreaterThan(0.01)
  expect(summary.errors / 1000).toBeLessThan(0.03)
})

it('has a warning in nearly every policy, when noisy', () => {
  const { summary } = write('noisy', { seed: 1, policyFiles: 100, noisy: true })
  expect(summary).toMatchObject({ documents: 500, errors: 0 })
  expect(summary.warnings / 500).toBeGreaterThan(0.95)
})

it('has nothing to judge in what is unrelated', () =>
  expect(write('unrelated', { seed: 1, policyFiles: 0, unrelatedFiles: 100 })).toMatchObject({
    findings: [],
    summary: { files: 100, documents: 0 },
  }))

it('takes the middle of an odd number of runs, and the mean of the two middle ones of an even number', () => {
  expect(median([3, 1, 2])).toBe(2)
  expect(median([4, 1, 2, 3])).toBe(2.5)
})
