/** The flags of `sluice lint`, and what they ask for: everything wrong with them is reported before a file is read. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { FABRIC_VERSIONS } from '../../fabric/releases.ts'
import { describeSystemError } from '../../files/input-problem.ts'
import type { Registry } from '../../registry.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { findRuleId } from '../../settings/rule-ids.ts'
import { findUnjudgedCode, UNJUDGED_CODES, type UnjudgedCode } from '../../settings/unjudged.ts'
import { COMPARISON_FLAGS } from '../core/comparison.ts'
import type { Args } from '../core/flags.ts'
import { CLUSTER_FLAGS } from '../core/inputs.ts'
import { InputError, type Io } from '../core/io.ts'
import { createProgress, WHEN } from '../core/terminal.ts'
import { BASELINE_FLAGS, openBaseline } from './baseline.ts'
import { FIX_FLAGS, readFixing } from './fix.ts'
import { OUTPUT_FLAGS, readOutputs } from './output.ts'

/** By name, in the order in which the help lists them. */
export const FLAGS = {
  ...OUTPUT_FLAGS,
  'max-warnings': { value: 'N', summary: 'fail when there are more than N warnings' },
  only: { value: 'RULE', summary: 'judge by this rule alone, also if it is off; repeatable' },
  rule: { value: 'ID=SEVERITY', summary: 'set a rule to off, info, warning, error; repeatable' },
  config: { value: 'FILE', summary: 'settings; default: sluice.config.yaml here or above' },
  'fabric-version': {
    ...{ value: 'V', choices: FABRIC_VERSIONS },
    summary: 'the release of NGINX Gateway Fabric, such as 2.6.7',
  },
  namespace: { short: 'n', value: 'NS', summary: 'the namespace of manifests that name none' },
  'fail-on-unjudged': {
    value: 'REASON,…',
    isOptional: true,
    choices: UNJUDGED_CODES,
    summary: 'fail for what cannot be judged, or for some reasons',
  },
  'require-policies': { summary: 'fail when there is no policy to judge' },
  'closed-world': { summary: 'the files are all there is: what they lack is absent' },
  ...FIX_FLAGS,
  exclude: { value: 'GLOB', summary: 'leave out files and folders, even named ones; repeatable' },
  'stdin-filename': { value: 'FILE', summary: 'the file whose text the standard input (-) is' },
  'list-files': { summary: 'only print which files are judged, and why others are not' },
  'print-config': { value: 'FILE', summary: 'only print the settings that hold for a file' },
  watch: { summary: 'judge again whenever a file changes; Ctrl-C ends' },
  within: { value: 'DIR', summary: 'read all files of DIR, judge only the named ones; repeatable' },
  ...COMPARISON_FLAGS,
  ...CLUSTER_FLAGS,
  ...BASELINE_FLAGS,
  color: { value: 'WHEN', choices: WHEN, summary: 'auto, always or never; default: auto' },
  verbose: { summary: 'show where a fault in sluice comes from' },
} as const

/** The flags and paths of a command line of `sluice lint`. */
export type LintFlags = Args<keyof typeof FLAGS>

/** What a command line asks for. */
export type LintArgs = Awaited<ReturnType<typeof readArgs>>

/** Reads the flags; `registry` is what the run knows. Throws {@link InputError}. */
export async function readArgs(process: Io, flags: LintFlags, registry: Registry) {
  const fixing = readFixing(process, flags)
  const io = fixing?.io ?? process
  const ruleIds = registry.rules.map(({ id }) => id)
  return {
    registry,
    flags,
    fixing,
    io,
    outputs: readOutputs(flags, io),
    maxWarnings: readMaxWarnings(flags.value('max-warnings')),
    failOnUnjudged: readUnjudged(flags),
    ruleIds,
    stdinFile: readStdinFile(flags),
    baseline: await openBaseline(io, flags, registry),
    within: readWithin(flags, io.cwd),
    isQuiet: flags.has('quiet'),
    progress: createProgress(io),
  }
}

/** The ids of the rules of `--only`; undefined without the flag. Throws {@link InputError}. */
export function readOnly(flags: LintFlags, ruleIds: readonly string[]): readonly string[] | undefined {
  if (!flags.has('only')) return undefined
  return flags.values('only').map((written) => {
    const found = findRuleId(written, ruleIds)
    if ('problem' in found) throw new InputError(`--only ${written}: ${found.problem}`)
    return found.id
  })
}

/** The file of `--stdin-filename`. */
function readStdinFile(flags: LintFlags): string | undefined {
  const file = flags.value('stdin-filename')
  if (file !== undefined && !flags.positionals.includes('-'))
    throw new InputError(`--stdin-filename names the standard input: sluice lint - --stdin-filename ${file}`)
  return file
}

/** The reasons of `--fail-on-unjudged`, all without a value; undefined without the flag. Throws {@link InputError}. */
function readUnjudged(flags: LintFlags): readonly UnjudgedCode[] | undefined {
  if (!flags.has('fail-on-unjudged')) return undefined
  const written = flags.values('fail-on-unjudged')
  if (written.includes('')) return UNJUDGED_CODES
  return written.flatMap((list) =>
    list.split(',').map((one) => {
      const found = findUnjudgedCode(one.trim())
      if ('problem' in found) throw new InputError(`--fail-on-unjudged=${list}: ${found.problem}`)
      return found.code
    }),
  )
}

function readMaxWarnings(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY
  if (!/^\d{1,9}$/.test(text)) throw new InputError(`--max-warnings must be a whole number of 0 or more; got "${text}"`)
  return Number(text)
}

/** The folders of `--within`; undefined without the flag. Throws where one of them is not a folder. */
function readWithin(flags: LintFlags, cwd: string): readonly string[] | undefined {
  if (!flags.has('within')) return undefined
  if (flags.has('cluster')) throw new InputError('--within is for files: use it without --cluster')
  if (flags.positionals.includes('-') && !flags.has('stdin-filename'))
    throw new InputError('--within judges files of a folder: say which one the standard input is with --stdin-filename')
  const folders = flags.values('within')
  for (const folder of folders) {
    const problem = problemOfFolder(resolve(cwd, folder))
    if (problem !== undefined) throw new InputError(escapeUnsafe(`--within ${folder}: ${problem}`))
  }
  return folders
}

function problemOfFolder(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : 'expected a folder, found a file'
  } catch (error) {
    return describeSystemError(error)
  }
}
