/** Completion in zsh: to be sourced, or to be a file `_sluice` in a folder of `$fpath`. */
import { type CommandWords, type Completion, type FlagWords, isPair } from './words.ts'

/** The script. */
export const zshScript = (commands: readonly CommandWords[]): string => `#compdef sluice
# Completion of sluice in zsh.
_sluice() {
  local -a commands
  if ((CURRENT == 2)); then
    commands=(
${commands.map(({ name, summary }) => `      ${quoted(`${name}:${summary}`)}`).join('\n')}
    )
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
${commands.map(commandCase).join('\n')}
  esac
}
if [[ $funcstack[1] == _sluice ]]; then
  _sluice "$@"
else
  compdef _sluice sluice
fi
`

function commandCase(command: CommandWords): string {
  const { name, parts } = command
  if (parts.length === 0) return `    ${name})\n      ${callOfArguments(command)}\n      ;;`
  return `    ${name})
      local -a named=(\${(M)words:#(${parts.map((part) => part.name).join('|')})})
      case $named[1] in
${parts.map((part) => `      ${part.name}) ${callOfArguments(part, ['*:argument: '])} ;;`).join('\n')}
      *) ${callOfArguments(command)} ;;
      esac
      ;;`
}

/** `rest` stands for other arguments; without it, nothing would be completed behind one that is not expected. */
function callOfArguments({ flags, positional }: CommandWords, rest: readonly string[] = []): string {
  const own = positional === 'nothing' ? rest : [`*:argument:${action(positional)}`]
  return `_arguments${[...flags.flatMap(flagSpecs), ...own].map((spec) => ` \\\n        ${quoted(spec)}`).join('')}`
}

/** \`*--format=[how to report]:NAME:(text json)\`: the value follows an equals sign or is the next word. */
function flagSpecs({ name, short, summary, value, isOptional, completion }: FlagWords): readonly string[] {
  const about = `[${summary.replace(/[\\[\]]/g, '\\$&')}]`
  const values = value === undefined ? '' : `:${value.replaceAll(':', '\\:')}:${action(completion)}`
  const long = isOptional
    ? `*--${name}=-${about}:${values}`
    : `*--${name}${value === undefined ? '' : '='}${about}${values}`
  return [long, ...(short === undefined ? [] : [`*-${short}${about}${values}`])]
}

function action(completion: Completion): string {
  if (completion === 'files') return '_files'
  if (completion === 'folders') return '_files -/'
  if (isPair(completion)) {
    const [names, values] = [completion.names.join(' '), completion.values.join(' ')]
    return `{ if compset -P 1 "*="; then compadd -- ${values}; else compadd -S= -q -- ${names}; fi }`
  }
  return completion === 'nothing' ? ' ' : `(${completion.words.join(' ')})`
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
