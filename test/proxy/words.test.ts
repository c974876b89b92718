/** What records of nginx 1.22.1 and 1.31.3 say of a reload, and whom they name. */
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/member.ts'
import { blame, judgeLog, wordsOfTest } from '../../src/proxy/words.ts'
import { casesOf } from '../support/cases.ts'

const { cases, each } = casesOf(import.meta.url)

const NOW = '2026/11/22 21:13:35'
const record = (level: string, pid: number, message: string) => `${NOW} [${level}] ${pid}#${pid}: ${message}`
const RECONFIGURING = record('notice', 10, 'reconfiguring')
const STARTED = record('notice', 10, 'start worker process 30')
const IN_USE = record('emerg', 10, 'bind() to 127.0.0.1:80 failed (98: Address already in use)')
const KEY = 'limit_req "tea" uses the "$host" key while previously it used the "$uri" key'
const judged = { folder: '/f', reloads: 10, old: [20, 21] }

test.each([
  ['nothing yet', [], undefined],
  [
    'a signal that is not obeyed yet',
    [record('notice', 10, 'signal 1 (SIGHUP) received from 9, reconfiguring')],
    undefined,
  ],
  ['records of before', [record('emerg', 10, KEY), STARTED, RECONFIGURING], undefined],
  ['new workers beside the old ones', [RECONFIGURING, STARTED], undefined],
  [
    'new workers, the old ones gone',
    [RECONFIGURING, STARTED, record('notice', 20, 'gracefully shutting down'), record('notice', 21, 'exiting')],
    { accepted: true },
  ],
  [
    'an old worker that was killed',
    [
      RECONFIGURING,
      STARTED,
      record('notice', 20, 'exiting'),
      record('alert', 10, 'worker process 21 exited on signal 9'),
    ],
    { accepted: true },
  ],
  ['a refused key', [RECONFIGURING, record('emerg', 10, KEY)], { accepted: false, words: KEY }],
  ['the words of nginx -t at the same time', [RECONFIGURING, record('emerg', 99, 'other')], undefined],
  ['an address in use, which is tried again', [RECONFIGURING, IN_USE], undefined],
  [
    'an address that stays in use',
    [
      RECONFIGURING,
      IN_USE,
      record('notice', 10, 'try again to bind() after 500ms'),
      record('emerg', 10, 'still could not bind()'),
    ],
    { accepted: false, words: 'bind() to 127.0.0.1:80 failed (98: Address already in use)', port: true },
  ],
  [
    'new workers that crash',
    [RECONFIGURING, STARTED, record('alert', 10, 'worker process 30 exited on signal 11 (core dumped)')],
    { accepted: false, words: 'worker process exited on signal 11 (core dumped)' },
  ],
])('%s', (_, lines, verdict) => {
  expect(judgeLog(lines, judged)).toEqual(verdict)
})

test('the words are without the path of the folder', () => {
  const output =
    'nginx: [emerg] unknown directive "x" in /f/b/zones/tea.conf:1\nnginx: configuration file test failed\n'
  expect(wordsOfTest(output, '/f')).toBe('unknown directive "x" in zones/tea.conf:1')
  expect(wordsOfTest('Illegal instruction\n', '/f')).toBe('Illegal instruction')
})

const OK = 'nginx: the configuration file /f/a/nginx.conf syntax is ok'
const FAILED = 'nginx: configuration file /f/a/nginx.conf test failed'
const MMAP = 'mmap(MAP_ANON|MAP_SHARED, 104857598951424) failed (12: Cannot allocate memory)'
const MUNMAP = 'munmap(FFFFFFFFFFFFFFFF, 104857598951424) failed (22: Invalid argument)'
const WARNING = 'could not build optimal variables_hash'

test.each([
  ['the cause alone', [OK, record('alert', 9, MMAP), record('alert', 9, MUNMAP), FAILED], MMAP],
  ['no warnings beside the cause', [record('warn', 9, WARNING), record('alert', 9, MMAP), FAILED], MMAP],
  ['a warning where nothing else is said', [`nginx: [warn] ${WARNING}`, FAILED], WARNING],
  ['what is not a record', [FAILED, 'Illegal instruction', 'Aborted'], 'Illegal instruction; Aborted'],
  ['that the test failed, where it says no more', [FAILED], 'nginx: configuration file nginx.conf test failed'],
  ['paths in the folder', [record('alert', 9, 'fstat() "/f/a/x.pem" failed'), FAILED], 'fstat() "x.pem" failed'],
  ['nothing', [], ''],
])('without an emergency, the words of a test are %s, whenever it runs', (_, lines, words) => {
  const output = `${lines.join('\n')}\n`
  expect(wordsOfTest(output, '/f')).toBe(words)
  const later = output.replaceAll('/a/', '/b/').replaceAll('9#9', '12#12').replaceAll(NOW, '2026/11/23 01:02:03')
  expect(wordsOfTest(later, '/f')).toBe(words)
})

const FILES = cases<{ name: string; text: string; part?: string }[]>('FILES')

each<[string, string, JsonObject]>('%s', (_, words, blamed) => {
  expect(blame(words, FILES, new Set(['tea', 'tea-two', 'own', 'all']))).toEqual(blamed)
})

test('a part that has not changed is not to blame', () => {
  expect(blame('unknown directive "x" in zones/two.conf:1', FILES, new Set(['tea']))).toEqual({ among: [] })
})
