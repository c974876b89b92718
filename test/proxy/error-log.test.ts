/** The error log as a stream: every line once, however the file grows, is cut short or is replaced. */
import { appendFileSync, readdirSync, readlinkSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/member.ts'
import { type ErrorLog, openErrorLog, parseRecord } from '../../src/proxy/error-log.ts'
import { blame, isAboutRequest, judgeLog, wordsOfTest } from '../../src/proxy/words.ts'
import { createFolder } from '../files/folder.ts'
import { casesOf } from '../support/cases.ts'

const { cases, each } = casesOf(import.meta.url)

let path = ''
let log: ErrorLog | undefined
let lines: string[] = []

beforeEach(() => {
  path = join(createFolder(), 'error.log')
  lines = []
})

afterEach(() => {
  log?.close()
  log = undefined
})

/** The files that this process has open. Descriptors may be closed meanwhile. */
const openFiles = (): readonly string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)]
    } catch {
      return []
    }
  })

/** Opens the log; then each text is appended and read. */
function follow(...texts: readonly (string | Buffer)[]): readonly string[] {
  if (!log) {
    log = openErrorLog(path)
    log.subscribe((line) => lines.push(line))
  }
  for (const text of texts) {
    appendFileSync(path, text)
    log.read()
  }
  return lines
}

test('lines from the end on, complete, with characters that are written in two pieces', () => {
  writeFileSync(path, 'before\n')
  const [first, second] = [Buffer.from('é\n').subarray(0, 1), Buffer.from('é\n').subarray(1)]
  expect(follow('a\nb', 'c\n', first, second, 'open')).toEqual(['a', 'bc', 'é'])
})

test('a file that appears later is read from its beginning', () => {
  follow()
  log?.read()
  expect(follow('a\n', 'b\n')).toEqual(['a', 'b'])
})

test('rotation: the rest of the old file, then the new one', () => {
  follow('a\n')
  renameSync(path, `${path}.1`)
  appendFileSync(`${path}.1`, 'late\n')
  log?.read()
  appendFileSync(`${path}.1`, 'later\n')
  expect(follow('b\n', 'c\n')).toEqual(['a', 'late', 'later', 'b', 'c'])
  expect(openFiles().filter((file) => file.startsWith(path))).toEqual([path])
  log?.close()
  expect(openFiles()).not.toContain(path)
})

test('a subscriber gets the lines from its subscription to its end', () => {
  follow('a\n')
  appendFileSync(path, 'b\n')
  const later: string[] = []
  const end = log?.subscribe((line) => later.push(line))
  follow('c\n')
  end?.()
  expect([follow('d\n'), later]).toEqual([['a', 'b', 'c', 'd'], ['c']])
})

test('truncation: the file is read from its beginning again', () => {
  follow('a long line\n')
  writeFileSync(path, '')
  expect(follow('b\n')).toEqual(['a long line', 'b'])
})

test('a line without an end takes no memory without an end', () => {
  const lines = follow('x'.repeat(200_000), 'x'.repeat(200_000), '\nb\n')
  expect([lines.length, lines[1]]).toEqual([2, 'b'])
  expect(lines[0]?.length).toBeLessThan(70_000)
})

test('records', () => {
  expect(parseRecord('2026/11/22 21:13:35 [error] 21#22: *7 limiting requests, excess: 0.9 by zone "tea"')).toEqual(
    cases('records'),
  )
  expect(parseRecord('nginx: [emerg] unknown directive')).toBeUndefined()
})

/** What records of nginx 1.22.1 and 1.31.3 say of a reload, and whom they name. */

const NOW = '2026/11/22 21:13:35'
const judged = { folder: '/f', reloads: 10, old: [20, 21] }

each<[string, readonly string[], undefined | JsonObject]>('the records after a signal have %s', (_, lines, verdict) =>
  expect(judgeLog(lines, judged)).toEqual(verdict),
)

test('the words are without the path of the folder', () => {
  const output =
    'nginx: [emerg] unknown directive "x" in /f/b/zones/tea.conf:1\nnginx: configuration file test failed\n'
  expect(wordsOfTest(output, '/f')).toBe('unknown directive "x" in zones/tea.conf:1')
  expect(wordsOfTest('Illegal instruction\n', '/f')).toBe('Illegal instruction')
})

each<[string, readonly string[], string]>(
  'without an emergency, the words of a test are %s, whenever it runs',
  (_, lines, words) => {
    const output = `${lines.join('\n')}\n`
    expect(wordsOfTest(output, '/f')).toBe(words)
    const later = output.replaceAll('/a/', '/b/').replaceAll('9#9', '12#12').replaceAll(NOW, '2026/11/23 01:02:03')
    expect(wordsOfTest(later, '/f')).toBe(words)
  },
)

each<[string, boolean]>('%s is about requests: %s', (line, isAbout) => expect(isAboutRequest(line)).toBe(isAbout))

const FILES = cases<{ name: string; text: string; part?: string }[]>('FILES')

each<[string, string, JsonObject]>('words name %s', (_, words, blamed) =>
  expect(blame(words, FILES, new Set(['tea', 'tea-two', 'own', 'all']))).toEqual(blamed),
)

test('a part that has not changed is not to blame', () =>
  expect(blame('unknown directive "x" in zones/two.conf:1', FILES, new Set(['tea']))).toEqual({ among: [] }))
