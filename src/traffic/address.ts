/** Addresses of clients in logs. Source: nginx, `$remote_addr`; RFC 4291. */

const IPV4 = /^(?:\d{1,3}\.){3}\d{1,3}$/
const IPV6 = /^(?=[^:]*:[^:]*:)[\da-f:]+(?:\.[\d.]*)?$/i
/** Other proxies log the port of the client too. */
const WITH_PORT = /^(?:((?:\d{1,3}\.){3}\d{1,3})|\[([\da-f:.]+)\]):\d{1,5}$/i

/** An address without the port behind it; any other text as it is. */
export function withoutPort(address: string): string {
  const match = address.includes(':') ? WITH_PORT.exec(address) : null
  return match?.[1] ?? match?.[2] ?? address
}

/** The port behind an address; empty where there is none. */
export const portBehind = (address: string): string => (WITH_PORT.test(address) ? address.replace(/^.*:/, '') : '')

/** True for an IPv4 or IPv6 address, and for `unix:`, which nginx writes for clients of a Unix socket. */
export const isClientAddress = (text: string): boolean => IPV4.test(text) || IPV6.test(text) || text === 'unix:'

/** The last address of `X-Forwarded-For`: the one that the proxy has added. */
export const lastForwarded = (header: string): string => withoutPort(header.slice(header.lastIndexOf(',') + 1).trim())
