/** Settings of a project: those of the engine, and which of its files they apply to. */
import { type AdmissionSettings, DEFAULT_ADMISSION } from './admission.ts'
import { DEFAULT_SETTINGS, type RuleSetting, type Settings } from './settings.ts'

/** Severities by rule id. */
export type Severities = Readonly<Record<string, RuleSetting>>

/** Files that form one world, such as one cluster. */
export type WorldPaths = { readonly name: string; readonly paths: readonly string[] }

/** Severities that hold for some files alone. */
export type Override = { readonly files: readonly string[]; readonly rules: Severities }

/** The settings of a project: what the engine needs, and which settings apply to which files. */
export type ProjectSettings = {
  readonly settings: Settings
  readonly worlds: readonly WorldPaths[]
  readonly overrides: readonly Override[]
  /** Globs of files that are left out. */
  readonly ignores: readonly string[]
  readonly admission: AdmissionSettings
}

/** What holds without a settings file. */
export const DEFAULT_PROJECT: ProjectSettings = {
  settings: DEFAULT_SETTINGS,
  worlds: [],
  overrides: [],
  ignores: [],
  admission: DEFAULT_ADMISSION,
}
