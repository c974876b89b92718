/** Addresses of backends that nothing goes to: most likely misspelt. */
import type { Rendered } from '../gateway/render/render.ts'
import { nearest } from '../text/nearest.ts'

/** Says which `--upstream` is of no use, and what may be meant; undefined where all are. */
export function unusedAddress(
  addresses: ReadonlyMap<string, string>,
  rendered: readonly Pick<Rendered, 'backends' | 'used'>[],
): string | undefined {
  const used = new Set(rendered.flatMap((one) => [...one.used]))
  const unused = [...addresses.keys()].find((name) => !used.has(name))
  if (unused === undefined) return undefined
  const backends = rendered.flatMap((one) => [...one.backends])
  const meant = nearest(unused, backends.flatMap(spellings))
  const hint = meant === undefined ? `there is ${backends.sort().join(', ') || 'none'}` : `did you mean ${meant}?`
  return `--upstream ${unused}: no rule has such a backend; ${hint}`
}

/** Every way to name a backend `NAMESPACE/SERVICE:PORT`. */
function spellings(full: string): readonly string[] {
  const withoutPort = full.slice(0, full.lastIndexOf(':'))
  return [withoutPort, full].flatMap((name) => [name.slice(name.indexOf('/') + 1), name])
}
