/** The truth table of automatic injection in docs/mesh.md. */
import { decideInjection } from '../../src/mesh/decide-injection.ts'

const START = '<!-- injection: made by `npm run docs` from src/mesh/decide-injection.ts -->\n'
const END = '<!-- end of injection -->'

const HEAD = ['`isAutoInjectEnabled`', 'namespace enabled', 'namespace disabled', 'sidecar']

const yes = (is: boolean): string => (is ? 'yes' : 'no')

/** Every configuration, for a Pod and a namespace without a label. */
function injectionRows(): readonly (readonly string[])[] {
  const both = [false, true]
  const combinations = [true, false].flatMap((auto) =>
    both.flatMap((enabled) => both.map((disabled) => ({ auto, enabled, disabled }))),
  )
  return combinations.map(({ auto, enabled, disabled }) => {
    const injection = {
      isAutoInjectEnabled: auto,
      enabledNamespaces: enabled ? ['shop'] : [],
      disabledNamespaces: disabled ? ['shop'] : [],
    }
    const { inject } = decideInjection({ config: { injection }, namespace: 'shop' })
    return [auto, enabled, disabled, inject].map(yes)
  })
}

/** Replaces the table between the marks on a page. Throws where the marks are missing. */
export function withInjectionTable(page: string): string {
  const start = page.indexOf(START)
  const end = page.indexOf(END)
  if (start < 0 || end < start) throw new Error('docs/mesh.md has lost the marks of its table')
  const rows = [HEAD, HEAD.map(() => '---'), ...injectionRows()].map((cells) => `| ${cells.join(' | ')} |\n`)
  return page.slice(0, start + START.length) + rows.join('') + page.slice(end)
}
