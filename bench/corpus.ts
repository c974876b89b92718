/** Corpora of manifests, written into a folder; the same seed gives the same bytes. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Flavour, policyManifest, unrelatedManifest } from './manifests.ts'
import { createRandom, type Random } from './random.ts'

export type CorpusOptions = {
  readonly seed: number
  /** Files of {@link POLICIES_PER_FILE} policies each. */
  readonly policyFiles: number
  /** Files of one manifest that nobody judges. */
  readonly unrelatedFiles?: number
  /** True: nearly every policy has a warning. Else two in a hundred have a mistake. */
  readonly noisy?: boolean
  /** True: one policy of every file has a mistake that can be fixed. */
  readonly fixable?: boolean
}

export const POLICIES_PER_FILE = 5

/** Writes a corpus below a folder, in the folders of forty teams; returns the bytes that it takes. */
export function writeCorpus(
  folder: string,
  { seed, policyFiles, unrelatedFiles = 0, noisy = false, fixable = false }: CorpusOptions,
): number {
  const random = createRandom(seed)
  const flavour = noisy ? () => noisyFlavour(random) : () => usualFlavour(random)
  let bytes = 0
  const write = (path: string, text: string) => {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    bytes += Buffer.byteLength(text)
  }
  for (let file = 0; file < policyFiles; file += 1) {
    const manifests = Array.from({ length: POLICIES_PER_FILE }, (_, index) =>
      policyManifest(random, file * POLICIES_PER_FILE + index, fixable && index === 0 ? 'fixable' : flavour()),
    )
    write(`team-${file % 40}/limits-${file}.yaml`, manifests.join('---\n'))
  }
  for (let file = 0; file < unrelatedFiles; file += 1)
    write(`team-${file % 40}/app-${file % 997}/manifest-${file}.yaml`, unrelatedManifest(random, file))
  return bytes
}

const usualFlavour = (random: Random): Flavour => (random.below(100) < 2 ? 'mistake' : 'clean')
const noisyFlavour = (random: Random): Flavour => (random.below(100) < 98 ? 'warning' : 'clean')
