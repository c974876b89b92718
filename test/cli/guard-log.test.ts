import { expect, it } from 'vitest'
import { guardLog } from '../../src/cli/core/guard-log.ts'
import type { Io } from '../../src/cli/core/io.ts'
import { createPaint } from '../../src/reports/style.ts'

function logOf(env: Io['env'], act: (io: Io) => void, isFile = false): string {
  let log = ''
  const write = (text: string) => {
    log += text
  }
  const output = { isTTY: false, isFile, columns: undefined, write }
  const io: Io = {
    argv: [],
    env,
    cwd: '/',
    stdin: [],
    stdout: output,
    stderr: output,
    now: () => 0,
    today: () => '2026-11-25',
    nodeVersion: '24.0.0',
  }
  act(guardLog(io))
  return log
}

const ACTIONS = { GITHUB_ACTIONS: 'true' }

const WORDS = '::error::a ##[error]b ##vso[task.complete]c ##teamcity[d]\n \u00a0::error::e\n'

it('lets no text through as a command of a job, and those that are meant', () => {
  const escaped = '\\x3a:error::a ##\\x5berror]b ##vso\\x5btask.complete]c ##teamcity\\x5bd]\n \u00a0\\x3a:error::e\n'
  for (const env of [ACTIONS, { TF_BUILD: 'True' }, { TEAMCITY_VERSION: '2025.3' }])
    for (const name of ['stdout', 'stderr'] as const) expect(logOf(env, (io) => io[name].write(WORDS))).toBe(escaped)
  expect(logOf(ACTIONS, ({ stdout }) => stdout.write('::error::c\n', 'commands'))).toBe('::error::c\n')
})

it('keeps what programs read equal', () => {
  const value = { text: '##[error]a\x9b\u202e\u{e0001}', 'b##vso[': ['::c'] }
  const written = logOf(ACTIONS, ({ stdout }) => stdout.write(JSON.stringify(value, null, 2), 'json'))
  expect(written).not.toMatch(/##\w*\[|[\p{Cc}\p{Cf}](?<!\n)/u)
  expect(JSON.parse(written)).toEqual(value)
  expect(logOf(ACTIONS, ({ stdout }) => stdout.write(WORDS, 'exact'))).toBe(WORDS)
  expect(logOf(ACTIONS, ({ stdout }) => stdout.write(WORDS), true)).toBe(WORDS)
})

it('changes no command elsewhere', () => {
  for (const name of ['stdout', 'stderr'] as const) expect(logOf({}, (io) => io[name].write(WORDS))).toBe(WORDS)
})

it('writes out control characters on the standard error, but for colours of our own', () => {
  const painted = createPaint(true)('error', 'a')
  const text = `${painted}\tb\r\n\x1b[8mc\x1b]0;d\x07\u202ee\u2066\x9bf\rg\n`
  const shown = `${painted}\tb\r\n\\x1b[8mc\\x1b]0;d\\x07\\u{202e}e\\u{2066}\\x9bf\\x0dg\n`
  expect(logOf({}, ({ stderr }) => stderr.write(text))).toBe(shown)
  expect(logOf(ACTIONS, ({ stdout }) => stdout.write(text))).toBe(shown)
  expect(logOf({}, ({ stdout }) => stdout.write(text))).toBe(text)
})
