/** Where the settings of a working directory stand. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { foldersAbove } from './paths.ts'

export const SETTINGS_FILE = 'sluice.config.yaml'

/** The nearest settings file at or above a folder, no higher than its Git repository; undefined where there is none. */
export function findSettings(folder: string): string | undefined {
  for (const candidate of [folder, ...foldersAbove(folder)]) {
    const file = join(candidate, SETTINGS_FILE)
    if (existsSync(file)) return file
    if (existsSync(join(candidate, '.git'))) return undefined
  }
  return undefined
}
