/** What can be completed, from the tables of commands, flags and rules: the same for every shell. */
import { RULES } from '../../../rules/index.ts'
import { ruleNames } from '../../settings/rule-ids.ts'
import { type CommandHelp, partName } from '../core/command.ts'
import type { Flag } from '../core/flags.ts'
import { SEVERITIES } from '../core/project.ts'
import { HELP_FLAG } from '../help/help.ts'

/** One of some names, an equals sign, and one of some values. */
export type PairCompletion = { readonly names: readonly string[]; readonly values: readonly string[] }

/** What may stand in a place: one of some words, a pair, the path of a file or of a folder, or something without a list. */
export type Completion = { readonly words: readonly string[] } | PairCompletion | 'files' | 'folders' | 'nothing'

/** True for pairs, which shells complete in two steps. */
export const isPair = (completion: Completion): completion is PairCompletion =>
  typeof completion === 'object' && 'names' in completion

/** A flag of a command. */
export type FlagWords = {
  /** `format`, without hyphens. */
  readonly name: string
  readonly short: string | undefined
  readonly summary: string
  /** What its value is called; undefined where it takes none. */
  readonly value: string | undefined
  /** True where the value must follow an equals sign, and may be left out. */
  readonly isOptional: boolean
  readonly completion: Completion
}

/** A command, its flags, and what its other arguments are. */
export type CommandWords = {
  readonly name: string
  readonly summary: string
  readonly flags: readonly FlagWords[]
  readonly positional: Completion
  /** What its first argument chooses, by that word, each with flags of its own. */
  readonly parts: readonly CommandWords[]
}

/** What can be completed in the command lines of some commands. */
export const wordsOf = (commands: readonly CommandHelp[]): readonly CommandWords[] =>
  commands.map((command) => commandWords(command, commands))

function commandWords(command: CommandHelp, commands: readonly CommandHelp[]): CommandWords {
  const { summary, usage, flags, parts = [] } = command
  return {
    name: partName(command),
    summary,
    flags: Object.entries<Flag>({ ...flags, ...HELP_FLAG }).map(
      ([flag, { short, value, isOptional = false, choices, ...about }]) => ({
        name: flag,
        short,
        summary: about.summary,
        value,
        isOptional,
        completion: choices ? { words: choices } : valueCompletion(value, flags.format),
      }),
    ),
    positional: positionalCompletion(usage, commands),
    parts: parts.map((part) => commandWords(part, commands)),
  }
}

const NAMES = ruleNames(RULES.map(({ id }) => id))

/** Ids, and the part after the slash where only one rule has it. */
const RULE_WORDS = { words: [...NAMES].flatMap(([name, ids]) => (ids.length === 1 ? [name] : [])) }
const RULE_PAIRS = { names: RULE_WORDS.words, values: SEVERITIES }

const BY_VALUE: Readonly<Record<string, Completion>> = {
  FILE: 'files',
  PATHS: 'files',
  OLD: 'files',
  DIR: 'folders',
  RULE: RULE_WORDS,
  'ID=SEVERITY': RULE_PAIRS,
}

/** A report goes to a file in one of the formats; shells complete the file behind it by themselves. */
const valueCompletion = (value = '', format?: Flag): Completion =>
  value === 'NAME=FILE' ? { names: format?.choices ?? [], values: [] } : (BY_VALUE[value] ?? 'nothing')

/** What the arguments of a command are, as its usage names them. */
function positionalCompletion(usage: string, commands: readonly CommandHelp[]): Completion {
  const [first = ''] = usage.split(' ')
  if (usage.includes('paths') || first === 'FILE') return 'files'
  if (first === 'ID…') return RULE_WORDS
  if (first === '[command]') return { words: commands.map(({ name }) => name) }
  return /^[a-z-]+(?:\|[a-z-]+)*$/.test(first) ? { words: first.split('|') } : 'nothing'
}
