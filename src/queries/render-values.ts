/** What the values of a rendering may be: they are written into nginx.conf as they are. */

/** The name of a backend: `[NAMESPACE/]SERVICE[:PORT]`. */
export const BACKEND_NAME = /^(?:[a-z0-9-]+\/)?[a-z0-9][a-z0-9.-]*(?::\d{1,5})?$/

/** The address of a backend: `HOST:PORT`, or a socket. */
export const BACKEND_ADDRESS = /^(?:(?:[\w.-]+|\[[0-9a-f:.]+\]):\d{1,5}|unix:[\w./+@-]+)$/i

/** A folder of sockets: nginx ends the path of a socket at a colon, and expands variables in it. */
export const SOCKET_FOLDER = /^[\w./+@,~-]+$/

/** A version of nginx: `1.31` or `1.22.1`. */
export const NGINX_VERSION = /^\d{1,4}(?:\.\d{1,4}){1,2}$/

/** Reads an address to listen on, IPv6 with or without brackets; undefined for anything else. */
export function listenAddress(text: string): string | undefined {
  if (text === '' || /^(?:\[[0-9a-f:.]+\]|[\w.-]+|\*)$/i.test(text)) return text
  return /^[0-9a-f:.]+$/i.test(text) ? `[${text}]` : undefined
}
