/** `sluice lint --list-files`: which files would be judged, and why others would not. */
import { collectSources } from '../../files/discover/collect-sources.ts'
import type { LeftOutReason } from '../../files/discover/find-files.ts'
import { fileOf } from '../../project/source.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { compareText } from '../../text/order.ts'
import { EXIT, InputError } from '../core/io.ts'
import { printInputProblems } from '../core/print-notes.ts'
import type { LintArgs } from './args.ts'
import type { SourceOptions } from './inputs.ts'

const REASONS: Readonly<Record<LeftOutReason, string>> = {
  hidden: 'hidden folder',
  node_modules: 'folder of packages',
  excluded: 'left out by --exclude, or by ignores in the settings',
  'git-ignored': 'ignored by Git',
  'chart-template': 'templates of a Helm chart: pipe what helm template prints into `sluice lint -`',
  'chart-values': 'values of a Helm chart',
  'no-objects': 'names no object that sluice judges or looks up',
  'not-named': 'only looked up: none of the paths names it',
}

/** Prints the files that are judged on the standard output, and the others on the standard error. */
export async function listFiles({ io, flags, isQuiet, progress }: LintArgs, options: SourceOptions): Promise<number> {
  if (flags.has('cluster')) throw new InputError('--list-files lists files: use it without --cluster')
  for (const name of ['format', 'output'] as const)
    if (flags.has(name)) throw new InputError(`--list-files prints one name on each line: use it without --${name}`)
  const leftOut = new Map<string, string>()
  const observer = {
    onLeftOut: (_: string, file: string, reason: LeftOutReason) => void leftOut.set(file, REASONS[reason]),
  }
  const collected = await collectSources(flags.positionals, { ...options, observer })
  progress.clear()
  const judged = collected.sources.filter(({ unjudged }) => !unjudged).map(fileOf)
  for (const file of [...new Set(judged)].sort(compareText)) io.stdout.write(`${escapeUnsafe(file)}\n`)
  const others = [...leftOut].sort(([a], [b]) => compareText(a, b))
  if (!isQuiet) for (const [file, reason] of others) io.stderr.write(`left out: ${escapeUnsafe(file)} (${reason})\n`)
  printInputProblems(collected, io, { isQuiet: true, isClosed: false })
  return collected.problems.length > 0 ? EXIT.input : EXIT.clean
}
