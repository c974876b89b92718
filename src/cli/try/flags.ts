/** The flags of `sluice try`, and what they ask for: everything wrong with them is reported before a file is read. */
import { parseRate } from '../../limits/rate.ts'
import { BACKEND_ADDRESS } from '../../queries/render-values.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Shape } from '../../traffic/shape.ts'
import { parseDuration, shapeTitle } from '../../traffic/shape-text.ts'
import type { Args, Flags } from '../core/flags.ts'
import { COMPOSITIONS, INPUT_FLAGS, readChoice, readComposition } from '../core/inputs.ts'
import { InputError } from '../core/io.ts'

const FORMATS = ['text', 'json'] as const

const { 'closed-world': _, ...READ_FLAGS } = INPUT_FLAGS

export const FLAGS = {
  gateway: { value: '[NS/]NAME', summary: 'only this Gateway, if there are several' },
  port: { value: 'N', summary: 'the port of the first listener; the others take free ones' },
  upstream: { value: 'URL', summary: 'where requests go: http://HOST:PORT; default: a built-in echo' },
  'nginx-bin': { value: 'PATH', summary: 'the nginx to run; default: the one on PATH' },
  whole: { summary: 'one refused policy keeps the whole new version out' },
  composition: {
    value: 'MODE',
    choices: COMPOSITIONS,
    summary: 'stack or inherit; default: as in the settings, else stack',
  },
  load: { value: 'RATE', summary: 'send requests, such as 20r/s, and compare with simulate' },
  clients: {
    value: 'N',
    needs: ['load'],
    summary: 'clients that share the rate, each with an address; default: 1',
  },
  for: { value: 'TIME', needs: ['load'], summary: 'how long, such as 30s; then try ends; default: 10s' },
  path: { value: 'PATH', needs: ['load'], summary: 'the path of the requests; default: that of the first route' },
  host: { value: 'NAME', needs: ['load'], summary: 'the host of the requests; default: that of the first route' },
  format: { value: 'NAME', choices: FORMATS, summary: `output format: ${FORMATS.join(', ')}; the JSON is a contract` },
  world: { value: 'NAME', summary: 'the world to try, if the settings define several' },
  ...READ_FLAGS,
} as const satisfies Flags

/** The flags of a command line. */
export type TryArgs = Args<keyof typeof FLAGS>

/** Traffic to send. */
export type LoadOptions = {
  readonly shape: Shape
  /** In words. */
  readonly name: string
  readonly path: string | undefined
  readonly host: string | undefined
}

/** What the flags ask for. */
export type TryOptions = {
  readonly format: (typeof FORMATS)[number]
  readonly port: number | undefined
  /** `HOST:PORT` */
  readonly upstream: string | undefined
  readonly nginx: string
  readonly whole: boolean
  readonly composition: Settings['composition'] | undefined
  readonly load: LoadOptions | undefined
}

/** Reads the flags. Throws {@link InputError}. */
export function readOptions(args: TryArgs): TryOptions {
  if (args.positionals.includes('-')) throw new InputError('try watches files: use it without the standard input (-)')
  return {
    format: readChoice('format', args.value('format'), FORMATS),
    port: readPort(args.value('port')),
    upstream: readUpstream(args.value('upstream')),
    nginx: args.value('nginx-bin') ?? 'nginx',
    whole: args.has('whole'),
    composition: readComposition(args),
    load: args.has('load') ? readLoad(args) : undefined,
  }
}

function readPort(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port >= 1 && port <= 65_535) return port
  throw new InputError(`--port must be a port from 1 to 65535, such as 8080; got "${text}"`)
}

function readUpstream(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const [, host, port = '80'] = /^http:\/\/([\w.-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?\/?$/i.exec(text) ?? []
  const address = `${host}:${port}`
  if (host !== undefined && BACKEND_ADDRESS.test(address)) return address
  throw new InputError(`--upstream must be a URL without a path, such as http://127.0.0.1:3000; got "${text}"`)
}

/** The most clients: addresses of this machine beside 127.0.0.1. */
const MOST_CLIENTS = 1_000
const MOST_PER_SECOND = 10_000

function readLoad(args: TryArgs): LoadOptions {
  const written = args.value('load') ?? ''
  const rate = parseRate(written)
  if (!rate || rate.thousandths < 1 || rate.thousandths > MOST_PER_SECOND * 1000)
    throw new InputError(
      `--load must be the rate of all clients together, such as 20r/s, up to ${MOST_PER_SECOND}r/s; got "${written}"`,
    )
  const clients = readClients(args.value('clients') ?? '1')
  const time = args.value('for') ?? '10s'
  const duration = parseDuration(time)
  if (duration === undefined) throw new InputError(`--for must be a time such as 30s or 5m; got "${time}"`)
  const path = args.value('path')
  if (path !== undefined && !/^\/[\x21-\x7e]*$/.test(path))
    throw new InputError(`--path must begin with a slash, and have no spaces; got "${path}"`)
  const host = args.value('host')
  if (host !== undefined && !/^[\w.-]+$/.test(host))
    throw new InputError(`--host must be the name of a host, such as shop.example; got "${host}"`)
  const shape: Shape = {
    name: 'steady',
    clients,
    rate: rate.thousandths / clients,
    duration,
    period: duration,
    seed: 1,
  }
  return { shape, name: shapeTitle(clients, `${written} together`, time, 'steady'), path, host }
}

function readClients(text: string): number {
  const clients = /^\d{1,6}$/.test(text) ? Number(text) : 0
  if (clients >= 1 && clients <= MOST_CLIENTS) return clients
  throw new InputError(`--clients must be a whole number from 1 to ${MOST_CLIENTS.toLocaleString('en')}; got "${text}"`)
}
