/** `--hide-suppressed`, for platforms that would show what is suppressed as open. */
import { expect, it } from 'vitest'
import { parseArgs } from '../../src/cli/core/flags.ts'
import type { Io } from '../../src/cli/core/io.ts'
import { OUTPUT_FLAGS, readOutputs, writeReports } from '../../src/cli/lint/output.ts'
import { finding, reportOf, suppressedFinding } from '../reports/report.ts'

const FLAGS = { ...OUTPUT_FLAGS, color: { value: 'WHEN', summary: '' } } as const

async function printed(...argv: readonly string[]): Promise<string> {
  let log = ''
  const write = (text: string) => {
    log += text
  }
  const output = { isTTY: false, isFile: false, columns: undefined, write }
  const io: Io = {
    argv,
    env: {},
    cwd: '/',
    stdin: [],
    stdout: output,
    stderr: output,
    now: () => 84,
    today: () => '2026-11-25',
    nodeVersion: '24.0.0',
  }
  const report = reportOf([finding()], { suppressed: [suppressedFinding({ message: 'agreed upon' })] })
  const outputs = readOutputs(parseArgs(FLAGS, argv, ''), io)
  await writeReports({ report, sources: [], rules: [], warningsFail: false }, outputs, io)
  return log
}

it.each(['json', 'sarif'])('leaves them out of %s', async (format) => {
  expect(await printed('--format', format)).toContain('agreed upon')
  expect(await printed('--format', format, '--hide-suppressed')).not.toContain('agreed upon')
})

it('still counts them', async () => {
  expect(await printed('--hide-suppressed')).toMatch(/; 1 suppressed\n$/)
})
