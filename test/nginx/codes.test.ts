import { describe, expect, test } from 'vitest'
import { type CodeEffect, codeEffect } from '../../src/nginx/responses.ts'
import { sendRaw } from './requests.ts'
import { benchFor, describeNginx } from './with-nginx.ts'

describe('what a status code does', () => {
  test.each([
    [429, undefined],
    [503, undefined],
    [408, { kind: 'closes-connection' }],
    [444, { kind: 'closes-connection' }],
    [496, { kind: 'becomes-400', page: '400 No required SSL certificate was sent' }],
    [431, { kind: 'no-reason', page: undefined }],
    [498, { kind: 'no-reason', page: '404 Not Found' }],
    [200, undefined],
    [600, undefined],
    [429.5, undefined],
  ])('%i: %j', (code, effect) => expect(codeEffect(code, '1.31')).toEqual(effect))

  test('407 has words of its own since 1.31', () => {
    expect([codeEffect(407, '1.29.8')?.kind, codeEffect(407, '1.31')?.kind]).toEqual(['no-reason', undefined])
  })
})

const CODES = Array.from({ length: 200 }, (_, index) => 400 + index)

describeNginx('rejecting with each code from 400 to 599', (program) => {
  const bench = benchFor(program)

  test('does what the table says', async () => {
    const places = CODES.map(
      (code) => `location /${code} { limit_req zone=z; limit_req_status ${code}; try_files /none =204; }`,
    )
    const { port } = await bench.start(
      (listen) => `limit_req_zone k zone=z:32k rate=1r/m; server { listen 127.0.0.1:${listen}; ${places.join('\n')} }`,
    )
    await sendRaw(port, '/400')
    for (const code of CODES) {
      expect([code, seenEffect(code, await sendRaw(port, `/${code}`))]).toEqual([
        code,
        codeEffect(code, program.version),
      ])
    }
  })
})

/** The effect that an answer shows. */
function seenEffect(code: number, answer: string): CodeEffect | undefined {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  const [, status, reason] = /^HTTP\/1\.1 (\d+) (.*)/.exec(head) ?? []
  const page = /<title>(.*)<\/title>/.exec(body)?.[1]
  if (answer === '') return { kind: 'closes-connection' }
  if (Number(status) === 400 && code !== 400) return { kind: 'becomes-400', page: page ?? '' }
  expect(Number(status)).toBe(code)
  return reason === '' ? { kind: 'no-reason', page } : undefined
}
