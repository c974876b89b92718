/**
 * Transcripts of commands (test/support/transcripts.ts). Beside files an archive has commands:
 *
 *     -- $ sluice lint < a.yaml --    what it prints: its errors behind `! `, and its code unless it is 0; an escape of a
 *                                     terminal is shown as `␛`
 *
 * `sluice` runs within the test, after words `cd FOLDER &&` and `NAME=VALUE`; `COLUMNS=80` is a terminal. Its output may
 * go through a command, or through `json NAME`, which prints that member, a line an item. JSON that it prints is checked
 * with its schema. Everything else is for bash, which knows `commit` and Git without the settings of anybody.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Ajv from 'ajv'
import Ajv2020 from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import { GIT_ENVIRONMENT } from '../files/repository.ts'
import { type Known, memberOf, playIn } from '../support/transcripts.ts'
import { type Outcome, sluice } from './run.ts'

/** The folder of the project: `$ROOT` in a command. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const COMMIT =
  'commit() { [ -e .git ] || git init --quiet; git add --all; git commit --quiet --allow-empty -m change; }'

/** Runs a command that is not ours. */
function shell(command: string, cwd: string, input = ''): Outcome {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', `${COMMIT}; ${command}`], {
    cwd,
    input,
    encoding: 'utf8',
    env: { ...process.env, ...GIT_ENVIRONMENT, LC_ALL: 'C.UTF-8', ROOT },
  })
  return { code: status ?? -1, stdout, stderr }
}

const schemas = new Map<string, ReturnType<Ajv.default['compile']> | undefined>()

/** Checks the JSON of a command with its schema, where it has one. */
function checkSchema(command: string, json: string): void {
  const file = new URL(`../../schemas/${command}.schema.json`, import.meta.url)
  if (!schemas.has(command) && existsSync(file)) {
    const schema = JSON.parse(readFileSync(file, 'utf8'))
    const ajv = new (String(schema.$schema).includes('2020-12') ? Ajv2020.default : Ajv.default)({ strict: false })
    addFormats.default(ajv)
    schemas.set(command, ajv.compile(schema))
  }
  const validate = schemas.get(command)
  if (validate) expect(validate(JSON.parse(json)), JSON.stringify(validate.errors)).toBe(true)
}

/** `json totals.passed`: a line an item. */
function member(json: string, path: string): string {
  const value = memberOf(JSON.parse(json), path)
  return (Array.isArray(value) ? value : [value]).map((item) => `${JSON.stringify(item)}\n`).join('')
}

const SLUICE =
  /^(?:cd (?<folder>\S+) && )?(?<env>(?:\w+=\S* )*)sluice(?<line>.*?)(?: < (?<stdin>\S+))?(?: \| (?<filter>.*))?$/

/** Runs a command of an archive in its folder. */
async function run(command: string, folder: string, known: Known): Promise<Outcome> {
  const parts = SLUICE.exec(command.replaceAll('$PWD', folder).replaceAll('$ROOT/', ROOT))?.groups
  if (!parts) return shell(command, folder)
  const { COLUMNS, ...env } = Object.fromEntries(
    (parts.env ?? '')
      .trim()
      .split(' ')
      .filter(Boolean)
      .map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  )
  const words = [...(parts.line ?? '').matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain)
  const cwd = join(folder, parts.folder ?? '')
  const { stdin: input = '' } = parts
  const stdin = input === '' ? '' : (known.get(input) ?? readFileSync(join(cwd, input)))
  const terminal = COLUMNS === undefined ? {} : { columns: Number(COLUMNS) }
  const outcome = await sluice(words, { cwd, env, stdin: typeof stdin === 'string' ? stdin : [stdin], ...terminal })
  if (/--format[ =]json/.test(parts.line ?? '') && outcome.stdout !== '') checkSchema(words[0] ?? '', outcome.stdout)
  if (parts.filter === undefined) return outcome
  if (parts.filter.startsWith('json ')) return { ...outcome, stdout: member(outcome.stdout, parts.filter.slice(5)) }
  const { code, stdout, stderr } = outcome
  const filtered = shell(parts.filter, cwd, stdout)
  return { code, stdout: filtered.stdout, stderr: stderr + filtered.stderr }
}

/** What a transcript shows of a command. */
export function shown({ code, stdout, stderr }: Outcome, folder: string): string {
  const lines = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`)
  const errors = lines(stderr).replace(/^(?=.)/gm, '! ')
  const exit = code === 0 ? '' : `exit ${code}\n`
  return (lines(stdout) + errors + exit)
    .replaceAll(folder, '/folder')
    .replaceAll(ROOT, '/project/')
    .replaceAll(/[^\n\P{Cc}]/gu, (found) => String.fromCodePoint(0x2400 + found.charCodeAt(0)))
}

/** Plays files and commands in a folder of their own. */
export const playCommands = playIn(async (command, folder, known) => shown(await run(command, folder, known), folder))
