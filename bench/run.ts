/** `npm run bench -- [--runs N] [suite …]`: measures, and prints a Markdown table. Exit code 1: a bar was broken. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Measured, Suite } from './suite.ts'
import { SUITES } from './suites.ts'

const FEWEST_RUNS = 5

async function measure(suite: Suite, runs: number): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), `sluice-bench-${suite.name}-`))
  try {
    return await suite.measure(folder, runs)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const verdict = ({ kept }: Measured): string => (kept === undefined ? '' : kept ? 'yes' : '**no**')

async function main(): Promise<number> {
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
    const measured = await measure(suite, runs)
    for (const row of [{ ...measured, what: suite.what, bar: suite.bar }, ...(measured.beside ?? [])]) {
      if (row.kept === false) broken += 1
      console.log(`| ${suite.name} | ${row.what} | ${row.bar} | ${row.figure} | ${verdict(row)} | ${row.details} |`)
    }
  }
  return broken > 0 ? 1 : 0
}

process.exitCode = await main()
