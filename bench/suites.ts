/** What is measured, against what, and the bar that it has to stay under. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FORMATS } from '../src/reports/lint/formats.ts'
import { ADMISSION_SUITES } from './admission-suites.ts'
import { CONTROLLER_SUITE } from './controller-suite.ts'
import { type CorpusOptions, POLICIES_PER_FILE, writeCorpus } from './corpus.ts'
import { findKubeconform, kubeconform } from './kubeconform.ts'
import { LIVE_SUITE } from './live-suite.ts'
import { MANAGEMENT_SUITES } from './management-suites.ts'
import { type Command, compare, peakMemory, type Timing } from './measure.ts'
import { MESH_SUITES } from './mesh-suites.ts'
import { PUBLICATION_SUITE } from './publication-suite.ts'
import { REPLAY_SUITES } from './replay.ts'
import { PROGRAM } from './server.ts'
import { SHAPE_SUITE } from './shapes/suite.ts'
import { STUDIO_DIAGNOSTICS_SUITE } from './studio-diagnostics-suite.ts'
import { STUDIO_SIMULATION_SUITE } from './studio-simulation-suite.ts'
import { STUDIO_VIEW_SUITE } from './studio-view-suite.ts'
import { type Measured, notMeasured, type Suite } from './suite.ts'

const READER = fileURLToPath(new URL('./read-files.mjs', import.meta.url))
const SEED = 20_260_801
const POLICY_FILES = 2000
const MEGABYTE = 1_000_000

const node = (...parameters: readonly string[]): Command => ({ program: process.execPath, parameters })
const lint = (folder: string): Command => ({ ...node(PROGRAM, 'lint', folder), exits: [0, 1] })

export const SUITES: readonly Suite[] = [
  {
    name: 'lint',
    what: `lint of ${POLICY_FILES * POLICIES_PER_FILE} policies, all rules, two mistakes in a hundred : kubeconform`,
    bar: '0.6',
    measure: (folder, runs) => againstKubeconform(folder, runs, 0.6, {}),
  },
  {
    name: 'noisy',
    what: 'the same where nearly every policy has a warning : kubeconform',
    bar: '1.5',
    measure: (folder, runs) => againstKubeconform(folder, runs, 1.5, { noisy: true }),
  },
  {
    name: 'start',
    what: 'lint of one file : node -e 0',
    bar: '1.6',
    measure(folder, runs) {
      writeCorpus(folder, { seed: SEED, policyFiles: 1 })
      // Starts are short: more of them cost little and steady the median.
      return judged(1.6, compare(lint(folder), node('-e', '0'), runs * 3))
    },
  },
  {
    name: 'linear',
    what: 'lint of ten times the files : lint of the files',
    bar: '11',
    measure(folder, runs) {
      const [many, few] = [join(folder, 'many'), join(folder, 'few')]
      writeCorpus(many, { seed: SEED, policyFiles: POLICY_FILES * 10 })
      writeCorpus(few, { seed: SEED, policyFiles: POLICY_FILES })
      return judged(11, compare(lint(many), lint(few), runs))
    },
  },
  {
    name: 'unrelated',
    what: 'lint of 500 policies among 20000 other manifests : reading the files',
    bar: '1.2',
    measure(folder, runs) {
      writeCorpus(folder, { seed: SEED, policyFiles: 500 / POLICIES_PER_FILE, unrelatedFiles: 20_000 })
      return judged(1.2, compare(lint(folder), node(READER, folder), runs))
    },
  },
  {
    name: 'base',
    what: 'lint --base HEAD of the policies, nothing changed : lint',
    bar: '2.2',
    measure: (folder, runs) => againstPlainLint(folder, runs, 2.2, () => {}),
  },
  {
    name: 'base-changed',
    what: 'the same where every file has changed : lint',
    bar: '2.6',
    measure: (folder, runs) =>
      againstPlainLint(folder, runs, 2.6, () => writeCorpus(folder, { seed: SEED + 1, policyFiles: POLICY_FILES })),
  },
  {
    name: 'formats',
    what: 'lint of 10,000 findings in the slowest other format : in text',
    bar: '1.15',
    measure: slowestFormat,
  },
  {
    name: 'fix',
    what: `lint --fix of ${POLICY_FILES} files with a mistake in each : lint`,
    bar: '2.0',
    measure(folder, runs) {
      const options = { seed: SEED, policyFiles: POLICY_FILES, fixable: true }
      const prepare = () => {
        writeCorpus(folder, options)
        // What was just written must not be waiting for the disk when the run writes.
        execFileSync('sync')
      }
      const fix: Command = { ...node(PROGRAM, 'lint', '--fix', folder), exits: [0, 1], prepare }
      return judged(2.0, compare(fix, { ...lint(folder), prepare }, runs))
    },
  },
  {
    name: 'memory',
    what: 'peak memory of the lint',
    bar: '250 MB',
    measure(folder, runs) {
      writeCorpus(folder, { seed: SEED, policyFiles: POLICY_FILES })
      const bytes = peakMemory(PROGRAM, ['lint', folder], runs)
      return {
        figure: `${Math.round(bytes / MEGABYTE)} MB`,
        kept: bytes <= 250 * MEGABYTE,
        details: `median of ${runs} runs`,
      }
    },
  },
  SHAPE_SUITE,
  ...REPLAY_SUITES,
  ...ADMISSION_SUITES,
  ...MANAGEMENT_SUITES,
  ...MESH_SUITES,
  LIVE_SUITE,
  PUBLICATION_SUITE,
  STUDIO_SIMULATION_SUITE,
  STUDIO_DIAGNOSTICS_SUITE,
  STUDIO_VIEW_SUITE,
  CONTROLLER_SUITE,
]

function againstKubeconform(folder: string, runs: number, bar: number, options: Partial<CorpusOptions>): Measured {
  const peer = findKubeconform()
  if (!peer) return notMeasured('kubeconform is not installed')
  const corpus = join(folder, 'corpus')
  writeCorpus(corpus, { seed: SEED, policyFiles: POLICY_FILES, ...options })
  return judged(bar, compare(lint(corpus), kubeconform(peer, join(folder, 'schemas'), corpus), runs))
}

/** Compares the lint of a repository with what it says beside its last commit; `change` happens after that. */
function againstPlainLint(folder: string, runs: number, bar: number, change: () => void): Measured {
  writeCorpus(folder, { seed: SEED, policyFiles: POLICY_FILES })
  commitAll(folder)
  change()
  const withBase = { ...node(PROGRAM, 'lint', folder, '--base', 'HEAD'), exits: [0, 1] }
  return judged(bar, compare(withBase, lint(folder), runs))
}

/** Every format in turns with the text report; the detail names what each took, relative to it. */
function slowestFormat(folder: string, runs: number): Measured {
  writeCorpus(folder, { seed: SEED, policyFiles: POLICY_FILES, noisy: true })
  const [, ...others] = FORMATS
  const inFormat = (name: string): Command => ({ ...node(PROGRAM, 'lint', folder, '--format', name), exits: [0, 1] })
  const timings = others.map(({ name }) => ({ name, ...compare(inFormat(name), lint(folder), runs) }))
  const worst = Math.max(...timings.map(({ ratio }) => ratio))
  const details = timings.map(({ name, ratio }) => `${name} ${ratio.toFixed(2)}`).join(', ')
  return { figure: worst.toFixed(2), kept: worst <= 1.15, details }
}

function commitAll(folder: string): void {
  const identity = ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.com', '-c', 'commit.gpgsign=false']
  const git = (...parameters: readonly string[]) =>
    execFileSync('git', [...identity, ...parameters], { cwd: folder, stdio: 'ignore' })
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'all')
}

const judged = (bar: number, { a, b, ratio }: Timing): Measured => ({
  figure: ratio.toFixed(2),
  kept: ratio <= bar,
  details: `${a.toFixed(3)} s : ${b.toFixed(3)} s`,
})
