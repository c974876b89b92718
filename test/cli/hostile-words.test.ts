/** Text of others on every surface for people: it is neither a command of a job's runner nor an escape of a terminal. */
import { describe, expect, it } from 'vitest'
import { createFolder } from '../files/folder.ts'
import { ALL_CASES } from '../runs.ts'
import { casesOf } from '../support/cases.ts'
import { sluice } from './run.ts'

const { cases } = casesOf(import.meta.url)

/** Commands of GitHub Actions, Azure Pipelines and TeamCity, and escapes: C0, C1, OSC, text that is turned around. */
const HOSTILE = cases<readonly string[]>('hostile')
const ARGUMENTS = cases<readonly string[]>('arguments')

/** Our own commands: the runner looks for no other in their lines. */
const ANNOTATION = /^::(?:error|warning|notice) (?:file|title)=[^:\n]*::[^\n]*$/gm
/** Colours, and a line of progress with its end. */
const ESCAPE = String.fromCharCode(27)
const OURS = new RegExp(`\\r[^\\r\\n]*?${ESCAPE}\\[K|${ESCAPE}\\[[\\d;]*m`, 'g')

const AT_START = /^[^\S\n]*::/m
const ANYWHERE = /##\w*\[/
const UNSAFE = /(?!\r?\n|\t)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

/** Policies, a route and a Gateway in which the text stands wherever a text can. */
function manifests(text: string): string {
  const written = JSON.stringify(text).slice(1, -1)
  const objects = cases<readonly object[]>('manifests').map((object) => JSON.stringify(object))
  return objects.join('\n---\n').replaceAll('TEXT', () => written)
}

const logOf = (text: string): string => {
  const line = text.replace(/\n/g, '')
  const usual = `1.2.3.4 - - [10/Oct/2025:13:55:36 +0000] "GET / HTTP/1.1" 200 1 "-" "${line}"`
  return [
    ...[usual, usual, usual],
    `1.2.3.4 - ${line} [10/Oct/2025:13:55:36 +0000] "GET /${line} HTTP/1.1" 200 1 "${line}" "${line}"`,
    `${line} - - [10/Oct/2025:13:55:36 +0000] "${line}" 200 1 "-" "-"`,
    line,
    '',
  ].join('\n')
}

/** Where output goes: to the log of a job, whose runner looks for commands in it, or to a terminal. */
const READERS = [
  { reader: 'GitHub Actions', options: { env: { GITHUB_ACTIONS: 'true' } }, runsCommands: true },
  { reader: 'Azure Pipelines', options: { env: { TF_BUILD: 'True' } }, runsCommands: true },
  { reader: 'a terminal', options: { columns: 100, env: { NO_COLOR: '1' } }, runsCommands: false },
]

/** Every command line with every reader; which of them has which text changes from text to text, but for the nightly run. */
const commandsOf = (text: string) =>
  ARGUMENTS.flatMap((line, index) =>
    READERS.filter((_, turn) => ALL_CASES || (HOSTILE.indexOf(text) + index) % READERS.length === turn).map((one) => ({
      line,
      ...one,
    })),
  )

describe.each(HOSTILE.map((text) => [JSON.stringify(text).replaceAll(/[^ -~]/g, '.'), text]))('%s', (_, text) => {
  const name = text.replace(/[/\0]/g, '')
  const files = {
    'a.yaml': manifests(text),
    [`${name}.yaml`]: manifests(text),
    [`${name}/b.yaml`]: `kind: RateLimitPolicy\n${text}: [\n`,
    'access.log': logOf(text),
  }

  it.each(commandsOf(text))(
    'is only text in what $line prints for $reader',
    async ({ line, options, runsCommands }) => {
      const { stdout, stderr } = await sluice(line.split(' '), { cwd: createFolder(files), ...options })
      for (const printed of [stdout, stderr].map((whole) => whole.replaceAll(ANNOTATION, ''))) {
        if (runsCommands) expect(printed).not.toMatch(AT_START)
        if (runsCommands) expect(printed).not.toMatch(ANYWHERE)
        expect(printed.replaceAll(OURS, '')).not.toMatch(UNSAFE)
      }
    },
  )

  it('is in the table of a simulation, where a client sends it', async () => {
    const cwd = createFolder({ ...files, [`${name}.yaml`]: '', [`${name}/b.yaml`]: '' })
    const { stdout } = await sluice('simulate --log access.log --host shop.example --format csv'.split(' '), { cwd })
    expect(stdout).toMatch(/^key,RateLimitPolicy,shop,agents,0,.*gotcha/m)
    expect(stdout).not.toMatch(UNSAFE)
  })

  it('is only text in settings that are wrong', async () => {
    const wrong = createFolder({
      'sluice.config.yaml': `${JSON.stringify(text)}: 1\nrules: {${JSON.stringify(text)}: off}\n`,
    })
    const { code, stderr } = await sluice(['lint'], { cwd: wrong, env: { GITHUB_ACTIONS: 'true' } })
    expect(code).toBe(2)
    for (const pattern of [AT_START, ANYWHERE, UNSAFE]) expect(stderr).not.toMatch(pattern)
  })
})
