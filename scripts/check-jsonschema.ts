/** check-jsonschema, which brings the published schemas of CI systems. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { folderOf, type Wheel } from './pip.ts'

/** The release whose schemas hold. */
export const CHECK_JSONSCHEMA: Wheel = { name: 'check-jsonschema', version: '0.39.0' }

/** What Python must look into to find it: `python3 -m check_jsonschema`. */
export const CHECK_JSONSCHEMA_PATH = folderOf(CHECK_JSONSCHEMA)

/** True where it has been provided. */
export const hasCheckJsonschema = (): boolean => existsSync(join(CHECK_JSONSCHEMA_PATH, 'check_jsonschema'))
