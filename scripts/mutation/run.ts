/**
 * `npm run mutation`: changes the code in small ways (mutants) and reports which changes no test notices (survivors).
 *
 *     npm run mutation -- --sample 75 --seed 7 rules src/limits
 *
 * `--sample` is the number of mutants that are tried below each path, drawn by `--seed`; without it all are. Exits with 1
 * where one of the paths is below 85 %. Left out are mutants of code that runs while a module is loaded: texts and tables,
 * which fixtures compare in full.
 */
import { parseArgs } from 'node:util'
import type { MutantResult } from '@stryker-mutator/api/core'
import { Stryker } from '@stryker-mutator/core'
import { FOLDERS, folderOf } from './folders.ts'
import type { Draw } from './sample.ts'

/** The lowest score that is accepted, in percent. */
const LEAST = 85

const OPTIONS = {
  sample: { type: 'string' },
  seed: { type: 'string', default: '1' },
  concurrency: { type: 'string', default: '1' },
} as const

/** How the tests reacted to the mutants of one folder. */
type Score = { readonly killed: number; readonly all: number }

/** Counts the mutants that were tried; one that no test runs survives. */
function scoreOf(results: readonly MutantResult[]): Score {
  const count = (...all: readonly MutantResult['status'][]) =>
    results.filter(({ status }) => all.includes(status)).length
  const killed = count('Killed', 'Timeout')
  return { killed, all: killed + count('Survived', 'NoCoverage') }
}

const percent = ({ killed, all }: Score): number => (all === 0 ? 100 : (100 * killed) / all)

const NODE = process.execPath
process.env.SLUICE_NODE = NODE

/** Tries mutants of a path: a file or a folder. */
async function tryMutants(path: string, concurrency: number, draw: Draw): Promise<Score> {
  process.env.SLUICE_MUTATION = JSON.stringify(draw)
  // By which Stryker starts the processes that run tests.
  process.execPath = draw.folder === 'src/proxy' ? `${import.meta.dirname}/apart.sh` : NODE
  const stryker = new Stryker({
    mutate: [path.endsWith('.ts') ? path : `${path}/**/*.ts`],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner', './scripts/mutation/sample.ts'],
    vitest: { configFile: 'vitest.mutation.config.ts', related: false },
    checkers: ['sample'],
    coverageAnalysis: 'perTest',
    ignoreStatic: true,
    concurrency,
    // A busy machine is slow: only what never ends counts as killed by time.
    timeoutMS: 30_000,
    dryRunTimeoutMinutes: 30,
    reporters: ['survivors'],
    // TypeScript 7 has no programming interface, which Stryker would use to rewrite the configuration of TypeScript.
    tsconfigFile: '.cache/no-tsconfig.json',
    disableTypeChecks: false,
    tempDirName: `.cache/mutation/${process.pid}`,
    ignorePatterns: ['/dist', '/docs', '/bench', '/.cache'],
    allowConsoleColors: false,
  })
  return scoreOf(await stryker.runMutationTest())
}

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS })
  const paths = positionals.length > 0 ? positionals : Object.keys(FOLDERS)
  const unknown = paths.find((path) => folderOf(path) === undefined)
  if (unknown !== undefined) {
    console.error(`${unknown} is in none of ${Object.keys(FOLDERS).join(', ')}`)
    return 2
  }
  const sample = values.sample === undefined ? undefined : Number(values.sample)
  const rows: string[] = []
  let code = 0
  for (const path of paths) {
    const draw = { folder: folderOf(path) ?? '', seed: values.seed, sample }
    const score = await tryMutants(path, Number(values.concurrency), draw)
    rows.push(`| \`${path}\` | ${score.all} | ${score.killed} | ${percent(score).toFixed(1)} % |`)
    console.log(`${rows.at(-1)}\n`)
    if (percent(score) < LEAST) code = 1
  }
  console.log(['| folder | mutants drawn | killed | |', '|---|---|---|---|', ...rows].join('\n'))
  return code
}

process.exitCode = await main(process.argv.slice(2))
