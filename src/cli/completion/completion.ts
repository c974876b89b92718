/** `sluice completion`. */
import { nearest } from '../../text/nearest.ts'
import { type Command, type CommandRow, command } from '../core/command.ts'
import { EXIT, InputError } from '../core/io.ts'
import { type CommandWords, type Completion, type FlagWords, isPair, type PairCompletion, wordsOf } from './words.ts'

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

/** Completion in bash, version 3.2 and newer, without the package bash-completion. Where nothing can be listed bash completes the names of files. */
const bashScript = (commands: readonly CommandWords[]): string => `# Completion of sluice in bash.
_sluice() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command=\${COMP_WORDS[1]} at=$COMP_CWORD
  COMPREPLY=()
  # Readline takes an equals sign for a word of its own.
  if [[ $word == = ]]; then
    word=
  elif [[ $before == = ]]; then
    ((at--))
  fi
  if [[ \${COMP_WORDS[at]} == = ]]; then
    before=\${COMP_WORDS[at - 1]}=
    if [[ $before != -* ]]; then
      [[ \${COMP_WORDS[at - 2]} == = ]] && ((at--))
      before="\${COMP_WORDS[at - 2]} NAME="
    fi
  fi
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${[...commands.map(({ name }) => name), '--help', '--version'].join(' ')}' -- "$word"))
    return
  fi
  case "$command $before" in
${commands.flatMap(({ name, flags }) => flags.flatMap((flag) => bashValueCase(name, flag))).join('\n')}
  esac
  case $command in
${commands.map(bashCommandCase).join('\n')}
  esac
}
complete -o default -F _sluice sluice
`

/** The case of a flag with a value: `'lint --format' | 'lint --format=') …`. */
function bashValueCase(command: string, { name, short, value, isOptional, completion }: FlagWords): readonly string[] {
  if (value === undefined) return []
  const spaced = isOptional ? [] : [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]
  const caseOf = (befores: readonly string[], action: string) =>
    `    ${befores.map((before) => `'${command} ${before}'`).join(' | ')}) ${action}return ;;`
  const written = [...spaced, `--${name}=`]
  if (!isPair(completion)) return [caseOf(written, bashReply(completion))]
  const names = `compopt -o nospace 2> /dev/null; ${bashReply({ words: completion.names.map((one) => `${one}=`) })}`
  return [caseOf(written, names), caseOf([`--${name} NAME=`], bashReply({ words: completion.values }))]
}

function bashCommandCase({ name, flags, positional }: CommandWords): string {
  const all = flags.flatMap((flag) => [`--${flag.name}`, ...(flag.short === undefined ? [] : [`-${flag.short}`])])
  return `    ${name})
      if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W '${all.join(' ')}' -- "$word"))
      else
        ${isPair(positional) ? '' : bashReply(positional)}return
      fi
      ;;`
}

/** Sets the reply; an empty one makes bash complete the names of files. */
function bashReply(completion: Exclude<Completion, PairCompletion>): string {
  if (completion === 'folders') return 'COMPREPLY=($(compgen -d -- "$word")); '
  if (completion === 'files' || completion === 'nothing') return ''
  return `COMPREPLY=($(compgen -W '${completion.words.join(' ')}' -- "$word")); `
}

/** Completion in zsh: to be sourced, or to be a file `_sluice` in a folder of `$fpath`. */
const zshScript = (commands: readonly CommandWords[]): string => `#compdef sluice
# Completion of sluice in zsh.
_sluice() {
  local -a commands
  if ((CURRENT == 2)); then
    commands=(
${commands.map(({ name, summary }) => `      ${zshQuoted(`${name}:${summary}`)}`).join('\n')}
    )
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
${commands.map(zshCommandCase).join('\n')}
  esac
}
if [[ $funcstack[1] == _sluice ]]; then
  _sluice "$@"
else
  compdef _sluice sluice
fi
`

function zshCommandCase({ name, flags, positional }: CommandWords): string {
  const rest = positional === 'nothing' ? [] : [`*:argument:${zshAction(positional)}`]
  const specs = [...flags.flatMap(zshFlagSpecs), ...rest].map((spec) => ` \\\n        ${zshQuoted(spec)}`)
  return `    ${name})\n      _arguments${specs.join('')}\n      ;;`
}

/** \`*--format=[how to report]:NAME:(text json)\`: the value follows an equals sign or is the next word. */
function zshFlagSpecs({ name, short, summary, value, isOptional, completion }: FlagWords): readonly string[] {
  const about = `[${summary.replace(/[\\[\]]/g, '\\$&')}]`
  const values = value === undefined ? '' : `:${value.replaceAll(':', '\\:')}:${zshAction(completion)}`
  const long = isOptional
    ? `*--${name}=-${about}:${values}`
    : `*--${name}${value === undefined ? '' : '='}${about}${values}`
  return [long, ...(short === undefined ? [] : [`*-${short}${about}${values}`])]
}

function zshAction(completion: Completion): string {
  if (completion === 'files') return '_files'
  if (completion === 'folders') return '_files -/'
  if (isPair(completion)) {
    const [names, values] = [completion.names.join(' '), completion.values.join(' ')]
    return `{ if compset -P 1 "*="; then compadd -- ${values}; else compadd -S= -q -- ${names}; fi }`
  }
  return completion === 'nothing' ? ' ' : `(${completion.words.join(' ')})`
}

const zshQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Completion in fish, version 3 and newer. */
const fishScript = (commands: readonly CommandWords[]): string => `# Completion of sluice in fish.
# Completes NAME=VALUE of the current word: the values follow "--" in the list of names.
function __sluice_pairs
  set -l word (commandline -ct | string replace -r -- '^--[^=]*=' '')
  set -l middle (contains -i -- -- $argv)
  if string match -q -- '*=*' $word
    printf '%s\\n' (string replace -r -- '=.*' '=' $word)$argv[(math $middle + 1)..-1]
  else
    printf '%s=\\n' $argv[1..(math $middle - 1)]
  end
end
complete -c sluice -f
${commands.map(({ name, summary }) => `complete -c sluice -n __fish_use_subcommand -a ${name} -d ${fishQuoted(summary)}`).join('\n')}
complete -c sluice -n __fish_use_subcommand -l version -s V -d 'print the version'
${commands.flatMap(fishCommandLines).join('\n')}
`

function fishCommandLines({ name, flags, positional }: CommandWords): readonly string[] {
  const line = `complete -c sluice -n '__fish_seen_subcommand_from ${name}'`
  const own = positional === 'nothing' ? [] : [`${line} ${fishArgument(positional)}`]
  return [...own, ...flags.map((flag) => `${line} ${fishFlagSpec(flag)}`)]
}

function fishFlagSpec({ name, short, summary, value, isOptional, completion }: FlagWords): string {
  const names = `-l ${name}${short === undefined ? '' : ` -s ${short}`}`
  const values =
    value === undefined || isOptional ? '' : ` ${completion === 'nothing' ? '-x' : `-r ${fishArgument(completion)}`}`
  return `${names}${values} -d ${fishQuoted(summary)}`
}

function fishArgument(completion: Completion): string {
  if (completion === 'files') return '-F'
  if (completion === 'folders') return `-f -a '(__fish_complete_directories)'`
  if (isPair(completion))
    return `-f -a ${fishQuoted(`(__sluice_pairs ${completion.names.join(' ')} -- ${completion.values.join(' ')})`)}`
  return completion === 'nothing' ? '-f' : `-f -a ${fishQuoted(completion.words.join(' '))}`
}

const fishQuoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript }

const NAMES = Object.keys(SHELLS)
