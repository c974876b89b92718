import { expect, it } from 'vitest'
import { guardLog, writeCommands } from '../../src/cli/core/guard-log.ts'
import type { Io } from '../../src/cli/core/io.ts'

function logOf(env: Io['env'], act: (io: Io) => void): string {
  let log = ''
  const write = (text: string) => {
    log += text
  }
  const output = { isTTY: false, columns: undefined, write }
  const io: Io = {
    argv: [],
    env,
    cwd: '/',
    stdin: [],
    stdout: output,
    stderr: output,
    now: () => 0,
    nodeVersion: '24.0.0',
  }
  act(guardLog(io))
  return log
}

const ACTIONS = { GITHUB_ACTIONS: 'true' }

it('lets no text through as a command, and those that are meant', () => {
  const log = logOf(ACTIONS, ({ stderr }) => {
    stderr.write('::error::a ##[error]b\n')
    writeCommands(stderr, '::error::c\n')
  })
  expect(log).toBe('\\x3a:error::a ##\\x5berror]b\n::error::c\n')
})

it('changes nothing elsewhere', () => {
  expect(logOf({}, ({ stderr }) => stderr.write('::error::a ##[error]b\n'))).toBe('::error::a ##[error]b\n')
  expect(logOf(ACTIONS, ({ stdout }) => stdout.write('::error::a ##[error]b\n'))).toBe('::error::a ##[error]b\n')
})
