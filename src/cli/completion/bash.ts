/** Completion in bash, version 3.2 and newer, without the package bash-completion. */
import type { CommandWords, Completion, FlagWords } from './words.ts'

/** The script. Where nothing can be listed bash completes the names of files. */
export const bashScript = (commands: readonly CommandWords[]): string => `# Completion of sluice in bash.
_sluice() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} command=\${COMP_WORDS[1]}
  COMPREPLY=()
  if [[ $word == = ]]; then
    before+== word=
  elif [[ $before == = ]]; then
    before=\${COMP_WORDS[COMP_CWORD - 2]}=
  fi
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W '${[...commands.map(({ name }) => name), '--help', '--version'].join(' ')}' -- "$word"))
    return
  fi
  case "$command $before" in
${commands.flatMap(({ name, flags }) => flags.flatMap((flag) => valueCase(name, flag))).join('\n')}
  esac
  case $command in
${commands.map(commandCase).join('\n')}
  esac
}
complete -o default -F _sluice sluice
`

/** The case of a flag with a value: `'lint --format' | 'lint --format=') …`. */
function valueCase(command: string, { name, short, value, isOptional, completion }: FlagWords): readonly string[] {
  if (value === undefined) return []
  const spaced = isOptional ? [] : [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]
  const written = [...spaced, `--${name}=`].map((before) => `'${command} ${before}'`)
  return [`    ${written.join(' | ')}) ${reply(completion)}return ;;`]
}

function commandCase({ name, flags, positional }: CommandWords): string {
  const all = flags.flatMap((flag) => [`--${flag.name}`, ...(flag.short === undefined ? [] : [`-${flag.short}`])])
  return `    ${name})
      if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W '${all.join(' ')}' -- "$word"))
      else
        ${reply(positional)}return
      fi
      ;;`
}

/** Sets the reply; an empty one makes bash complete the names of files. */
function reply(completion: Completion): string {
  if (completion === 'folders') return 'COMPREPLY=($(compgen -d -- "$word")); '
  if (completion === 'files' || completion === 'nothing') return ''
  return `COMPREPLY=($(compgen -W '${completion.words.join(' ')}' -- "$word")); `
}
