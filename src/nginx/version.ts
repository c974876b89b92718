/** Versions of nginx: `1.22.1`, or `1.31` for the newest release of that line. */

/** True where a version comes before another; a part that is missing or not a number counts as the newest. */
export function isOlder(version: string, than: string): boolean {
  const [left, right] = [parts(version), parts(than)]
  for (const [index, part] of left.entries()) {
    const other = right[index] ?? Number.POSITIVE_INFINITY
    if (part !== other) return part < other
  }
  return false
}

function parts(version: string): readonly number[] {
  const numbers = version.split('.').map((part) => (/^\d/.test(part) ? Number.parseInt(part, 10) : undefined))
  return [0, 1, 2].map((index) => numbers[index] ?? Number.POSITIVE_INFINITY)
}

/** How HTTP/2 is switched on: by a parameter of `listen`, or by the directive `http2`, which is new in 1.25.1. */
export type Http2 = 'listen' | 'directive'

/** How HTTP/2 is switched on in a version. */
export const http2Of = (version: string): Http2 => (isOlder(version, '1.25.1') ? 'listen' : 'directive')

/**
 * Milliseconds in which workers that end with a reload answer once more on a connection that was used just before, where the
 * configuration has `keptConnections`; then they close it.
 */
export const keptAfterReload = (version: string): number => (isOlder(version, '1.27.4') ? 0 : 100)

/**
 * What keeps a reload from resetting requests that busy clients send on open connections, of which workers that end close
 * the idle ones. Older versions have nothing like it.
 */
export const keptConnections = (version: string): readonly string[] =>
  keptAfterReload(version) === 0 ? [] : [`keepalive_min_timeout ${keptAfterReload(version)}ms`]
