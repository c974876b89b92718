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
complete -c sluice -f
${commands.map(({ name, summary }) => `complete -c sluice -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`).join('\n')}
complete -c sluice -n __fish_use_subcommand -l version -s V -d 'print the version'
${commands.flatMap(commandLines).join('\n')}
`

function commandLines({ name, flags, positional }: CommandWords): readonly string[] {
  const line = `complete -c sluice -n '__fish_seen_subcommand_from ${name}'`
  const own = positional === 'nothing' ? [] : [`${line} ${argument(positional)}`]
  return [...own, ...flags.map((flag) => `${line} ${flagSpec(flag)}`)]
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
