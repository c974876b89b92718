/** The log with a line for each request is counted whatever becomes of the file, and stays small. */
import { appendFileSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openRequestCounts, REQUESTS_LOG } from '../../../src/publication/requests.ts'
import { createFolder } from '../../files/folder.ts'

it('counts what is written from now on, through rotation, truncation and lines of others, and empties the file', () => {
  const folder = createFolder({ [REQUESTS_LOG]: 'a PASSED\n' })
  const path = join(folder, REQUESTS_LOG)
  const counts = openRequestCounts(folder, 300)
  appendFileSync(path, 'a PASSED\na -\na DELAYED\nb REJECTED\nb REJECTED_DRY_RUN\nb DELAYED_DRY_RUN\na PAS')
  expect([...counts.read()]).toEqual(['a', 'b'])
  appendFileSync(path, 'SED\nnonsense\na  PASSED\na FLEW\n\u0000\n')
  expect([...counts.read()]).toEqual(['a'])
  renameSync(path, `${path}.old`)
  expect([...counts.read()]).toEqual([])
  writeFileSync(path, 'a REJECTED\n')
  expect([...counts.read()]).toEqual(['a'])
  truncateSync(path)
  counts.read()
  appendFileSync(path, 'a REJECTED\n'.repeat(40))
  counts.read()
  expect(statSync(path).size).toBe(0)
  appendFileSync(path, 'a PASSED\n')
  counts.read()
  expect(counts.of('a')).toEqual({ passed: 4, delayed: 1, rejected: 41, delayedDryRun: 0, rejectedDryRun: 0 })
  counts.keep(new Set(['a']))
  expect(counts.of('b').rejected).toBe(0)
  counts.close()
})
