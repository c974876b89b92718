/** What docs/mesh.md lists of automatic injection: which Pods are to get the sidecar, and why some do not. */
import { decideInjection } from '../../src/mesh/decide-injection.ts'
import { REASONS } from '../../src/mesh/inject/left-alone.ts'

const START = '<!-- injection: made by `npm run docs` from src/mesh/decide-injection.ts -->\n'
const END = '<!-- end of injection -->'
const REASONS_START = '<!-- reasons: made by `npm run docs` from src/mesh/inject/left-alone.ts -->\n'
const REASONS_END = '<!-- end of reasons -->'

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

type Marks = { readonly start: string; readonly end: string }

/** Replaces what is between marks on a page. Throws where the marks are missing. */
function between(page: string, { start, end }: Marks, text: string): string {
  const [from, to] = [page.indexOf(start), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error('docs/mesh.md has lost the marks of a table')
  return page.slice(0, from + start.length) + text + page.slice(to)
}

/** Fills in the table, and the reasons. */
export function withInjectionTables(page: string): string {
  const decisions = [HEAD, HEAD.map(() => '---'), ...injectionRows()].map((cells) => `| ${cells.join(' | ')} |\n`)
  const reasons = Object.keys(REASONS).map((reason) => `\`${reason}\``)
  return between(
    between(page, { start: START, end: END }, decisions.join('')),
    { start: REASONS_START, end: REASONS_END },
    `${reasons.join(', ')}.\n`,
  )
}
