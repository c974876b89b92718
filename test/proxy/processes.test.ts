/** Processes as `/proc` shows them, and as they are known where there is none. */
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { childrenOf, commandOf, identify, isAlive, processesWriting, signal } from '../../src/proxy/processes.ts'
import { createFolder } from '../files/folder.ts'

const LOG = '/f/error.log'
/** Larger than any pid. */
const NO_PID = 4_194_305

const stat = (name: string, state: string) =>
  `7 (${name}) ${state} ${Array.from({ length: 40 }, (_, at) => at + 4).join(' ')}`

/** What Linux shows of four processes, of which 7, 8 and 9 have a log as their standard error. */
function linux(): string {
  const proc = createFolder({
    'self/stat': stat('node', 'R'),
    '7/stat': stat('nginx) S (x', 'S'),
    '7/cmdline': 'nginx: master process\0nginx\0\0',
    '7/task/7/children': '8 9 ',
    '7/fd/0': '',
    '8/stat': stat('nginx', 'Z'),
    '8/fd/0': '',
    '9/stat': stat('nginx', 'R'),
    '9/fd/0': '',
    '10/stat': stat('other', 'S'),
    [`${process.pid}/stat`]: stat('node', 'R'),
    [`${process.pid}/fd/0`]: '',
  })
  for (const pid of [7, 8, 9, process.pid]) symlinkSync(LOG, join(proc, `${pid}/fd/2`))
  return proc
}

test('a process is known by the time of its start, whatever its name is, until it waits to be reaped', () => {
  const proc = linux()
  expect(identify(7, proc)).toEqual({ pid: 7, started: expect.stringMatching(/^[0-9a-f-]{36}:22$/) })
  expect([8, 11, process.ppid].filter((pid) => identify(pid, proc) !== undefined)).toEqual([])
})

test('the processes that write to a file are found, but for this one', () => {
  const proc = linux()
  expect(processesWriting(LOG, proc).map(({ pid }) => pid)).toEqual([7, 9])
  expect(processesWriting('/f/other.log', proc)).toEqual([])
})

test('titles and children are read as nginx writes them', () => {
  const proc = linux()
  expect([commandOf(7, proc), commandOf(11, proc)]).toEqual(['nginx: master process nginx', ''])
  expect([childrenOf(7, proc), childrenOf(9, proc)]).toEqual([[8, 9], []])
})

test('without /proc the pid alone counts, and no file leads to a process', () => {
  const proc = createFolder()
  expect(identify(process.pid, proc)).toEqual({ pid: process.pid, started: '' })
  expect(identify(NO_PID, proc)).toBeUndefined()
  expect(processesWriting(LOG, proc)).toEqual([])
})

test('a process that started at another time is another one, and gets no signal', () => {
  const own = identify(process.pid)
  if (!own) throw new Error('this process runs')
  const other = { ...own, started: `${own.started}1` }
  expect([isAlive(own), isAlive(other), isAlive({ ...own, pid: NO_PID })]).toEqual([true, false, false])
  expect([signal(other, 'SIGKILL'), signal(own, 'SIGCONT')]).toEqual([false, true])
})
