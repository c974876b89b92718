/** The flags of `sluice serve`. */
import type { Args } from '../core/flags.ts'
import { InputError } from '../core/io.ts'

/** All flags of `sluice serve`. */
export const SERVE_FLAGS = {
  host: { value: 'ADDRESS', summary: 'address to listen on; default: all addresses' },
  port: { value: 'N', summary: 'for reviews, over TLS; default: 9443; 0: a free port' },
  'health-port': { value: 'N', summary: 'for /healthz, /readyz and /metrics; default: 9090' },
  cert: { value: 'FILE', summary: 'certificate chain (PEM); reloaded when it changes' },
  key: { value: 'FILE', summary: 'its private key (PEM)' },
  config: { value: 'FILE', summary: 'settings; reloaded when they change' },
  kubeconfig: { value: 'FILE', summary: 'the cluster to watch; default: the one this runs in' },
  standalone: { summary: 'use no cluster: judge each object on its own' },
  verbose: { summary: 'log each review, and the stack trace of a fault in sluice' },
} as const

/** The arguments of `sluice serve`. */
export type ServeFlags = Args<keyof typeof SERVE_FLAGS>

/** Reads the port of a flag. Throws {@link InputError}. */
export function readPort(args: ServeFlags, name: 'port' | 'health-port', fallback: number): number {
  const text = args.value(name)
  if (text === undefined) return fallback
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InputError(`--${name} must be a number from 0 to 65535; got "${text}"`)
  return Number(text)
}
