/** The routes without any limit, as text and as JSON. */
import type { UncoveredResult } from '../queries/uncovered.ts'
import { counted } from '../text/plural.ts'
import { escapeUnsafe } from './characters.ts'
import { createPaint } from './style.ts'

/** One line for each route, why the policies on it do not count, and a summary. */
export function uncoveredText({ uncovered, others }: UncoveredResult, { color }: { readonly color: boolean }): string {
  const paint = createPaint(color)
  const lines = uncovered.flatMap(({ kind, namespace, name, world, certain, gateways, notInForce }) => {
    const route = `${kind}/${[namespace, name].filter((part) => part !== '').join('/')}`
    const behind = gateways.map((gateway) => [gateway.namespace, gateway.name].filter((part) => part !== '').join('/'))
    const where = `behind ${behind.join(', ')}${world === null ? '' : ` in world ${world}`}`
    return [
      `${paint('strong', escapeUnsafe(route))}  ${escapeUnsafe(where)}${certain ? '' : paint('faint', '  unless other manifests limit it')}`,
      ...notInForce.map(
        (policy) => `  ${escapeUnsafe(`${policy.namespace}/${policy.name} is not in force: ${policy.message}`)}`,
      ),
    ]
  })
  const total = uncovered.length + others.covered
  const rest = [
    others.exempt > 0 ? `${others.exempt} meant to have none` : '',
    others.redirects > 0 ? `${others.redirects} that only redirect` : '',
    others.unserved > 0 ? `${others.unserved} that no Gateway serves` : '',
  ].filter((part) => part !== '')
  const summary = `${uncovered.length} of ${counted(total, 'route')} without a limit${rest.length > 0 ? `; also ${rest.join(', ')}` : ''}`
  return [...lines, ...(lines.length > 0 ? [''] : []), summary].map((line) => `${line}\n`).join('')
}

/** The JSON, version 1. */
export const uncoveredJson = (result: UncoveredResult): string => `${JSON.stringify(result, null, 2)}\n`
