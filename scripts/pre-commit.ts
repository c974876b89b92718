/** pre-commit, for the tests of the hooks. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { folderOf, type Wheel } from './pip.ts'

/** The release that the hooks are tested with. */
export const PRE_COMMIT: Wheel = { name: 'pre-commit', version: '4.7.0' }

/** The folder to add to Python's path: `python3 -m pre_commit`. */
export const PRE_COMMIT_PATH = folderOf(PRE_COMMIT)

/** True where it is installed. */
export const hasPreCommit = (): boolean => existsSync(join(PRE_COMMIT_PATH, 'pre_commit'))
