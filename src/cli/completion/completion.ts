/** `sluice completion`. */
import { nearest } from '../../text/nearest.ts'
import { type Command, type CommandRow, command } from '../core/command.ts'
import { EXIT, InputError } from '../core/io.ts'
import { bashScript } from './bash.ts'
import { fishScript } from './fish.ts'
import { wordsOf } from './words.ts'
import { zshScript } from './zsh.ts'

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript }

const NAMES = Object.keys(SHELLS)

/** The command for a table of commands. */
export const createCompletionCommand = (rows: readonly CommandRow[]): Command =>
  command({
    name: 'completion',
    summary: 'print a script for the completion of your shell',
    usage: NAMES.join('|'),
    details: `The script completes commands, flags, their values, the ids of rules and files.`,
    flags: {},
    examples: [
      { line: 'source <(sluice completion bash)', does: 'in ~/.bashrc' },
      { line: 'source <(sluice completion zsh)', does: 'in ~/.zshrc, after compinit' },
      { line: 'sluice completion fish > ~/.config/fish/completions/sluice.fish', does: 'once' },
    ],
    run: async (io, { positionals }) => {
      const [name = '', surplus] = positionals
      const script = Object.entries(SHELLS).find(([shell]) => shell === name)?.[1]
      const meant = nearest(name, NAMES)
      if (!script || surplus !== undefined)
        throw new InputError(
          `the shell must be one of ${NAMES.join(', ')}${meant === undefined || script ? '' : `; did you mean "sluice completion ${meant}"?`}`,
        )
      io.stdout.write(script(wordsOf(await Promise.all(rows.map((row) => row.load())))))
      io.onWork?.()
      return EXIT.clean
    },
  })
