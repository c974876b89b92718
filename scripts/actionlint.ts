/** actionlint, for the workflows of this repository and those on the pages. */
import { buildGoProgram, findGoProgram, type GoProgram } from './go-program.ts'

/** The release that is built. */
export const ACTIONLINT: GoProgram = {
  name: 'actionlint',
  version: '1.7.12',
  path: 'github.com/rhysd/actionlint/cmd/actionlint',
  variable: 'SLUICE_ACTIONLINT',
}

/** The path of actionlint; undefined where it is not installed. */
export const findActionlint = (): string | undefined => findGoProgram(ACTIONLINT)

/** Builds actionlint. Returns whether it succeeded. */
export const buildActionlint = (): boolean => buildGoProgram(ACTIONLINT)
