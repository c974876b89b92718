/**
 * The access log of a real nginx, replayed through the bucket, has the outcome that nginx logged for each request, and
 * `sluice simulate` counts what nginx logged: by route, by limit and by key.
 *
 * What such a log hides is little and bounded. A line tells when a request ended (`$msec`) and how long it took
 * (`$request_time`), so when it came, to the millisecond; nginx decided in that very turn of its loop. But it decides
 * by a clock that moves in ticks (4 ms on most machines, 10 ms on some), and the line has the exact one: the time
 * between two requests of a key is known to a tick and a millisecond. Where such a difference turns the outcome, the
 * log cannot tell; the traffic here avoids these moments as far as the machine lets it, and the rest is counted.
 * Of requests in one millisecond the log does not tell the order either.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { freePort } from '../free-ports.ts'
import { startHttpBackend } from './backends.ts'
import { decide, type Outcome } from './bucket.ts'
import { createBounds, type Plain, plain } from './clock-bounds.ts'
import { countOf, printCount, SEED } from './counts.ts'
import type { NginxProgram } from './real-nginx.ts'
import { renderScene, runRendered } from './rendered.ts'
import { loggedCounts, simulatedCounts } from './simulated.ts'
import {
  createPlaces,
  keysOf,
  type Logged,
  type Place,
  POLICIES,
  ROUTES,
  readLog,
  sendTraffic,
} from './traffic-on-gateway.ts'
import { describeNginx, shared } from './with-nginx.ts'

const REQUESTS = countOf('SLUICE_REQUESTS', 1000)

/** A tick of the coarsest clock in use, and a millisecond for rounding. */
const SLACK = 11

describeNginx('the log of a real nginx, replayed', (program) => {
  const backend = shared(startHttpBackend, ({ stop }) => stop())

  test(`${REQUESTS} requests have the outcome that nginx logged`, async () => {
    const { lines, format, folder } = await logOfTraffic(program, backend().address)
    const log = readLog(lines)
    expect(log).toHaveLength(REQUESTS)
    expect(new Set(log.map(({ outcome }) => outcome)).size).toBe(5)
    expect(impossibleOnes(log)).toEqual([])
    const sharp = withoutBlurred(log)
    expect(sharp.length).toBeGreaterThan(REQUESTS / 4)
    expect(otherwiseDecided(log, new Set(sharp))).toEqual([])
    const clear = ofClearKeys(log, sharp)
    const asLogged = lines.filter((line) => clear.some((request) => request.line === line))
    expect(await simulatedCounts(asLogged, format, folder)).toEqual(loggedCounts(clear))
    rmSync(folder, { recursive: true })
    const other = otherwiseDecided(log, new Set(log)).length
    const near = `${log.length - sharp.length} too near to call, ${other} of which the bucket decides otherwise`
    printCount(
      'SLUICE_REQUESTS',
      `nginx ${program.version}: ${log.length} requests, ${near}; ${clear.length} simulated alike`,
    )
  }, 600_000)
})

/** The lines that a gateway writes about the traffic, their format, and a folder for what is made of them. */
async function logOfTraffic(program: NginxProgram, backend: string) {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'sluice-simulation-'))
  const rendered = renderScene(
    { routes: ROUTES, policies: POLICIES },
    { nginxVersion: program.version, ports: new Map([[80, port]]), addresses: new Map([['shop', backend]]) },
  )
  const [, format = ''] = /log_format sluice '(.*)';/.exec(rendered.files.map(({ text }) => text).join('')) ?? []
  const nginx = await runRendered(program, rendered, { folder: join(folder, 'nginx'), port })
  try {
    await sendTraffic(port, REQUESTS, SEED)
    await expect.poll(() => nginx.requests().length).toBe(REQUESTS)
    return { lines: nginx.requests(), format, folder }
  } finally {
    await nginx.stop()
  }
}

/** The requests of keys of which each request is sharp. Where a place has two keys, all of its requests hang together. */
function ofClearKeys(log: readonly Logged[], sharp: readonly Logged[]): readonly Logged[] {
  const groupOf = (request: Logged): string =>
    keysOf(request).length > 1 ? request.place : `${request.place} ${request.client}`
  const isSharp = new Set(sharp)
  const blurred = new Set(log.filter((request) => !isSharp.has(request)).map(groupOf))
  return log.filter((request) => !blurred.has(groupOf(request)))
}

type Met = { readonly request: Logged; readonly possible: ReadonlySet<Plain>; readonly place: Place }

/** Follows a log within the bounds of its clock, what nginx logged deciding wherever they leave that open. */
function* follow(log: readonly Logged[]): Generator<Met> {
  const bounds = createBounds(SLACK)
  const places = new Map(createPlaces().map((place) => [place.name, place]))
  for (const request of log) {
    const place = places.get(request.place)
    if (!place) throw new Error(`no place ${request.place}`)
    const possible = bounds.possible(place.limits, keysOf(request), request.came)
    yield { request, possible, place }
    bounds.account(place.limits, keysOf(request), request.came, plain(request.outcome))
  }
}

/** Requests with an outcome that no reading of the clock explains. */
const impossibleOnes = (log: readonly Logged[]): readonly Logged[] =>
  [...follow(log)].flatMap(({ request, possible }) => (possible.has(plain(request.outcome)) ? [] : [request]))

/** The requests whose outcome the log's clock decides, and with it that of all requests of their keys before. */
function withoutBlurred(log: readonly Logged[]): readonly Logged[] {
  const blurred = new Set<string>()
  return [...follow(log)].flatMap(({ request, possible }) => {
    const keys = keysOf(request).map((key) => `${request.place} ${key}`)
    if (possible.size === 1 && !keys.some((key) => blurred.has(key))) return [request]
    for (const key of keys) blurred.add(key)
    return []
  })
}

/** The requests among these for which the bucket decides otherwise than nginx did, by the times of the log alone. */
const otherwiseDecided = (log: readonly Logged[], among: ReadonlySet<Logged>): readonly (Logged & { own: Outcome })[] =>
  [...follow(log)].flatMap(({ request, place: { limits, dryRun } }) => {
    const { outcome: own } = decide(limits, keysOf(request), request.came, dryRun)
    return own === request.outcome || !among.has(request) ? [] : [{ ...request, own }]
  })
