import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseSize } from '../../src/limits/size.ts'
import {
  countProblem,
  LARGEST_COUNT,
  LONGEST_FILE_NAME,
  limitParameters,
  rateProblem,
  zoneSizeProblem,
} from '../../src/nginx/rejections.ts'
import { casesOf } from '../support/cases.ts'
import { benchFor, describeNginx } from './with-nginx.ts'

const { cases } = casesOf(import.meta.url)

const sizeProblem = (text: string, pageSize = 4096) => {
  const size = parseSize(text)
  return size ? zoneSizeProblem(size, pageSize) : 'syntax'
}

const SIZES = cases<[string, string | undefined][]>('SIZES')

const RATES: readonly (readonly [rate: string, problem: string | undefined])[] = [
  ...cases<[string, string | undefined][]>('RATES'),
  [`${'0'.repeat(4086)}1r/s`, undefined],
  [`${'0'.repeat(4087)}1r/s`, 'too-long'],
]

describe('what nginx rejects', () => {
  test.each(SIZES)('a zone of %s: %s', (text, problem) => expect(sizeProblem(text)).toBe(problem))
  test('larger pages make for larger zones', () => {
    expect([sizeProblem('127k', 16384), sizeProblem('128k', 16384)]).toEqual(['too-small', undefined])
    expect([sizeProblem('511k', 65536), sizeProblem('512k', 65536)]).toEqual(['too-small', undefined])
  })
  test.each(RATES.map(([rate, problem]) => ({ rate, problem, short: rate.slice(-24) })))(
    'a rate of $short: $problem',
    ({ rate, problem }) => expect(rateProblem(rate)).toBe(problem),
  )
  test('a text that is no rate has no problem here', () => expect(rateProblem('10 r/s')).toBeUndefined())
  test('a count is a whole number of 0 or more', () =>
    expect([-1, 0.5, 0, 1, LARGEST_COUNT, LARGEST_COUNT + 1].map(countProblem)).toEqual(
      cases('a count is a whole number of 0 or more'),
    ))
  test('zeros are not rendered, and nodelay stands for delay', () => {
    expect(limitParameters({ burst: 0, delay: 0 })).toEqual([])
    expect(limitParameters({ burst: 5, delay: 3 })).toEqual(['burst=5', 'delay=3'])
    expect(limitParameters({ burst: 5, delay: 3, noDelay: true })).toEqual(['burst=5', 'nodelay'])
  })
})

const zone = (size: string, rate: string, parameters: readonly string[] = []): string =>
  `limit_req_zone $uri zone=z:${size} rate=${rate};
   server { listen 127.0.0.1:65535; location / { limit_req zone=z ${parameters.join(' ')}; return 200; } }`

describeNginx('what nginx rejects', (program) => {
  const bench = benchFor(program)
  const accepted = (all: readonly string[]) => bench.checkAll(all).map((verdict) => verdict.accepted)

  test('zones', () =>
    expect(accepted(SIZES.map(([size]) => zone(size, '1r/s')))).toEqual(
      SIZES.map(([, problem]) => problem === undefined),
    ))

  test('rates: those that only overflow pass the test of the configuration', () =>
    expect(accepted(RATES.map(([rate]) => zone('32k', rate)))).toEqual(
      RATES.map(([, problem]) => problem === undefined || problem === 'overflow' || problem === 'crash'),
    ))

  test('a burst or delay of 0; it accepts what limitParameters returns', () => {
    const bad = [['burst=0'], ['delay=0'], ['burst=-1'], ['burst=1.5'], ['burst=5', 'delay=1', 'nodelay']]
    const limits = [{ burst: 0 }, { burst: LARGEST_COUNT, delay: LARGEST_COUNT }, { burst: 5, delay: 1, noDelay: true }]
    const all = [...bad, ...limits.map(limitParameters)].map((parameters) => zone('32k', '1r/s', parameters))
    expect(accepted(all)).toEqual([...bad.map(() => false), ...limits.map(() => true)])
  })

  test('a file name of 256 characters', () => {
    const named = (length: number): string => join(bench.directory, `${'f'.repeat(length - 5)}.conf`)
    writeFileSync(named(LONGEST_FILE_NAME), '')
    expect(bench.check(`include ${named(LONGEST_FILE_NAME)};`).accepted).toBe(true)
    expect(bench.check(`include ${named(LONGEST_FILE_NAME + 1)};`).output).toMatch(/name too long/i)
  })

  test.each(['2305843009213693952r/s', '2305843009213693952r/m'])('%s kills the worker that delays', async (rate) => {
    const nginx = await bench.start(
      (port) => `limit_req_zone k zone=z:32k rate=${rate};
        server { listen 127.0.0.1:${port}; location / { limit_req zone=z burst=5; try_files /none =204; } }`,
    )
    const ask = () =>
      fetch(`http://127.0.0.1:${nginx.port}/`).then(
        ({ status }) => status,
        () => 'broken',
      )
    expect([await ask(), await ask()]).toEqual([204, 'broken'])
  })
})
