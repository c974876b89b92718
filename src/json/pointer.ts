/** JSON Pointer (RFC 6901). */

/** Escapes one reference token: `~` becomes `~0`, `/` becomes `~1`. */
export const escapeToken = (token: string | number): string => String(token).replaceAll('~', '~0').replaceAll('/', '~1')

/** Splits a pointer into its tokens; the empty pointer has none. */
export function pointerTokens(pointer: string): readonly string[] {
  if (pointer === '') return []
  const tokens = pointer.slice(1).split('/')
  return pointer.includes('~') ? tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')) : tokens
}

/** The pointer of the parent; the root is its own. */
export const parentPointer = (pointer: string): string => pointer.slice(0, Math.max(0, pointer.lastIndexOf('/')))

/** The index that a reference token names in an array; undefined where it is not one. */
export const tokenIndex = (token: string): number | undefined =>
  /^(?:0|[1-9]\d*)$/.test(token) ? Number(token) : undefined

/** The value at a pointer, or undefined where there is none. */
export function valueAt(root: unknown, pointer: string): unknown {
  let value = root
  for (const token of pointerTokens(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) return undefined
    value = Reflect.get(value, token)
  }
  return value
}

const PLAIN_NAME = /^[A-Za-z_][\w-]*$/

/** The path that Kubernetes prints for a pointer: `spec.rateLimit.local.rules[2].key`; `<root>` for the root. */
export function fieldPath(pointer: string): string {
  let path = ''
  for (const token of pointerTokens(pointer)) {
    if (/^\d+$/.test(token)) path += `[${token}]`
    else if (PLAIN_NAME.test(token)) path += path === '' ? token : `.${token}`
    else path += `[${JSON.stringify(token)}]`
  }
  return path || '<root>'
}
