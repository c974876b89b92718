/** `sluice version`. */
import manifest from '../../../package.json' with { type: 'json' }
import { type Command, command } from '../core/command.ts'
import { EXIT } from '../core/io.ts'

/** The version of this program. */
export const VERSION: string = manifest.version

/** `sluice version`. */
export const versionCommand: Command = command({
  name: 'version',
  summary: 'print the version',
  usage: '',
  flags: {},
  examples: [{ line: 'sluice --version', does: 'prints the same' }],
  run: (io) => {
    io.stdout.write(`${VERSION}\n`)
    io.onWork?.()
    return EXIT.clean
  },
})
