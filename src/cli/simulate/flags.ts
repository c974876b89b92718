/** The flags of `sluice simulate`. */

import { parseRate } from '../../limits/rate.ts'
import type { Settings } from '../../settings/settings.ts'
import { FORMAT_NAMES } from '../../traffic/detect.ts'
import { MOST_CLIENTS, SHAPES, type Shape } from '../../traffic/shape.ts'
import type { Args, Flags } from '../core/flags.ts'
import { INPUT_FLAGS, readChoice } from '../core/inputs.ts'
import { InputError } from '../core/io.ts'

export const SIMULATE_FORMATS = ['text', 'json', 'csv'] as const
const COMPOSITIONS = ['stack', 'inherit'] as const
const SPREADS = ['even', 'none'] as const

export const SIMULATE_FLAGS = {
  log: {
    value: 'FILE',

    summary: 'traffic from an access log, also .gz, - for the standard input; may be repeated',
  },
  'log-format': {
    value: 'FORMAT',
    summary: `${FORMAT_NAMES.join(', ')}, or the text of a log_format; default: by the log itself`,
  },
  field: {
    value: 'VAR=FIELD',

    summary: 'the field of JSON lines that holds a variable: remote_addr=client.ip',
  },
  'max-bad-lines': { value: 'N', summary: 'give up when more than N lines cannot be read' },
  spread: { value: 'HOW', summary: 'logs of whole seconds: even (default) or none, all at once' },
  clients: { value: 'N', summary: 'traffic that nobody logged: so many clients' },
  rate: { value: 'RATE', summary: 'what each client sends, such as 5r/s or 30r/m' },
  for: { value: 'TIME', summary: 'how long, such as 60s, 5m or 1h' },
  shape: { value: 'NAME', summary: `${SHAPES.join(', ')}; default: steady` },
  'burst-every': { value: 'TIME', summary: 'shape burst: how often a client sends what it has; default: 10s' },
  seed: { value: 'N', summary: 'shapes poisson and burst: another seed, other traffic; default: 1' },
  method: { value: 'NAME', summary: 'what clients of a shape send; default: GET' },
  path: { value: 'PATH', summary: 'where to, with arguments if any; default: /' },
  host: { value: 'NAME', summary: 'the host of a shape, or of a log that has none' },
  set: { value: 'VAR=VALUE', summary: 'the value of a variable in all requests: http_x_tenant=acme' },
  route: { value: 'KIND/[NS/]NAME', summary: 'all requests meet this route, or the limits of this Gateway' },
  gateway: { value: '[NS/]NAME', summary: 'whose traffic it is, where there are several Gateways' },
  composition: { value: 'HOW', summary: 'stack or inherit; default: as the settings say, else stack' },
  compare: { value: 'OLD', summary: 'files or folders of another version: who would newly be refused' },
  format: { value: 'NAME', summary: `how to report: ${SIMULATE_FORMATS.join(', ')}` },
  svg: { value: 'FILE', summary: 'write the timeline as a picture too' },
  top: { value: 'N', summary: 'how many refused keys to name of each limit; default: 10' },
  threads: { value: 'N', summary: 'threads that read the log beside the first; default: as there are processors' },
  world: { value: 'NAME', summary: 'the world that is meant, where the settings name several' },
  ...INPUT_FLAGS,
} as const satisfies Flags

export type SimulateFlags = Args<keyof typeof SIMULATE_FLAGS>

/** What the user wants of the traffic. */
export type TrafficFlags =
  | { readonly type: 'log'; readonly files: readonly string[] }
  | { readonly type: 'shape'; readonly shape: Shape; readonly name: string }

/** Reads where the traffic comes from. Throws {@link InputError}. */
export function readTrafficFlags(given: SimulateFlags): TrafficFlags {
  const files = given.values('log')
  if (given.positionals.includes('-') && files.includes('-'))
    throw new InputError('the standard input cannot hold both manifests and a log')
  if (files.length > 0) {
    const odd = (['clients', 'rate', 'for', 'shape', 'path', 'method'] as const).find((flag) => given.has(flag))
    if (odd !== undefined) throw new InputError(`--${odd} makes traffic, and --log has traffic; give one of them`)
    return { type: 'log', files }
  }
  if (!given.has('clients') && !given.has('rate') && !given.has('for'))
    throw new InputError('which traffic? --log FILE, or --clients 20 --rate 5r/s --for 60s')
  return readShape(given)
}

function readShape(given: SimulateFlags): TrafficFlags {
  const clients = readCount(given, 'clients', { least: 1, most: MOST_CLIENTS, fallback: 1 })
  const written = given.value('rate') ?? '1r/s'
  const rate = parseRate(written)
  if (!rate || rate.thousandths < 1 || rate.thousandths > 1e9)
    throw new InputError(`--rate is what one client sends, such as 5r/s or 30r/m; got "${written}"`)
  const duration = readDuration(given, 'for', '60s')
  const name = readChoice('shape', given.value('shape'), SHAPES)
  const shape: Shape = {
    name,
    clients,
    rate: rate.thousandths,
    duration,
    period: readDuration(given, 'burst-every', '10s'),
    seed: readCount(given, 'seed', { least: 0, most: 2 ** 32 - 1, fallback: 1 }),
  }
  const who = clients === 1 ? '1 client' : `${clients.toLocaleString('en')} clients`
  return { type: 'shape', shape, name: `${who} at ${written} for ${given.value('for') ?? '60s'}, ${name}` }
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Milliseconds, at least one. */
function readDuration(given: SimulateFlags, flag: 'for' | 'burst-every', fallback: string): number {
  const text = given.value(flag) ?? fallback
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text)
  const milliseconds = Math.round(Number(match?.[1]) * (UNITS[match?.[2] ?? ''] ?? Number.NaN))
  if (milliseconds >= 1) return milliseconds
  throw new InputError(`--${flag} is a time such as 500ms, 60s, 5m or 1h; got "${text}"`)
}

type Bounds = { readonly least: number; readonly most: number; readonly fallback: number }

/** A whole number within bounds. Throws {@link InputError}. */
export function readCount(
  given: SimulateFlags,
  flag: 'clients' | 'seed' | 'top' | 'threads' | 'max-bad-lines',
  { least, most, fallback }: Bounds,
): number {
  const text = given.value(flag)
  if (text === undefined) return fallback
  const count = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (count >= least && count <= most) return count
  throw new InputError(`--${flag} is a whole number from ${least} to ${most.toLocaleString('en')}; got "${text}"`)
}

/** Reads `NAME=VALUE` flags; names of variables are lower-cased and may have their `$`. Throws {@link InputError}. */
export function readPairs(given: SimulateFlags, flag: 'set' | 'field'): ReadonlyMap<string, string> {
  return new Map(
    given.values(flag).map((text) => {
      const [, name, value] = /^\$?(\w+)=([\s\S]*)$/.exec(text) ?? []
      if (name === undefined || value === undefined)
        throw new InputError(`--${flag} is ${SIMULATE_FLAGS[flag].value}, such as http_x_tenant=acme; got "${text}"`)
      return [name.toLowerCase(), value]
    }),
  )
}

/** How the requests of one second of a log are taken. Throws {@link InputError}. */
export const readSpread = (given: SimulateFlags): 'even' | 'none' =>
  readChoice('spread', given.value('spread'), SPREADS)

/** The settings with what the command line says of them. Throws {@link InputError}. */
export function withSimulateFlags(settings: Settings, given: SimulateFlags): Settings {
  if (!given.has('composition')) return settings
  return { ...settings, composition: readChoice('composition', given.value('composition'), COMPOSITIONS) }
}
