/** Completion in bash, version 3.2 and newer, without the package bash-completion. */
import { type CommandWords, type Completion, type FlagWords, isPair, type PairCompletion } from './words.ts'

/** The script. Where nothing can be listed bash completes the names of files. */
export const bashScript = (commands: readonly CommandWords[]): string => `# Completion of sluice in bash.
_sluice() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command=\${COMP_WORDS[1]} at=$COMP_CWORD part
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
${commands.flatMap(choosePart).join('')}  case "$command $before" in
${withParts(commands)
  .flatMap(({ name, flags }) => flags.flatMap((flag) => valueCase(name, flag)))
  .join('\n')}
  esac
  case $command in
${withParts(commands).map(commandCase).join('\n')}
  esac
}
complete -o default -F _sluice sluice
`

/** Commands, and parts of commands under both words: `serve mesh`. */
const withParts = (commands: readonly CommandWords[]): readonly CommandWords[] =>
  commands.flatMap((one) => [one, ...one.parts.map((part) => ({ ...part, name: `${one.name} ${part.name}` }))])

/** Adds the word that chooses a part to the name of the command, once it is written. */
const choosePart = ({ name, parts }: CommandWords): readonly string[] =>
  parts.length === 0
    ? []
    : [
        `  if [[ $command == ${name} ]]; then
    for part in "\${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
      case $part in ${parts.map((part) => part.name).join(' | ')}) command="${name} $part" ;; esac
    done
  fi
`,
      ]

/** The case of a flag with a value: `'lint --format' | 'lint --format=') …`. */
function valueCase(command: string, { name, short, value, isOptional, completion }: FlagWords): readonly string[] {
  if (value === undefined) return []
  const spaced = isOptional ? [] : [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]
  const caseOf = (befores: readonly string[], action: string) =>
    `    ${befores.map((before) => `'${command} ${before}'`).join(' | ')}) ${action}return ;;`
  const written = [...spaced, `--${name}=`]
  if (!isPair(completion)) return [caseOf(written, reply(completion))]
  const names = `compopt -o nospace 2> /dev/null; ${reply({ words: completion.names.map((one) => `${one}=`) })}`
  return [caseOf(written, names), caseOf([`--${name} NAME=`], reply({ words: completion.values }))]
}

function commandCase({ name, flags, positional }: CommandWords): string {
  const all = flags.flatMap((flag) => [`--${flag.name}`, ...(flag.short === undefined ? [] : [`-${flag.short}`])])
  return `    '${name}')
      if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W '${all.join(' ')}' -- "$word"))
      else
        ${isPair(positional) ? '' : reply(positional)}return
      fi
      ;;`
}

/** Sets the reply; an empty one makes bash complete the names of files. */
function reply(completion: Exclude<Completion, PairCompletion>): string {
  if (completion === 'folders') return 'COMPREPLY=($(compgen -d -- "$word")); '
  if (completion === 'files' || completion === 'nothing') return ''
  return `COMPREPLY=($(compgen -W '${completion.words.join(' ')}' -- "$word")); `
}
