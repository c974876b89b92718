/** What `sluice lint` shows instead of judging: which files it would judge, and which settings hold for one. */

import { resolve } from 'node:path'
import { isActive } from '../../engine/run.ts'
import { collectSources } from '../../files/discover/collect-sources.ts'
import type { LeftOutReason } from '../../files/discover/find-files.ts'
import { loadGlobs } from '../../files/discover/globs.ts'
import { createPathSettings } from '../../files/discover/path-settings.ts'
import { shownPath } from '../../files/paths.ts'
import { fileOf } from '../../project/source.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import type { Severities } from '../../settings/settings.ts'
import { compareText } from '../../text/order.ts'
import { writeDocuments } from '../../yaml/documents.ts'
import { EXIT, InputError } from '../core/io.ts'
import { printInputProblems } from '../core/print-notes.ts'
import { findSettings, type Project } from '../core/project.ts'
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

/** `--list-files`: prints the files that are judged on the standard output, and the others on the standard error. */
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

/**
 * `--print-config FILE`: prints the settings that hold for a file, as a settings file. `rules` are the severities of the
 * command line; every rule has its severity for the file.
 */
export async function printConfig(args: LintArgs, project: Project, rules: Severities): Promise<number> {
  const { io, flags, registry } = args
  if (flags.positionals.length > 0 || flags.has('cluster'))
    throw new InputError('--print-config is about one file and judges none: use it without paths and --cluster')
  const path = resolve(io.cwd, flags.value('print-config') ?? '')
  const globs = await loadGlobs([], { ...project, exclude: flags.values('exclude') })
  const own = createPathSettings({ ...project, rules }, globs)(path)
  const { settings, folder, ignores, admission } = project
  const { rules: configured, ruleset, policies, ...others } = settings
  const severities = { ...configured, ...own.rules }
  const file = flags.value('config') ?? findSettings(io.cwd)
  const notes = [
    `settings of ${shownPath(path, io.cwd)}, from ${file === undefined ? 'the defaults' : shownPath(resolve(io.cwd, file), io.cwd)}`,
    ...(own.world === undefined ? [] : [`world: ${own.world.join(', ')}`]),
    ...(globs.matchPaths(ignores, folder)(path) ? ['left out by ignores, unless the command line names it'] : []),
    ...(globs.matchPaths(flags.values('exclude'), io.cwd)(path) ? ['left out by --exclude'] : []),
  ]
  const active = registry.rules.map((rule): [string, string] => {
    const isOn = isActive(rule, { ...settings, rules: severities })
    return [rule.id, isOn ? (severities[rule.id] ?? rule.severity) : 'off']
  })
  const written = {
    ...(ruleset === undefined ? {} : { ruleset }),
    ...others,
    admission,
    ...(project.failOnUnjudged.length === 0 ? {} : { failOnUnjudged: [...project.failOnUnjudged] }),
    ...(policies.length === 0 ? {} : { policies: policies.map((policy) => ({ ...policy, kinds: [...policy.kinds] })) }),
    rules: Object.fromEntries(active),
  }
  io.stdout.write(`${notes.map((note) => `# ${escapeUnsafe(note)}\n`).join('')}${writeDocuments([written])}`)
  io.onWork?.()
  return EXIT.clean
}
