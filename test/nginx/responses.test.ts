import { describe, expect, test } from 'vitest'
import { type CodeEffect, codeEffect, DELAY_LEVEL, grpcStatusOf, LOG_LEVELS } from '../../src/nginx/responses.ts'
import { casesOf } from '../support/cases.ts'
import { createLimit, createZone, decide, recordOf } from './bucket.ts'
import { sendRaw, statusOf } from './requests.ts'
import { benchFor, describeNginx } from './with-nginx.ts'

const { cases, each } = casesOf(import.meta.url)

describe('what a status code does', () => {
  each<[number, CodeEffect | undefined]>('%i: %j', (code, effect) => expect(codeEffect(code, '1.31')).toEqual(effect))

  test('407 has a reason phrase since 1.31', () =>
    expect([codeEffect(407, '1.29.8')?.kind, codeEffect(407, '1.31')?.kind]).toEqual(['no-reason', undefined]))
})

const CODES = Array.from({ length: 200 }, (_, index) => 400 + index)

describeNginx('rejecting with each code from 400 to 599', (program) => {
  const bench = benchFor(program)

  test('has the effect in the table', async () => {
    const places = CODES.map(
      (code) => `location /${code} { limit_req zone=z; limit_req_status ${code}; try_files /none =204; }`,
    )
    const { port } = await bench.start(
      (listen) => `limit_req_zone k zone=z:32k rate=1r/m; server { listen 127.0.0.1:${listen}; ${places.join('\n')} }`,
    )
    await sendRaw(port, '/400')
    for (const code of CODES)
      expect([code, seenEffect(code, await sendRaw(port, `/${code}`))]).toEqual([
        code,
        codeEffect(code, program.version),
      ])
  })
})

/** The effect that a response shows. */
function seenEffect(code: number, answer: string): CodeEffect | undefined {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  const [, status, reason] = /^HTTP\/1\.1 (\d+) (.*)/.exec(head) ?? []
  const page = /<title>(.*)<\/title>/.exec(body)?.[1]
  if (answer === '') return { kind: 'closes-connection' }
  if (Number(status) === 400 && code !== 400) return { kind: 'becomes-400', page: page ?? '' }
  expect(Number(status)).toBe(code)
  return reason === '' ? { kind: 'no-reason', page } : undefined
}

/** The records of three requests at once with a burst of one: the first passes, the second waits, the third is rejected. */
function records(level: (typeof LOG_LEVELS)[number], dryRun: boolean) {
  const limits = [createLimit(createZone({ name: 'z', rate: 16 }), { burst: 1 })]
  return [0, 0, 0].map((now) => recordOf(decide(limits, ['k'], now, dryRun), level))
}

test('a rejection is recorded at the level, a delay one below', () => {
  expect(records('error', false)).toEqual(cases('a rejection is recorded at the level, a delay one below'))
  expect(records('info', true)).toEqual(cases('a rejection is recorded at the level, a delay one below (2)'))
})

describeNginx('records', (program) => {
  const bench = benchFor(program)

  test.each(LOG_LEVELS)('at %s a real nginx writes the same', async (level) => {
    const nginx = await bench.start(
      (port) => `limit_req_zone k zone=z:32k rate=1r/m; limit_req_log_level ${level}; limit_req_dry_run on;
        server { listen 127.0.0.1:${port}; location / { limit_req zone=z burst=1; try_files /none =204; } }`,
      { logLevel: 'info' },
    )
    for (let sent = 0; sent < 3; sent += 1) await statusOf(nginx.port, '/')
    await expect.poll(() => nginx.log().match(/(?:limiting|delaying) request/g)).toHaveLength(2)
    const written = [...nginx.log().matchAll(/\[(\w+)\] .*? ((?:limiting|delaying) .*?), client:/g)]
    const seen = written.map(([, written, text]) => ({
      level: written,
      text: text?.replace(/0\.9\d\d|1\.9\d\d/, (drifted) => `${Math.ceil(Number(drifted))}.000`),
    }))
    expect(seen).toEqual(records(level, true).slice(1))
    expect(DELAY_LEVEL[level]).toBe(seen[0]?.level)
  })
})

each<[number, string]>('clients of gRPC read %i as %s', (code, status) => expect(grpcStatusOf(code)).toBe(status))
