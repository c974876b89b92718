/** The flags of `sluice simulate`. */

import { parseRate } from '../../limits/rate.ts'
import type { Settings } from '../../settings/settings.ts'
import { FORMAT_NAMES } from '../../traffic/detect.ts'
import { MOST_CLIENTS, MOST_REQUESTS, requestsOf, SHAPES, type Shape } from '../../traffic/shape.ts'
import { parseDuration, shapeTitle } from '../../traffic/shape-text.ts'
import type { Args, Flags } from '../core/flags.ts'
import { COMPOSITIONS, INPUT_FLAGS, readChoice, readComposition } from '../core/inputs.ts'
import { InputError } from '../core/io.ts'

/** The formats of the report. */
export const SIMULATE_FORMATS = ['text', 'json', 'csv'] as const
const SPREADS = ['even', 'none'] as const

/** The table of flags. */
export const SIMULATE_FLAGS = {
  log: {
    value: 'FILE',
    summary: 'an access log, also .gz, or - for the standard input; may be repeated',
  },
  'log-format': {
    value: 'FORMAT',
    needs: ['log'],
    choices: FORMAT_NAMES,
    summary: `${FORMAT_NAMES.join(', ')}, or the text of a log_format; default: detected`,
  },
  field: {
    value: 'VAR=FIELD',
    needs: ['log'],
    summary: 'the field of JSON lines with the value of a variable: remote_addr=client.ip',
  },
  'max-bad-lines': { value: 'N', needs: ['log'], summary: 'stop when more than N lines cannot be read' },
  spread: {
    value: 'HOW',
    choices: SPREADS,
    needs: ['log'],
    summary: 'logs of whole seconds: spread requests even (default) or none, all at once',
  },
  clients: { value: 'N', summary: 'traffic of N made-up clients' },
  rate: { value: 'RATE', summary: 'requests of each client, such as 5r/s or 30r/m' },
  for: { value: 'TIME', summary: 'duration of the traffic, such as 60s, 5m or 1h' },
  shape: { value: 'NAME', choices: SHAPES, summary: `shape of the traffic: ${SHAPES.join(', ')}; default: steady` },
  'burst-every': {
    value: 'TIME',
    needs: ['shape'],
    summary: 'shape burst: time between two bursts of a client; default: 10s',
  },
  seed: { value: 'N', needs: ['shape'], summary: 'shapes poisson and burst: seed of the random numbers; default: 1' },
  method: { value: 'NAME', summary: 'the method of made-up clients; default: GET' },
  path: { value: 'PATH', summary: 'the path of made-up clients, with arguments if any; default: /' },
  host: { value: 'NAME', summary: 'the host of made-up clients, or of a log without one' },
  set: { value: 'VAR=VALUE', summary: 'set a variable for all requests: http_x_tenant=acme' },
  route: { value: 'KIND/[NS/]NAME', summary: 'send all requests to this route, Gateway or Proxy' },
  gateway: { value: '[NS/]NAME', summary: 'the Gateway that receives the traffic, if there are several' },
  composition: {
    value: 'HOW',
    choices: COMPOSITIONS,
    summary: 'stack or inherit; default: from the settings, else stack',
  },
  compare: { value: 'OLD', summary: 'compare with another version in these files or folders' },
  format: { value: 'NAME', choices: SIMULATE_FORMATS, summary: `format of the report: ${SIMULATE_FORMATS.join(', ')}` },
  svg: { value: 'FILE', summary: 'also write the timeline as a picture' },
  top: { value: 'N', summary: 'how many rejected keys to name of each limit; default: 10' },
  threads: {
    value: 'N',
    needs: ['log'],
    summary: 'extra threads that read the log; default: from the number of processors',
  },
  world: { value: 'NAME', summary: 'the world to simulate, if the settings have several' },
  ...INPUT_FLAGS,
} as const satisfies Flags

/** The flags of a command line. */
export type SimulateFlags = Args<keyof typeof SIMULATE_FLAGS>

/** The traffic that the flags describe. */
export type TrafficFlags =
  | { readonly type: 'log'; readonly files: readonly string[] }
  | { readonly type: 'shape'; readonly shape: Shape; readonly name: string }

/** Reads the flags of the traffic. Throws {@link InputError}. */
export function readTrafficFlags(flags: SimulateFlags): TrafficFlags {
  const files = flags.values('log')
  if (flags.positionals.includes('-') && files.includes('-'))
    throw new InputError('the standard input cannot hold both manifests and a log')
  if (files.length > 0) {
    const conflicting = (['clients', 'rate', 'for', 'shape', 'path', 'method'] as const).find((flag) => flags.has(flag))
    if (conflicting !== undefined)
      throw new InputError(`--${conflicting} and --log exclude each other: use a log or made-up clients`)
    return { type: 'log', files }
  }
  if (!flags.has('clients') && !flags.has('rate') && !flags.has('for'))
    throw new InputError('no traffic to simulate; use --log FILE, or --clients 20 --rate 5r/s --for 60s')
  return readShape(flags)
}

function readShape(flags: SimulateFlags): TrafficFlags {
  const clients = readCount(flags, 'clients', { least: 1, most: MOST_CLIENTS, fallback: 1 })
  const written = flags.value('rate') ?? '1r/s'
  const rate = parseRate(written)
  if (!rate || rate.thousandths < 1 || rate.thousandths > 1e9)
    throw new InputError(`--rate must be the rate of one client, such as 5r/s or 30r/m; got "${written}"`)
  const duration = readDuration(flags, 'for', '60s')
  const name = readChoice('shape', flags.value('shape'), SHAPES)
  const shape: Shape = {
    name,
    clients,
    rate: rate.thousandths,
    duration,
    period: readDuration(flags, 'burst-every', '10s'),
    seed: readCount(flags, 'seed', { least: 0, most: 2 ** 32 - 1, fallback: 1 }),
  }
  const title = shapeTitle(clients, written, flags.value('for') ?? '60s', name)
  const requests = requestsOf(shape)
  if (requests > MOST_REQUESTS)
    throw new InputError(
      `${title}, ${name === 'burst' ? `every ${shape.period} ms, ` : ''}are ${requests.toLocaleString('en')} requests, of which at most ${MOST_REQUESTS.toLocaleString('en')} can be simulated; choose a shorter --for, a lower --rate or fewer --clients`,
    )
  return { type: 'shape', shape, name: title }
}

/** Milliseconds, at least one. */
function readDuration(flags: SimulateFlags, flag: 'for' | 'burst-every', fallback: string): number {
  const text = flags.value(flag) ?? fallback
  const milliseconds = parseDuration(text)
  if (milliseconds !== undefined) return milliseconds
  throw new InputError(`--${flag} must be a time such as 500ms, 60s, 5m or 1h; got "${text}"`)
}

type Bounds = { readonly least: number; readonly most: number; readonly fallback: number }

/** A whole number within bounds. Throws {@link InputError}. */
export function readCount(
  flags: SimulateFlags,
  flag: 'clients' | 'seed' | 'top' | 'threads' | 'max-bad-lines',
  { least, most, fallback }: Bounds,
): number {
  const text = flags.value(flag)
  if (text === undefined) return fallback
  const count = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (count >= least && count <= most) return count
  throw new InputError(`--${flag} must be a whole number from ${least} to ${most.toLocaleString('en')}; got "${text}"`)
}

/** Reads `NAME=VALUE` flags; names of variables may begin with `$` and are lower-cased. Throws {@link InputError}. */
export function readPairs(flags: SimulateFlags, flag: 'set' | 'field'): ReadonlyMap<string, string> {
  return new Map(
    flags.values(flag).map((text) => {
      const [, name, value] = /^\$?(\w+)=([\s\S]*)$/.exec(text) ?? []
      if (name === undefined || value === undefined)
        throw new InputError(
          `--${flag} must be ${SIMULATE_FLAGS[flag].value}, such as http_x_tenant=acme; got "${text}"`,
        )
      return [name.toLowerCase(), value]
    }),
  )
}

/** Reads `--spread`. Throws {@link InputError}. */
export const readSpread = (flags: SimulateFlags): 'even' | 'none' =>
  readChoice('spread', flags.value('spread'), SPREADS)

/** The settings with those that flags override. Throws {@link InputError}. */
export function withSimulateFlags(settings: Settings, flags: SimulateFlags): Settings {
  return { ...settings, composition: readComposition(flags) ?? settings.composition }
}
