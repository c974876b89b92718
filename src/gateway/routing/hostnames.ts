/** Hostnames of listeners and routes. Source: Gateway API, `Hostname` of a listener and `hostnames` of a route. */

/** The hostname that stands for every host. */
export const ANY_HOST = ''

/**
 * The hostnames under which a route answers on a listener; {@link ANY_HOST} where neither names one. Empty where they
 * have none in common. `*.shop.example` covers every name that ends so, at any depth, and not `shop.example` itself.
 */
export function commonHostnames(listener: string | undefined, route: readonly string[]): readonly string[] {
  if (route.length === 0) return [listener || ANY_HOST]
  if (!listener) return [...new Set(route)]
  return [...new Set(route.flatMap((hostname) => narrower(listener, hostname) ?? []))]
}

/** The more specific of two hostnames, or undefined where no host has both. */
function narrower(a: string, b: string): string | undefined {
  if (a === b || covers(a, b)) return b
  return covers(b, a) ? a : undefined
}

const covers = (wide: string, narrow: string): boolean => wide.startsWith('*.') && narrow.endsWith(wide.slice(1))
