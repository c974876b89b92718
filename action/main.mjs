/**
 * The step of the GitHub Action: finds the base, runs `sluice lint`, and gives the runner its summary and outputs.
 * Plain JavaScript without packages: it runs with the Node of the runner, from 20 on.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findBase } from './base.mjs'
import { InputProblem, readInputs } from './inputs.mjs'
import { appendSummary, fail, print, warn, writeOutputs } from './runner.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CLI = join(ROOT, 'dist', 'cli.js')

/** The exit codes of sluice that `fail-on` decides on; the others always fail. */
const CLEAN = 0
const FINDINGS = 1

/** Runs the step and returns its exit code. */
function main() {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    fail(
      `Node 20 or newer is needed, and this is ${process.version}: add a step with actions/setup-node before this one`,
    )
    return 2
  }
  const inputs = readInputs(process.env)
  if (!existsSync(CLI) && !build()) return 2
  const base = findBase(inputs, process.env)
  if (base.commit) print(`comparing with ${base.commit}, ${base.what}`)
  else (base.isProblem ? warn : print)(`${base.reason}, so nothing is compared${base.advice ? `: ${base.advice}` : ''}`)
  const reports = mkdtempSync(join(process.env.RUNNER_TEMP || tmpdir(), 'sluice-'))
  try {
    return lint(inputs, base.commit, { json: join(reports, 'report.json'), markdown: join(reports, 'summary.md') })
  } finally {
    rmSync(reports, { recursive: true, force: true })
  }
}

/** A release contains the built program; a branch, or a checkout of this repository, does not. */
function build() {
  print('this version of the action is not a release: building the program, once')
  const { status, error } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: ROOT,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (status === 0 && existsSync(CLI)) return true
  fail(
    `the program cannot be built here${error ? ` (${error.message})` : ''}: use a release of the action, such as @v0`,
  )
  return false
}

/** The flags and paths of the run. */
function argumentsOf({ sarif, config, baseline, failOn, failOnUnjudged, args, paths }, base, reports) {
  const files = Object.entries({ ...reports, ...(sarif ? { sarif } : {}) })
  return [
    ...files.flatMap(([name, file]) => ['--output', `${name}=${file}`]),
    // Code scanning would show suppressed findings as open.
    ...(sarif ? ['--hide-suppressed'] : []),
    ...(config ? ['--config', config] : []),
    ...(baseline ? ['--baseline', baseline] : []),
    ...(failOn === 'warning' ? ['--max-warnings', '0'] : []),
    ...(failOnUnjudged ? [`--fail-on-unjudged${failOnUnjudged === 'all' ? '' : `=${failOnUnjudged}`}`] : []),
    ...(base ? ['--base', base] : []),
    ...args,
    '--',
    ...paths,
  ]
}

function lint(inputs, base, reports) {
  const { status, error } = spawnSync(process.execPath, [CLI, 'lint', ...argumentsOf(inputs, base, reports)], {
    cwd: inputs.folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (error) throw error
  const code = status ?? 3
  const summary = readSummary(reports.json)
  if (summary?.files === 0) warn('no file was found: is there a step with actions/checkout before this one?')
  appendSummary(existsSync(reports.markdown) ? readFileSync(reports.markdown, 'utf8') : NO_REPORT)
  const sarif = inputs.sarif ? resolve(inputs.folder, inputs.sarif) : ''
  const { errors = '', warnings = '', infos = '' } = summary ?? {}
  writeOutputs({ 'exit-code': code, errors, warnings, infos, base: base ?? '', sarif: existsSync(sarif) ? sarif : '' })
  return code === FINDINGS && inputs.failOn === 'never' ? CLEAN : code
}

const NO_REPORT = '### sluice could not run\n\nThe reason is in the log of the step.\n'

/** The counts of a report; undefined where no report was written. */
function readSummary(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).summary : undefined
}

try {
  process.exitCode = main()
} catch (error) {
  fail(error instanceof InputProblem ? error.message : `a fault in the action: ${error?.stack ?? error}`)
  process.exitCode = error instanceof InputProblem ? 2 : 3
}
