/** Traffic of made-up clients, each at a rate, in a shape. The same shape and seed give the same traffic. */

/**
 * - `steady`: each client sends at equal intervals; the clients take turns.
 * - `poisson`: clients send independently of each other and of their last request, as real crowds do.
 * - `burst`: each client sends the requests of a whole period at once, at its own time within the period.
 * - `ramp`: from nothing to the full rate at the end; half as many requests altogether.
 */
export const SHAPES = ['steady', 'poisson', 'burst', 'ramp'] as const
/** The name of a shape. */
export type ShapeName = (typeof SHAPES)[number]

/** A shape of traffic. */
export type Shape = {
  readonly name: ShapeName
  readonly clients: number
  /** Thousandths of a request per second, of each client. */
  readonly rate: number
  /** The length of the traffic in milliseconds. */
  readonly duration: number
  /** Milliseconds between the bursts of a client. */
  readonly period: number
  readonly seed: number
}

/** Requests of a shape that are simulated at most: more take minutes, in a browser without a sign of life. */
export const MOST_REQUESTS = 100_000_000

/** About how many requests a shape has. */
export function requestsOf(shape: Shape): number {
  const { name, clients, rate, duration, period } = shape
  if (name === 'burst') return clients * burstSize(shape) * Math.ceil(duration / period)
  return Math.round(((name === 'ramp' ? 0.5 : 1) * clients * rate * duration) / 1e6)
}

/** A request of a shape: milliseconds since its beginning, and the client, counted from 0. */
type ShapedRequest = { readonly time: number; readonly client: number }

/** Requests in the order in which they come. */
export function generate(shape: Shape): Iterable<ShapedRequest> {
  if (shape.name === 'poisson') return crowd(shape)
  return shape.name === 'burst' ? bursts(shape) : turns(shape)
}

/** Client after client, round after round: the n-th request comes when n requests are due. */
function* turns({ name, clients, rate, duration }: Shape): Iterable<ShapedRequest> {
  for (let count = 0; ; count += 1) {
    const due = (count * 1e6) / (clients * rate)
    const time = Math.floor(name === 'ramp' ? Math.sqrt(2 * due * duration) : due)
    if (!(time < duration)) return
    yield { time, client: count % clients }
  }
}

/** Many independent clients are one crowd with their joint rate; the client of each request is random. */
function* crowd({ clients, rate, duration, seed }: Shape): Iterable<ShapedRequest> {
  const random = createRandom(seed)
  const meanGap = 1e6 / (clients * rate)
  let time = 0
  for (;;) {
    time -= Math.log(1 - random()) * meanGap
    if (!(time < duration)) return
    yield { time: Math.floor(time), client: Math.floor(random() * clients) }
  }
}

/** Requests that a client sends at once. */
const burstSize = ({ rate, period }: Shape): number => Math.max(1, Math.round((rate * period) / 1e6))

function* bursts(shape: Shape): Iterable<ShapedRequest> {
  const { clients, duration, period, seed } = shape
  const random = createRandom(seed)
  const order = Array.from({ length: clients }, (_, client) => ({ client, start: Math.floor(random() * period) }))
  order.sort((a, b) => a.start - b.start || a.client - b.client)
  const size = burstSize(shape)
  for (let round = 0; round < duration; round += period) {
    for (const { client, start } of order) {
      for (let count = 0; count < size && round + start < duration; count += 1) yield { time: round + start, client }
    }
  }
}

/** The most clients that have different addresses. */
export const MOST_CLIENTS = 2 ** 24

/** The address of a client of a shape: from 198.18.0.1 on, a range for tests (RFC 2544); beyond its end, from 10.2.0.0 on. */
export function clientAddress(client: number): string {
  const host = client + 1
  const tail = `${(host >>> 8) & 255}.${host & 255}`
  return host < 2 ** 17 ? `198.${18 + (host >>> 16)}.${tail}` : `${10 + (host >>> 24)}.${(host >>> 16) & 255}.${tail}`
}

/** Pseudo-random numbers from 0 up to but not including 1, the same for the same seed. Mulberry32: 32 bits of state. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
