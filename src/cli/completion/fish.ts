/** Completion in fish, version 3 and newer. */
import { type CommandWords, type Completion, type FlagWords, isPair } from './words.ts'

/** The script. */
export const fishScript = (commands: readonly CommandWords[]): string => `# Completion of sluice in fish.
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
# True for a line of a command with this part of those that follow; an empty one: with none of them.
function __sluice_in
  set -l words (commandline -opc)
  test "$words[2]" = "$argv[1]"; or return 1
  set -l part
  for word in $words[3..-1]
    contains -- $word $argv[3..-1]; and set part $word
  end
  test "$part" = "$argv[2]"
end
complete -c sluice -f
${commands.map(({ name, summary }) => `complete -c sluice -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`).join('\n')}
complete -c sluice -n __fish_use_subcommand -l version -s V -d 'print the version'
${commands.flatMap(commandLines).join('\n')}
`

function commandLines(command: CommandWords): readonly string[] {
  const { name, parts } = command
  const names = parts.map((part) => part.name)
  const linesOf = ({ flags, positional }: CommandWords, part: string) => {
    const line = `complete -c sluice -n '${[`__sluice_in ${name} "${part}"`, ...names].join(' ')}'`
    const own = positional === 'nothing' ? [] : [`${line} ${argument(positional)}`]
    return [...own, ...flags.map((flag) => `${line} ${flagSpec(flag)}`)]
  }
  return [...linesOf(command, ''), ...parts.flatMap((part) => linesOf(part, part.name))]
}

function flagSpec({ name, short, summary, value, isOptional, completion }: FlagWords): string {
  const names = `-l ${name}${short === undefined ? '' : ` -s ${short}`}`
  const values =
    value === undefined || isOptional ? '' : ` ${completion === 'nothing' ? '-x' : `-r ${argument(completion)}`}`
  return `${names}${values} -d ${quoted(summary)}`
}

function argument(completion: Completion): string {
  if (completion === 'files') return '-F'
  if (completion === 'folders') return `-f -a '(__fish_complete_directories)'`
  if (isPair(completion))
    return `-f -a ${quoted(`(__sluice_pairs ${completion.names.join(' ')} -- ${completion.values.join(' ')})`)}`
  return completion === 'nothing' ? '-f' : `-f -a ${quoted(completion.words.join(' '))}`
}

const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
