/** What records of nginx 1.22.1 and 1.31.3 say of a reload, and whom they name. */
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/member.ts'
import { blame, isAboutRequest, judgeLog, wordsOfTest } from '../../src/proxy/words.ts'
import { casesOf } from '../support/cases.ts'

const { cases, each } = casesOf(import.meta.url)

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
