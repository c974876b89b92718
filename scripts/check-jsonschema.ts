/** check-jsonschema, which contains the published schemas of CI systems. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { folderOf, type Wheel } from './pip.ts'

/** The release whose schemas are used. */
export const CHECK_JSONSCHEMA: Wheel = { name: 'check-jsonschema', version: '0.39.0' }

/** The folder to add to Python's path: `python3 -m check_jsonschema`. */
export const CHECK_JSONSCHEMA_PATH = folderOf(CHECK_JSONSCHEMA)

/** True where it is installed. */
export const hasCheckJsonschema = (): boolean => existsSync(join(CHECK_JSONSCHEMA_PATH, 'check_jsonschema'))
