/** `sluice lint --print-config FILE`: the settings that hold for a file, as a settings file. */
import { resolve } from 'node:path'
import { isActive } from '../../engine/run.ts'
import { loadGlobs } from '../../files/discover/globs.ts'
import { createPathSettings } from '../../files/discover/path-settings.ts'
import { shownPath } from '../../files/paths.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import type { Severities } from '../../settings/settings.ts'
import { writeDocuments } from '../../yaml/documents.ts'
import { EXIT, InputError } from '../core/io.ts'
import { findSettings, type Project } from '../core/project.ts'
import type { LintArgs } from './args.ts'

/** Prints them; `rules` are the severities of the command line. Every rule has its severity for the file. */
export async function printConfig(args: LintArgs, project: Project, rules: Severities): Promise<number> {
  const { io, flags, registry } = args
  if (flags.positionals.length > 0 || flags.has('cluster'))
    throw new InputError('--print-config is about one file and judges none: use it without paths and --cluster')
  const path = resolve(io.cwd, flags.value('print-config') ?? '')
  const globs = await loadGlobs([], { ...project, exclude: flags.values('exclude') })
  const own = createPathSettings({ ...project, rules }, globs)(path)
  const { settings, folder, ignores, admission } = project
  const severities = { ...settings.rules, ...own.rules }
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
  const { ruleset, platform, budgets, composition, conflict, zoneNaming, affectedRoutes, apiGroups, mesh, meshMtls } =
    settings
  const written = {
    ...(ruleset === undefined ? {} : { ruleset }),
    ...{ platform, budgets, composition, conflict, zoneNaming, affectedRoutes, apiGroups, mesh, meshMtls, admission },
    rules: Object.fromEntries(active),
  }
  io.stdout.write(`${notes.map((note) => `# ${escapeUnsafe(note)}\n`).join('')}${writeDocuments([written])}`)
  io.onWork?.()
  return EXIT.clean
}
