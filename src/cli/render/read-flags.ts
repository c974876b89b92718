/** Values of the flags that Gateways and sidecars are rendered with. */
import { BACKEND_ADDRESS, BACKEND_NAME, listenAddress, NGINX_VERSION } from '../../queries/render-values.ts'
import { InputError } from '../core/io.ts'

/** True for the number of a port. */
export const isPort = (number: number): boolean => Number.isInteger(number) && number >= 1 && number <= 65_535

/** Reads `--nginx-version`. Throws {@link InputError}. */
export function readNginxVersion(version: string | undefined): string | undefined {
  if (version === undefined || NGINX_VERSION.test(version)) return version
  throw new InputError(`--nginx-version must be a version such as 1.31 or 1.22.1; got "${version}"`)
}

/** Reads `--listen`. Throws {@link InputError}. */
export function readAddress(text = ''): string {
  const address = listenAddress(text)
  if (address !== undefined) return address
  throw new InputError(`--listen must be an address without a port, such as 127.0.0.1; got "${text}"`)
}

/** Reads `--upstream`. Throws {@link InputError}. */
export function readUpstream(text: string): [name: string, address: string] {
  const at = text.indexOf('=')
  const [name, address] = [text.slice(0, at), text.slice(at + 1)]
  if (at > 0 && BACKEND_NAME.test(name) && BACKEND_ADDRESS.test(address)) return [name, address]
  throw new InputError(`--upstream must be [NS/]SERVICE[:PORT]=HOST:PORT, such as coffee=127.0.0.1:9001; got "${text}"`)
}
