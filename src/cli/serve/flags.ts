/** The flags of each server of `sluice serve`, and how their values are read. */
import { isIP } from 'node:net'
import type { Args } from '../core/flags.ts'
import { InputError } from '../core/io.ts'

const HOST = { value: 'ADDRESS', summary: 'address to listen on; default: all addresses' } as const
const HEALTH_PORT = { value: 'N', summary: 'for /healthz, /readyz and /metrics; default: 9090' } as const
const SETTINGS = { value: 'FILE', summary: 'settings; reloaded when they change' } as const
const SETTINGS_AT_START = { value: 'FILE', summary: 'settings; read when the server starts' } as const
const KUBECONFIG = { value: 'FILE', summary: 'the cluster to watch; default: the one this runs in' } as const
const API_PORT = { value: 'N', summary: 'for the API; default: 8443; 0: a free port' } as const
const NGINX_BIN = {
  ...{ value: 'PATH', needs: ['nginx-dir'] },
  summary: 'the nginx to run; default: the one on PATH',
} as const

const STOP_NGINX = {
  needs: ['nginx-dir'],
  summary: 'end nginx with the server; default: it goes on serving, and the next server takes it over',
} as const

const CERTIFICATE = {
  cert: { value: 'FILE', summary: 'certificate chain (PEM); reloaded when it changes' },
  key: { value: 'FILE', summary: 'its private key (PEM)' },
} as const

const verbose = (what: string) => ({ summary: `log ${what}, and the stack trace of a fault in sluice` })

export const ADMISSION_FLAGS = {
  host: HOST,
  port: { value: 'N', summary: 'for reviews; default: 9443; 0: a free port' },
  'health-port': HEALTH_PORT,
  ...CERTIFICATE,
  'client-ca': { value: 'FILE', summary: 'authorities (PEM) of clients; others are refused; reloaded' },
  config: SETTINGS,
  kubeconfig: KUBECONFIG,
  standalone: { summary: 'use no cluster: judge each object on its own' },
  workers: { value: 'N', summary: 'processes that share the port, 1 to 64; default: 1' },
  mesh: { summary: 'also add the sidecar of the service mesh to new Pods' },
  'mesh-namespace': {
    ...{ value: 'NAME', needs: ['mesh'] },
    summary: 'where the configuration of the mesh is; default: nginx-mesh',
  },
  verbose: verbose('each review'),
} as const

export const CONTROLLER_FLAGS = {
  host: HOST,
  port: { value: 'N', summary: 'for the first listener of a Gateway; default: its own port' },
  'health-port': HEALTH_PORT,
  config: SETTINGS,
  kubeconfig: KUBECONFIG,
  namespace: { value: 'NAME', summary: 'where its Lease is; default: the one this runs in' },
  'controller-name': { value: 'NAME', summary: 'its name, in classes and statuses; default: NGINX Gateway Fabric' },
  'status-only-for': { value: 'NAME', summary: 'write statuses for the Gateways of this other controller' },
  'nginx-dir': { value: 'DIR', summary: 'run an nginx for each Gateway, in a folder below this one' },
  'nginx-bin': NGINX_BIN,
  'stop-nginx': STOP_NGINX,
  verbose: verbose('each write'),
} as const

export const API_MANAGEMENT_FLAGS = {
  host: { value: 'ADDRESS', summary: 'address to listen on; default: all addresses, with --plain-http 127.0.0.1' },
  port: API_PORT,
  'health-port': HEALTH_PORT,
  'base-path': { value: 'PATH', summary: 'what every path begins with, such as /api/acm/v1' },
  ...CERTIFICATE,
  'plain-http': { summary: 'serve HTTP without TLS; only on a loopback address' },
  state: { value: 'FILE', summary: 'where everything is stored; default: sluice.db' },
  config: SETTINGS_AT_START,
  'admin-password-file': {
    value: 'FILE',
    summary: 'the password of the user admin; default: a one-time password, which is printed',
  },
  jwks: { value: 'FILE|URL', summary: 'public keys of tokens (JSON Web Key Set); read again when they change' },
  'jwt-issuer': { value: 'NAME', needs: ['jwks'], summary: 'who signs tokens (their claim iss)' },
  'jwt-audience': { value: 'NAME', needs: ['jwks'], summary: 'for whom they must be (their claim aud)' },
  'oidc-issuer': { value: 'URL', summary: 'people may sign in at this OpenID Connect provider, too' },
  'oidc-client-id': { value: 'NAME', needs: ['oidc-issuer'], summary: 'what this server is called there' },
  'oidc-client-secret-file': {
    ...{ value: 'FILE', needs: ['oidc-issuer'] },
    summary: 'its secret there; default: it has none',
  },
  'oidc-claims': {
    ...{ value: 'FILE', needs: ['oidc-issuer'] },
    summary: 'which claims give the name and the roles (JSON); default: sub and roles',
  },
  'oidc-name': { value: 'TEXT', needs: ['oidc-issuer'], summary: 'what people call the provider; default: its host' },
  'public-url': {
    ...{ value: 'URL', needs: ['oidc-issuer'] },
    summary: 'where browsers find the page; default: as they say',
  },
  'nginx-dir': { value: 'DIR', summary: 'run an nginx in this folder, which serves the proxies' },
  'nginx-bin': NGINX_BIN,
  'stop-nginx': STOP_NGINX,
  'nginx-port': { value: 'N', needs: ['nginx-dir'], summary: 'port of its nginx; default: 8080' },
  'nginx-host': {
    ...{ value: 'ADDRESS', needs: ['nginx-dir'] },
    summary: 'address of its nginx; default: that of --host',
  },
  'nginx-grpc-port': {
    ...{ value: 'N', needs: ['nginx-dir'] },
    summary: 'port for gRPC without TLS, which an nginx before 1.25.1 needs',
  },
  'nginx-cert': { value: 'FILE', needs: ['nginx-dir'], summary: 'TLS for its nginx (PEM)' },
  'nginx-key': { value: 'FILE', needs: ['nginx-cert'], summary: 'the private key of that (PEM)' },
  'nginx-client-ca': {
    ...{ value: 'FILE', needs: ['nginx-cert'] },
    summary: 'authorities (PEM) whose client certificates are consumers',
  },
  'nginx-hop': {
    ...{ value: 'SOCKET', needs: ['nginx-dir'] },
    summary: 'Unix socket for a program that authenticates clients',
  },
  verbose: verbose('more'),
} as const

export const MESH_FLAGS = {
  host: HOST,
  port: API_PORT,
  'health-port': HEALTH_PORT,
  ...CERTIFICATE,
  config: SETTINGS_AT_START,
  kubeconfig: KUBECONFIG,
  standalone: { summary: 'use no cluster: keep the configuration in a file' },
  state: { value: 'FILE', summary: 'with --standalone: the configuration; default: mesh-config.json' },
  'token-file': {
    ...{ value: 'FILE', needs: ['standalone'] },
    summary: 'the token that clients send; default: a new one, which is printed',
  },
  verbose: verbose('each request'),
} as const

/** The page has no settings, and nothing to probe. */
export const STUDIO_FLAGS = {
  host: { value: 'ADDRESS', summary: 'loopback address to listen on; default: 127.0.0.1' },
  port: { value: 'N', summary: 'default: 8080; 0: a free port' },
  verbose: { summary: 'show the stack trace of a fault in sluice' },
} as const

/** True for an address that no other machine reaches. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** Reads the port of a flag. Throws {@link InputError}. */
export function readPort<Name extends string>({ value }: Args<Name>, name: Name, fallback: number): number {
  const text = value(name)
  if (text === undefined) return fallback
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InputError(`--${name} must be a number from 0 to 65535; got "${text}"`)
  return Number(text)
}

export type AdmissionArgs = Args<keyof typeof ADMISSION_FLAGS>
export type ControllerArgs = Args<keyof typeof CONTROLLER_FLAGS>
export type ApiManagementArgs = Args<keyof typeof API_MANAGEMENT_FLAGS>
export type MeshArgs = Args<keyof typeof MESH_FLAGS>
export type StudioArgs = Args<keyof typeof STUDIO_FLAGS>
