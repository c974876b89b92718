/** The manual page, from the tables of commands and flags. */

import type { CommandHelp } from '../../src/cli/core/command.ts'
import { COMMANDS } from '../../src/cli/core/commands.ts'
import type { Flag } from '../../src/cli/core/flags.ts'
import { EXAMPLES, EXIT_CODES, flagName, HELP_FLAG, SUMMARY } from '../../src/cli/help/help.ts'
import { VERSION } from '../../src/cli/version/version.ts'
import { wrap } from '../../src/reports/style.ts'

const FILES = [
  ['sluice.config.yaml', 'the settings, in the current folder or in one above it'],
  ['sluice.baseline.json', 'the findings that --write-baseline makes known, unless --baseline names another file'],
] as const

const ENVIRONMENT = [
  ['NO_COLOR', 'no colours, unless --color says otherwise'],
  ['FORCE_COLOR', 'colours also where the output is not a terminal; 0 and false: no colours'],
  ['KUBECONFIG', 'the kubeconfig of --cluster and --old cluster'],
] as const

/** The page in the macros of man(7); its date is that of the release in the changelog. */
export async function manPage(changelog: string): Promise<string> {
  const commands = await Promise.all(COMMANDS.map((row) => row.load()))
  const date = changelog.match(new RegExp(`^## \\[${VERSION}\\] - (.*)$`, 'm'))?.[1] ?? 'unreleased'
  const lines = [
    '.\\" Made by `npm run docs` from the tables of commands and flags.',
    `.TH SLUICE 1 "${date}" "sluice ${VERSION}" "User Commands"`,
    '.SH NAME',
    `sluice \\- ${roff(SUMMARY)}`,
    '.SH SYNOPSIS',
    '.B sluice',
    '.I command',
    '[\\fIflags\\fR]',
    '.SH COMMANDS',
    ...commands.flatMap(commandLines),
    '.SH EXIT STATUS',
    ...EXIT_CODES.flatMap(([code, meaning]) => item(code, meaning)),
    '.SH FILES',
    ...FILES.flatMap(([file, meaning]) => item(file, meaning)),
    '.SH ENVIRONMENT',
    ...ENVIRONMENT.flatMap(([variable, meaning]) => item(variable, meaning)),
    '.SH EXAMPLES',
    ...EXAMPLES.flatMap(([line, does]) => item(line, does)),
  ]
  return `${lines.join('\n')}\n`
}

function commandLines({ name, usage, summary, details, flags, examples, parts = [] }: CommandHelp): readonly string[] {
  const rows = Object.entries<Flag>({ ...flags, ...HELP_FLAG })
  return [
    `.SS "sluice ${quotable(`${name} ${usage}`.trim())}"`,
    ...roffLines(`${summary[0]?.toUpperCase()}${summary.slice(1)}.`),
    ...(details === undefined ? [] : details.split('\n\n').flatMap(paragraph)),
    '.PP',
    'Flags:',
    ...rows.flatMap(([flag, spec]) => item(flagName(flag, spec), spec.summary)),
    '.PP',
    'Examples:',
    ...examples.flatMap(({ line, does }) => item(line, does)),
    ...parts.flatMap(commandLines),
  ]
}

/** A line that is a comment or a command stands alone. */
const paragraph = (text: string): readonly string[] => [
  '.PP',
  ...text.split('\n').flatMap((line) => (line.startsWith('# ') ? ['.br', ...roffLines(line), '.br'] : roffLines(line))),
]

const item = (term: string, text: string): readonly string[] => ['.TP', `\\fB${roff(term)}\\fR`, ...roffLines(text)]

/** Columns of the source, by the custom of manual pages. */
const COLUMNS = 78

/** Lines of text: one that begins with a dot or a quote would be a macro. */
const roffLines = (text: string): readonly string[] =>
  wrap(roff(text), COLUMNS, (word) => word.length).map((line) => line.replace(/^(?=[.'])/, '\\&'))

const SPECIAL: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
}

/** Text for roff: characters that it would change are named. */
const roff = (text: string): string =>
  text.replaceAll('…', '...').replace(/[\\\-'`^~]/g, (character) => SPECIAL[character] ?? character)

/** Text within the quotes of an argument. */
const quotable = (text: string): string => roff(text).replaceAll('"', '\\(dq')
