/** The flags of `sluice serve`. */
import type { Args } from '../core/flags.ts'
import { InputError } from '../core/io.ts'

export const SERVE_FLAGS = {
  host: { value: 'ADDRESS', summary: 'where to listen; default: all addresses' },
  port: { value: 'N', summary: 'for reviews, over TLS; default: 9443, 0: a free one' },
  'health-port': { value: 'N', summary: 'for /healthz, /readyz and /metrics; default: 9090' },
  cert: { value: 'FILE', summary: 'certificate chain (PEM); new versions are taken up' },
  key: { value: 'FILE', summary: 'its key (PEM)' },
  config: { value: 'FILE', summary: 'settings; new versions are taken up' },
  kubeconfig: { value: 'FILE', summary: 'the cluster to watch; default: where this runs' },
  standalone: { summary: 'look for no cluster: objects stand alone' },
  verbose: { summary: 'log each review, and where faults come from' },
} as const

export type ServeFlags = Args<keyof typeof SERVE_FLAGS>

/** Reads a port; throws {@link InputError}. */
export function readPort(given: ServeFlags, name: 'port' | 'health-port', fallback: number): number {
  const text = given.value(name)
  if (text === undefined) return fallback
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InputError(`--${name} must be a number from 0 to 65535; got "${text}"`)
  return Number(text)
}
