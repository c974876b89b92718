/** The settings of a run: the settings file, with the command line over it. */
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { shownPath } from '../../files/paths.ts'
import { reasonOf } from '../../files/problem.ts'
import { findSettings } from '../../files/settings-path.ts'
import { DEFAULT_PROJECT, type ProjectSettings, type Severities } from '../../settings/project.ts'
import { unknownRule } from '../../settings/rule-ids.ts'
import type { RuleSetting } from '../../settings/settings.ts'
import { InputError, type Io } from './io.ts'

/** The settings of a working directory. */
export type Project = ProjectSettings & {
  /** The folder that globs of the settings are relative to. */
  readonly folder: string
}

/** Finds and reads the settings. Throws {@link InputError} with everything that is wrong with them. */
export async function loadProject(
  { cwd }: Pick<Io, 'cwd'>,
  named: string | undefined,
  ruleIds: readonly string[],
): Promise<Project> {
  const file = named === undefined ? findSettings(cwd) : resolve(cwd, named)
  if (file === undefined) return { ...DEFAULT_PROJECT, folder: cwd }
  const shown = shownPath(file, cwd)
  const text = readText(file, shown)
  const { readSettings } = await import('../../settings/file.ts')
  const outcome = readSettings(text, ruleIds)
  if (outcome.ok) return { ...outcome.project, folder: dirname(file) }
  const lines = outcome.problems.map(
    ({ line, column, path, message }) => `${shown}:${line}:${column}: ${path === '' ? '' : `${path}: `}${message}`,
  )
  throw new InputError(lines.join('\nsluice: '))
}

function readText(file: string, shown: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new InputError(`${shown}: ${reasonOf(error)}`)
  }
}

const SEVERITIES: readonly string[] = ['off', 'info', 'warning', 'error'] satisfies RuleSetting[]

const isSetting = (text: string): text is RuleSetting => SEVERITIES.includes(text)

/** Reads `--rule ID=SEVERITY` flags. Throws {@link InputError}. */
export function readRuleFlags(flags: readonly string[], ruleIds: readonly string[]): Severities {
  const rules: Record<string, RuleSetting> = {}
  for (const flag of flags) {
    const [id = '', severity = ''] = flag.split('=')
    if (!isSetting(severity)) throw new InputError(`--rule ${flag}: write ID=off, ID=info, ID=warning or ID=error`)
    if (!ruleIds.includes(id)) throw new InputError(`--rule ${flag}: ${unknownRule(id, ruleIds)}`)
    rules[id] = severity
  }
  return rules
}
