/** The flags of `sluice serve`. */
import type { Given } from './flags.ts'
import { InputError } from './io.ts'

export const SERVE_FLAGS = {
  host: { value: 'ADDRESS', summary: 'where to listen; default: all addresses' },
  port: { value: 'N', summary: 'the port for reviews, over TLS; 0 takes a free one; default: 9443' },
  'health-port': { value: 'N', summary: 'the port for /healthz, /readyz, /metrics; default: 9090' },
  cert: { value: 'FILE', summary: 'the certificate chain (PEM); a new version is taken up without a restart' },
  key: { value: 'FILE', summary: 'its key (PEM)' },
  config: { value: 'FILE', summary: 'settings; a new version is taken up without a restart' },
  kubeconfig: { value: 'FILE', summary: 'the cluster to watch; default: the one in which this runs' },
  standalone: { summary: 'look for no cluster: objects are judged on their own' },
  verbose: { summary: 'log each review, and where a fault of sluice comes from' },
} as const

export type ServeFlags = Given<keyof typeof SERVE_FLAGS>

/** Reads a port; throws {@link InputError}. */
export function readPort(given: ServeFlags, name: 'port' | 'health-port', fallback: number): number {
  const text = given.value(name)
  if (text === undefined) return fallback
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InputError(`--${name} is a number of 0 to 65535; got "${text}"`)
  return Number(text)
}
