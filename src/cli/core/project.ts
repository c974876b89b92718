/** The settings of a run: the settings file, with the command line over it. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describeSystemError } from '../../files/input-problem.ts'
import { foldersAbove, shownPath } from '../../files/paths.ts'
import { resolveRule } from '../../settings/rule-ids.ts'
import type { RuleSetting } from '../../settings/settings.ts'
import { DEFAULT_PROJECT, type ProjectSettings, type Severities } from '../../settings/settings.ts'
import { InputError, type Io } from './io.ts'

/** The settings of a working directory. */
export type Project = ProjectSettings & {
  /** The folder that globs of the settings are relative to. */
  readonly folder: string
}

const SETTINGS_FILE = 'sluice.config.yaml'

/** The nearest settings file at or above a folder, no higher than its Git repository; undefined where there is none. */
export function findSettings(folder: string): string | undefined {
  for (const candidate of [folder, ...foldersAbove(folder)]) {
    const file = join(candidate, SETTINGS_FILE)
    if (existsSync(file)) return file
    if (existsSync(join(candidate, '.git'))) return undefined
  }
  return undefined
}

/** Finds and reads the settings; `named` is `--config`. Throws {@link InputError} with everything that is wrong. */
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
    throw new InputError(`${shown}: ${describeSystemError(error)}`)
  }
}

const SEVERITIES: readonly string[] = ['off', 'info', 'warning', 'error'] satisfies RuleSetting[]

const isSetting = (text: string): text is RuleSetting => SEVERITIES.includes(text)

/** Reads the values of `--rule ID=SEVERITY`; the part of an id after the slash is enough. Throws {@link InputError}. */
export function readRuleFlags(values: readonly string[], ruleIds: readonly string[]): Severities {
  const rules: Record<string, RuleSetting> = {}
  for (const value of values) {
    const [written = '', word = ''] = value.split('=')
    const severity = word === 'warn' ? 'warning' : word
    if (!isSetting(severity)) throw new InputError(`--rule ${value}: write ID=off, ID=info, ID=warning or ID=error`)
    const rule = resolveRule(written, ruleIds)
    if ('problem' in rule) throw new InputError(`--rule ${value}: ${rule.problem}`)
    rules[rule.id] = severity
  }
  return rules
}
