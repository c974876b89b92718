/** `npm run bench -- [--runs N] [suite …]`: measures, and prints a Markdown table. Exit code 1: a bar was broken. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Measured, SUITES, type Suite } from './suites.ts'

const FEWEST_RUNS = 5

function measure(suite: Suite, runs: number): Measured {
  const folder = mkdtempSync(join(tmpdir(), `sluice-bench-${suite.name}-`))
  try {
    return suite.measure(folder, runs)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const verdict = ({ kept }: Measured): string => (kept === undefined ? '' : kept ? 'yes' : '**no**')

function main(): number {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { runs: { type: 'string' } } })
  const runs = values.runs === undefined ? 7 : Number(values.runs)
  const unknown = positionals.filter((name) => !SUITES.some((suite) => suite.name === name))
  if (unknown.length > 0 || !Number.isInteger(runs) || runs < FEWEST_RUNS) {
    console.error(`usage: npm run bench -- [--runs N] [suite …]
  N is ${FEWEST_RUNS} or more; suites: ${SUITES.map(({ name }) => name).join(', ')}`)
    return 2
  }
  if (!existsSync(new URL('../dist/cli.js', import.meta.url))) {
    console.error('dist/cli.js is missing: npm run build')
    return 2
  }
  console.log(`Node ${process.versions.node}, ${availableParallelism()} cores, medians of ${runs} runs in turns\n`)
  console.log('| suite | what | at most | measured | kept | behind it |\n|---|---|---|---|---|---|')
  let broken = 0
  for (const suite of SUITES) {
    if (positionals.length > 0 && !positionals.includes(suite.name)) continue
    const measured = measure(suite, runs)
    if (measured.kept === false) broken += 1
    console.log(
      `| ${suite.name} | ${suite.what} | ${suite.bar} | ${measured.figure} | ${verdict(measured)} | ${measured.details} |`,
    )
  }
  return broken > 0 ? 1 : 0
}

process.exitCode = main()
