/** schemathesis, which sends an API all that its OpenAPI document allows, and much that it does not. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { folderOf, type Wheel } from './pip.ts'

/** The release that is used. */
export const SCHEMATHESIS: Wheel = { name: 'schemathesis', version: '4.32.5' }

/** The folder to add to Python's path: `python3 -m schemathesis.cli`. */
export const SCHEMATHESIS_PATH = folderOf(SCHEMATHESIS)

/** True where it is installed. */
export const hasSchemathesis = (): boolean => existsSync(join(SCHEMATHESIS_PATH, 'schemathesis'))
