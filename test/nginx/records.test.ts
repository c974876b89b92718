import { expect, test } from 'vitest'
import { DELAY_LEVEL, LOG_LEVELS } from '../../src/nginx/responses.ts'
import { createLimit, createZone, decide, recordOf } from './bucket.ts'
import { statusOf } from './requests.ts'
import { benchFor, describeNginx } from './with-nginx.ts'

/** The records of three requests at once with a burst of one: the first passes, the second waits, the third is rejected. */
function records(level: (typeof LOG_LEVELS)[number], dryRun: boolean) {
  const limits = [createLimit(createZone({ name: 'z', rate: 16 }), { burst: 1 })]
  return [0, 0, 0].map((now) => recordOf(decide(limits, ['k'], now, dryRun), level))
}

test('a rejection is recorded at the level, a delay one below', () => {
  expect(records('error', false)).toEqual([
    undefined,
    { level: 'warn', text: 'delaying request, excess: 1.000, by zone "z"' },
    { level: 'error', text: 'limiting requests, excess: 2.000 by zone "z"' },
  ])
  expect(records('info', true)).toEqual([
    undefined,
    { level: 'info', text: 'delaying request, dry run, excess: 1.000, by zone "z"' },
    { level: 'info', text: 'limiting requests, dry run, excess: 2.000 by zone "z"' },
  ])
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
