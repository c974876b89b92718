/** The flags of `sluice serve`. */
import { isIP } from 'node:net'
import { nearest } from '../../text/nearest.ts'
import type { Args } from '../core/flags.ts'
import { InputError } from '../core/io.ts'

/** Flags that several servers have. */
const SHARED = {
  host: { value: 'ADDRESS', summary: 'address to listen on; default: all addresses, with --plain-http 127.0.0.1' },
  port: {
    value: 'N',
    summary:
      'for reviews or an API; default: 9443, 8443, studio 8080; 0: a free port; controller: for the first listener of a Gateway',
  },
  'health-port': { value: 'N', summary: 'for /healthz, /readyz and /metrics; default: 9090' },
  config: { value: 'FILE', summary: 'settings; reloaded when they change' },
  kubeconfig: { value: 'FILE', summary: 'the cluster to watch; default: the one this runs in' },
  verbose: { summary: 'log each review or write, and the stack trace of a fault in sluice' },
} as const

const ADMISSION = {
  cert: {
    value: 'FILE',
    summary: 'admission, api-management, mesh: certificate chain (PEM); reloaded when it changes',
  },
  key: { value: 'FILE', summary: 'admission, api-management, mesh: its private key (PEM)' },
  'client-ca': { value: 'FILE', summary: 'admission: authorities (PEM) of clients; others are refused; reloaded' },
  workers: { value: 'N', summary: 'admission: processes that share the port, 1 to 64; default: 1' },
  standalone: { summary: 'admission, mesh: use no cluster; admission: judge each object on its own' },
  mesh: { summary: 'admission: also add the sidecar of the service mesh to new Pods' },
  'mesh-namespace': {
    value: 'NAME',
    needs: ['mesh'],
    summary: 'admission: where the configuration of the mesh is; default: nginx-mesh',
  },
} as const

const CONTROLLER = {
  'controller-name': {
    value: 'NAME',
    summary: 'controller: its name, in classes and statuses; default: NGINX Gateway Fabric',
  },
  'status-only-for': { value: 'NAME', summary: 'controller: write statuses for the Gateways of this other controller' },
  namespace: { value: 'NAME', summary: 'controller: where its Lease is; default: the one this runs in' },
} as const

/** The nginx of a server that has one. */
const NGINX = {
  'nginx-dir': {
    value: 'DIR',
    summary:
      'controller: run an nginx for each Gateway, in a folder below this one; api-management: one in this folder',
  },
  'nginx-bin': { value: 'PATH', needs: ['nginx-dir'], summary: 'the nginx to run; default: the one on PATH' },
} as const

const API_MANAGEMENT = {
  state: {
    value: 'FILE',
    summary:
      'api-management: where everything is stored; default: sluice.db; mesh: the configuration; default: mesh-config.json',
  },
  'base-path': { value: 'PATH', summary: 'api-management: what every path begins with, such as /api/acm/v1' },
  'admin-password-file': {
    value: 'FILE',
    summary: 'api-management: the password of the user admin; default: a one-time password, which is printed',
  },
  jwks: {
    value: 'FILE|URL',
    summary: 'api-management: public keys of tokens (JSON Web Key Set); read again when they change',
  },
  'jwt-issuer': { value: 'NAME', needs: ['jwks'], summary: 'api-management: who signs tokens (their claim iss)' },
  'jwt-audience': {
    value: 'NAME',
    needs: ['jwks'],
    summary: 'api-management: for whom they must be (their claim aud)',
  },
  'plain-http': { summary: 'api-management: serve HTTP without TLS; only on a loopback address' },
  'nginx-port': { value: 'N', needs: ['nginx-dir'], summary: 'api-management: port of its nginx; default: 8080' },
  'nginx-host': {
    value: 'ADDRESS',
    needs: ['nginx-dir'],
    summary: 'api-management: address of its nginx; default: that of --host',
  },
  'nginx-grpc-port': {
    value: 'N',
    needs: ['nginx-dir'],
    summary: 'api-management: port for gRPC without TLS, which an nginx before 1.25.1 needs',
  },
  'nginx-cert': {
    value: 'FILE',
    needs: ['nginx-dir'],
    summary: 'api-management: TLS for its nginx (PEM)',
  },
  'nginx-key': { value: 'FILE', needs: ['nginx-cert'], summary: 'api-management: the private key of that (PEM)' },
  'nginx-client-ca': {
    value: 'FILE',
    needs: ['nginx-cert'],
    summary: 'api-management: authorities (PEM) whose client certificates are consumers',
  },
  'nginx-hop': {
    value: 'SOCKET',
    needs: ['nginx-dir'],
    summary: 'api-management: Unix socket for a program that authenticates clients',
  },
} as const

const MESH = {
  'token-file': {
    value: 'FILE',
    needs: ['standalone'],
    summary: 'mesh: the token that clients send; default: a new one, which is printed',
  },
} as const

/** The page has no settings, and nothing to probe. */
const STUDIO = { host: SHARED.host, port: SHARED.port, verbose: SHARED.verbose }

/** All flags of `sluice serve`. */
export const SERVE_FLAGS = { ...SHARED, ...ADMISSION, ...CONTROLLER, ...NGINX, ...API_MANAGEMENT, ...MESH }

type FlagName = keyof typeof SERVE_FLAGS

const namesOf = (flags: object): readonly string[] => Object.keys(flags)

/** The flags of each server. */
const SERVERS = {
  admission: [...namesOf(SHARED), ...namesOf(ADMISSION)],
  controller: [...namesOf(SHARED), ...namesOf(CONTROLLER), ...namesOf(NGINX)],
  'api-management': [
    ...['host', 'port', 'health-port', 'config', 'verbose', 'cert', 'key'],
    ...namesOf(NGINX),
    ...namesOf(API_MANAGEMENT),
  ],
  mesh: [
    ...['host', 'port', 'health-port', 'config', 'kubeconfig', 'verbose', 'cert', 'key', 'standalone', 'state'],
    ...namesOf(MESH),
  ],
  studio: namesOf(STUDIO),
} as const

/** Which server the arguments name. Throws {@link InputError} for another one, and for a flag that it does not have. */
export function readServer(args: ServeFlags): keyof typeof SERVERS {
  const [what = '', ...others] = args.positionals
  const isServer = (name: string): name is keyof typeof SERVERS => Object.hasOwn(SERVERS, name)
  if (!isServer(what) || others.length > 0) {
    const meant = others.length > 0 ? undefined : nearest(what, Object.keys(SERVERS))
    throw new InputError(
      meant === undefined
        ? `what to serve? ${all((name) => `"sluice serve ${name}"`)}`
        : `unknown server "${what}"; did you mean "sluice serve ${meant}"?`,
    )
  }
  for (const name of Object.keys(SERVE_FLAGS) as FlagName[]) {
    if (!args.has(name) || SERVERS[what].includes(name)) continue
    throw new InputError(`--${name} is a flag of ${all((server) => `"sluice serve ${server}"`, name)}`)
  }
  return what
}

/** The servers as a list in words: all, or those that have a flag. */
function all(show: (server: string) => string, flag?: string): string {
  const servers = Object.entries(SERVERS).filter(([, flags]) => flag === undefined || flags.includes(flag))
  return servers.map(([name]) => show(name)).join(' or ')
}

/** The arguments of `sluice serve`. */
export type ServeFlags = Args<keyof typeof SERVE_FLAGS>

/** True for an address that no other machine reaches. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

type PortFlag = 'port' | 'health-port' | 'nginx-port' | 'nginx-grpc-port'

/** Reads the port of a flag. Throws {@link InputError}. */
export function readPort(args: ServeFlags, name: PortFlag, fallback: number): number {
  const text = args.value(name)
  if (text === undefined) return fallback
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InputError(`--${name} must be a number from 0 to 65535; got "${text}"`)
  return Number(text)
}

/** Reads `--workers`. Throws {@link InputError}. */
export function readWorkers(args: ServeFlags): number {
  const text = args.value('workers') ?? '1'
  if (!/^[1-9]\d?$/.test(text) || Number(text) > MOST_WORKERS)
    throw new InputError(`--workers must be a number from 1 to ${MOST_WORKERS}; got "${text}"`)
  return Number(text)
}

const MOST_WORKERS = 64
