/** A gateway with a route for each way to limit, traffic to it, and what its access log says about it. */
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import type { RouteView } from '../../src/gateway/objects/gateways-and-routes.ts'
import type { PolicyView } from '../../src/gateway/objects/policy.ts'
import { zoneName } from '../../src/limits/zone.ts'
import { policy, route } from '../gateway/objects.ts'
import { casesOf } from '../support/cases.ts'
import { createLimit, createZone, type Limit, type Outcome } from './bucket.ts'
import { createBounds } from './clock-bounds.ts'
import { ask } from './requests.ts'

/** Policies on a route each: waiting, waiting in part, not waiting, two limits with two keys, and a dry run. */
export const POLICIES: readonly PolicyView[] = Object.entries(
  casesOf(import.meta.url).cases<Record<string, Parameters<typeof policy>[1]>>('POLICIES'),
).map(([name, parts]) => policy(name, { on: [`HTTPRoute ${name}`], ...parts }))

/** What a policy is called, its route and the route's path too. */
const nameOf = ({ identity }: PolicyView): string => identity.name ?? ''

/** The routes of {@link POLICIES}, each with a path of its own. */
export const ROUTES: readonly RouteView[] = POLICIES.map((one) =>
  route(nameOf(one), {
    rules: [
      {
        matches: [{ path: { type: 'PathPrefix', value: `/${nameOf(one)}` } }],
        backendRefs: [{ name: 'shop', port: 80 }],
      },
    ],
  }),
)

/** A place to which requests go, as nginx limits it. */
export type Place = { readonly name: string; readonly limits: readonly Limit[]; readonly dryRun: boolean }

/** The places with empty zones. */
export const createPlaces = (): readonly Place[] =>
  POLICIES.map((one) => ({
    name: nameOf(one),
    dryRun: one.dryRun.value === true,
    limits: one.limits.map(({ index, rate, burst, delay, noDelay }) =>
      createLimit(createZone({ name: zoneName('shop', nameOf(one), index), rate: rate.value?.thousandths ?? 0 }), {
        burst: burst.value ?? 0,
        delay: delay.value ?? 0,
        noDelay: noDelay.value ?? false,
      }),
    ),
  }))

/** One request, as it is sent and as the log records it. */
export type Sent = { readonly place: string; readonly client: string; readonly user: string }
export type Logged = Sent & {
  readonly line: string
  /** Milliseconds since the epoch at which it came and at which it was logged, by the clock of the log. */
  readonly came: number
  readonly ended: number
  readonly outcome: Outcome
}

/** The values of a place's keys, in the order of its limits. */
export const keysOf = ({ place, client, user }: Sent): readonly string[] =>
  place === 'both' ? [client, user] : [client]

/** Milliseconds by which a request may reach nginx later than it was sent. */
const ON_THE_WAY = 30

/**
 * Sends so many requests from clients of the loopback net, in fits and starts, and waits for the answers. Those whose
 * outcome a few milliseconds would turn are not sent: no log could tell afterwards how nginx had to decide.
 */
export async function sendTraffic(port: number, count: number, seed: number): Promise<void> {
  const places = createPlaces()
  const bounds = createBounds(ON_THE_WAY)
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })
  const requests = fc.sample(
    fc.record({
      place: fc.constantFrom(...places),
      client: fc.integer({ min: 2, max: 40 }),
      user: fc.nat({ max: 9 }),
      gap: fc.nat({ max: 9 }),
    }),
    { numRuns: count * 3, seed },
  )
  const answers: Promise<void>[] = []
  for (const { place, client, user, gap } of requests) {
    if (answers.length === count) break
    if (gap > 6) await pause(gap)
    const sent = { place: place.name, client: `127.0.0.${client}`, user: `u${user}` }
    const now = Date.now() + ON_THE_WAY / 2
    const [outcome, ...others] = bounds.possible(place.limits, keysOf(sent), now)
    if (outcome === undefined || others.length > 0) continue
    bounds.account(place.limits, keysOf(sent), now, outcome)
    answers.push(send(port, sent, agent))
  }
  await Promise.all(answers)
  agent.destroy()
}

const send = async (port: number, { place, client, user }: Sent, agent: Agent): Promise<void> =>
  void (await ask({ port, path: `/${place}/x?user=${user}`, agent, localAddress: client }))

const LINE = /^(\S+) .*"GET \/(\w+)\/x\?user=(\w+) HTTP\/1.1" .* (\d+)\.(\d{3}) (\d+)\.(\d{3}) ([A-Z_]+)$/

/** The requests of an access log in the order in which they came. Throws where a line is no request of the traffic. */
export function readLog(lines: readonly string[]): readonly Logged[] {
  const read = lines.map((line): Logged => {
    const [, client = '', place = '', user = '', s = '', ms = '', took = '', tookMs = '', status = ''] =
      LINE.exec(line) ?? []
    const outcome = OUTCOMES.find((known) => known === status)
    if (!outcome) throw new Error(`no request of ours: ${line}`)
    const ended = Number(s + ms)
    return { line, place, client, user, ended, came: ended - Number(took + tookMs), outcome }
  })
  return read.sort((a, b) => a.came - b.came || RANK[a.outcome] - RANK[b.outcome] || a.ended - b.ended)
}

const OUTCOMES = ['PASSED', 'DELAYED', 'DELAYED_DRY_RUN', 'REJECTED', 'REJECTED_DRY_RUN'] as const

/** Of one key's requests in one millisecond those that passed were decided first, then those that wait the least. */
const RANK = { PASSED: 0, DELAYED: 1, DELAYED_DRY_RUN: 1, REJECTED: 2, REJECTED_DRY_RUN: 2 } as const
