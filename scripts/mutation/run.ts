/**
 * `npm run mutation`: changes the code in small ways (mutants) and reports which changes no test notices (survivors).
 *
 *     npm run mutation -- --sample 75 --seed 7 rules src/limits
 *
 * `--sample` is the number of mutants that are tried below each path, drawn by `--seed`; without it all are. Left out
 * are mutants of code that runs while a module is loaded: texts and tables, which fixtures compare in full.
 */
import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import type { MutantResult } from '@stryker-mutator/api/core'
import { Stryker } from '@stryker-mutator/core'
import type { Draw } from './sample.ts'

/** The folders whose score docs/benchmarks.md states, and the lowest that is accepted, in percent. */
const FOLDERS = ['rules', 'src/limits', 'src/nginx', 'src/gateway']
const LEAST = 85

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    concurrency: { type: 'string', default: '1' },
  },
})
const paths = positionals.length > 0 ? positionals : FOLDERS

/** How the tests reacted to the mutants of one folder. */
type Score = { readonly killed: number; readonly all: number; readonly survivors: readonly MutantResult[] }

/** Counts the mutants that were tried below a path; a mutant that no test runs survives. */
function scoreOf(results: readonly MutantResult[]): Score {
  const killed = results.filter(({ status }) => status === 'Killed' || status === 'Timeout')
  const survivors = results.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
  return { killed: killed.length, all: killed.length + survivors.length, survivors }
}

const percent = ({ killed, all }: Score): number => (all === 0 ? 100 : (100 * killed) / all)

const fileOf = ({ fileName }: MutantResult): string => relative(process.cwd(), fileName)

/** `src/limits/rate.ts:31:7 EqualityOperator (Survived): a > b` */
function describe(mutant: MutantResult): string {
  const { location, mutatorName, status, replacement = '' } = mutant
  return `${fileOf(mutant)}:${location.start.line}:${location.start.column} ${mutatorName} (${status}): ${replacement}`
}

const sample = values.sample === undefined ? undefined : Number(values.sample)
process.env.SLUICE_MUTATION = JSON.stringify({ seed: values.seed, paths, sample } satisfies Draw)
const results = await new Stryker({
  mutate: paths.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`)),
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner', './scripts/mutation/sample.ts'],
  vitest: { configFile: 'vitest.mutation.config.ts', related: false },
  checkers: ['sample'],
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  concurrency: Number(values.concurrency),
  // A busy machine is slow: only what never ends counts as killed by time.
  timeoutMS: 60_000,
  dryRunTimeoutMinutes: 30,
  reporters: ['progress-append-only'],
  // TypeScript 7 has no programming interface, which Stryker would use to rewrite the configuration of TypeScript.
  tsconfigFile: '.cache/no-tsconfig.json',
  disableTypeChecks: false,
  tempDirName: `.cache/mutation/${process.pid}`,
  ignorePatterns: ['/dist', '/docs', '/bench', '/.cache'],
  allowConsoleColors: false,
}).runMutationTest()

for (const path of paths) {
  const own = results.filter((result) => fileOf(result).startsWith(path))
  const score = scoreOf(own)
  for (const survivor of score.survivors) console.log(describe(survivor))
  console.log(`${path}: ${score.killed} of ${score.all} killed, ${percent(score).toFixed(1)} %\n`)
}
const total = scoreOf(results)
console.log(`${total.killed} of ${total.all} mutants killed: ${percent(total).toFixed(1)} % (seed ${values.seed})`)
process.exitCode = percent(total) < LEAST ? 1 : 0
