/** Traffic of made-up clients through the running nginx, beside what a simulation says of the same traffic. */

import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'
import type { LimitedRequest } from '../../live/limited.ts'
import type { SampleRequest } from '../../live/listeners.ts'
import { isRejectCode } from '../../live/objects-in-force.ts'
import type { LoadOutcome } from '../../reports/live/events.ts'
import { prepareSimulation, simulateShape } from '../../simulate/simulate.ts'
import { counted } from '../../text/plural.ts'
import { generate } from '../../traffic/shape.ts'
import { InputError } from '../core/io.ts'
import type { LoadOptions } from './flags.ts'
import type { Screen } from './screen.ts'
import type { Trying } from './session.ts'

/** Where the requests go. */
type Target = SampleRequest & { readonly gateway: string; readonly hostname: string }

/** Where the load is told of, and what ends it. */
type Around = {
  readonly screen: Screen
  readonly signal: AbortSignal
  /** True where the upstream is one that may answer 404 itself: that of the user. */
  readonly isOwnUpstream: boolean
}

/** Sends the requests and reports what came of them, if nothing ends it before. Throws {@link InputError} where no route takes them. */
export async function runLoad(
  options: LoadOptions,
  trying: Trying,
  { screen, signal, isOwnUpstream }: Around,
): Promise<void> {
  const target = targetOf(options, trying)
  const simulated = simulate(options, trying, target)
  // Also a rejection or a backend may answer 404; whether a route matches is then for the simulation to say.
  const is404Unmatched = simulated.totals.unmatched > 0 || !(isOwnUpstream || isRejectCode(NOT_FOUND, trying.objects))
  const nginx = await send(options, target, { screen, signal, is404Unmatched }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
  if (!nginx) return
  const url = `${target.isTls ? 'https' : 'http'}://${target.hostname}:${target.port}${target.path}`
  screen.emit({ event: 'load', name: options.name, url, nginx, simulated })
}

function targetOf({ path, host }: LoadOptions, { gateways }: Trying): Target {
  const all = [...gateways].flatMap(([gateway, samples]) => samples.map((sample) => ({ ...sample, gateway })))
  const sample = all.find(({ protocol }) => protocol === 'http')
  if (!sample)
    throw new InputError('--load sends HTTP requests, and none of these HTTPRoutes takes one by its path alone')
  return { ...sample, path: path ?? sample.path, hostname: host ?? sample.hostname ?? '127.0.0.1' }
}

function simulate({ shape, name }: LoadOptions, { objects, settings }: Trying, target: Target): LoadOutcome {
  const prepared = prepareSimulation(
    {
      sources: objects.map((object) => ({ object })),
      old: undefined,
      closedWorld: true,
      settings,
      route: undefined,
      gateway: target.gateway,
      namespace: undefined,
      world: undefined,
      anywhere: false,
    },
    { constants: new Map(), top: 0 },
  )
  if (!prepared.ok) throw new InputError(prepared.problem)
  const { path, hostname } = target
  const report = simulateShape(prepared.value, { shape, name, target: { method: 'GET', host: hostname, target: path } })
  const { totals, interval, timeline } = report
  // nginx does not say how full its buckets are.
  return { totals, interval, timeline: timeline.map(({ fill: _, ...at }) => at) }
}

/** Milliseconds in which the last records come from the error log. */
const LAST_RECORDS = 500

type Sending = Pick<Around, 'screen' | 'signal'> & { readonly is404Unmatched: boolean }

/** Rejects when the signal comes. */
async function send(
  { shape }: LoadOptions,
  target: Target,
  { screen, signal, is404Unmatched }: Sending,
): Promise<LoadOutcome> {
  const clients = Array.from({ length: shape.clients }, (_, client) => createClient(client, target))
  const start = performance.now()
  const counts = countSeconds(Math.ceil(shape.duration / 1000))
  const secondNow = () => Math.floor((performance.now() - start) / 1000)
  const line = `GET ${target.path} HTTP/1.1`
  const own = new Set(clients.map(({ address }) => address))
  const ends = screen.onEachLimited(({ outcome, request, client }) => {
    if (request === line && own.has(client) && (outcome === 'delayed' || outcome === 'rejected'))
      counts.add(secondNow(), outcome)
  })
  try {
    const pending: Promise<number>[] = []
    for (const { time, client } of generate(shape)) {
      const wait = start + time - performance.now()
      if (wait > 0) await pause(wait, undefined, { signal })
      signal.throwIfAborted()
      const second = Math.floor(time / 1000)
      counts.add(second, 'requests')
      const status = clients[client]?.get() ?? Promise.resolve(0)
      pending.push(status)
      status.then((code) => code === NOT_FOUND && is404Unmatched && counts.add(second, 'unmatched'))
    }
    const codes = await Promise.all(pending)
    await pause(LAST_RECORDS, undefined, { signal })
    const lost = codes.filter((code) => code === 0).length
    if (lost > 0) screen.fail(`${lost} of ${counted(codes.length, 'request')} got no answer`)
    return counts.outcome()
  } finally {
    ends()
    for (const client of clients) client.close()
  }
}

/** What nginx answers where no route matches; the echo never does. */
const NOT_FOUND = 404

type Client = {
  readonly address: string
  /** The status of the answer; 0 where there is none. */
  get(): Promise<number>
  close(): void
}

/** Clients have addresses of this machine, from 127.0.0.2 on, so that nginx tells them apart. */
function createClient(client: number, { isTls, hostname, port, path }: Target): Client {
  const number = client + 2
  const options = {
    host: '127.0.0.1',
    port,
    path,
    servername: hostname,
    rejectUnauthorized: false,
    headers: { host: `${hostname}:${port}` },
    localAddress: `127.0.${number >> 8}.${number & 255}`,
    agent: isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true }),
  }
  return {
    address: options.localAddress,
    get: () =>
      new Promise((resolve) => {
        const sent = (isTls ? requestHttps : requestHttp)(options, (response) =>
          response.resume().once('close', () => resolve(response.statusCode ?? 0)),
        )
        sent.once('error', () => resolve(0)).end()
      }),
    close: () => options.agent.destroy(),
  }
}

type Counted = 'requests' | 'unmatched' | Extract<LimitedRequest['outcome'], 'delayed' | 'rejected'>

/** Counts by second. What was neither delayed nor rejected, and matched a route, has passed. */
function countSeconds(seconds: number) {
  const counts = Array.from({ length: seconds }, () => ({ requests: 0, delayed: 0, rejected: 0, unmatched: 0 }))
  return {
    add(second: number, what: Counted): void {
      const at = counts[Math.min(second, seconds - 1)]
      if (at) at[what] += 1
    },
    outcome(): LoadOutcome {
      const sum = (what: Counted) => counts.reduce((total, at) => total + at[what], 0)
      const passed = (at: (typeof counts)[number]) => Math.max(0, at.requests - at.delayed - at.rejected - at.unmatched)
      const totals = {
        requests: sum('requests'),
        delayed: sum('delayed'),
        rejected: sum('rejected'),
        unmatched: sum('unmatched'),
      }
      return {
        totals: { ...totals, passed: passed(totals) },
        interval: 1,
        timeline: counts
          .map((at, index) => ({ ...at, at: index, passed: passed(at) }))
          .map(({ requests: _, ...at }) => at),
      }
    },
  }
}
