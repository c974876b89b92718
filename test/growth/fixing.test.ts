/** Fixes cost as much as the text in which they are, and SARIF, which shows them, at most as much as the lint again. */
import { describe, it } from 'vitest'
import { createEditor, fixSources } from '../../src/lint/fix.ts'
import { lint } from '../../src/lint/lint.ts'
import type { Source } from '../../src/project/source.ts'
import { json } from '../../src/reports/lint/json.ts'
import { sarif } from '../../src/reports/lint/sarif.ts'
import { context } from '../reports/report.ts'
import { expectAtMost, expectLinear } from './growth.ts'

const policy = (rate: string) => (index: number) =>
  `- apiVersion: gateway.nginx.org/v1alpha1
  kind: RateLimitPolicy
  metadata:
    name: p${index}
    namespace: shop
  spec:
    targetRefs:
    - group: gateway.networking.k8s.io
      kind: HTTPRoute
      name: r${index}
    rateLimit:
      local:
        rules:
        - key: $binary_remote_addr
          rate: ${rate}
`
const list = (size: number, itemAt: (index: number) => string): string =>
  `apiVersion: v1\nkind: List\nitems:\n${Array.from({ length: size }, (_, index) => itemAt(index)).join('')}`

const LISTS: readonly (readonly [string, (size: number) => string])[] = [
  ['block style', (size) => list(size, policy('10R/S'))],
  ['JSON', (size) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects(size) })],
  // No edit of the value that they share fixes one of them alone.
  ['aliases of one value', (size) => list(size, (index) => policy(index === 0 ? '&r 10R/S' : '*r')(index))],
]

const objects = (size: number) =>
  Array.from({ length: size }, (_, index) => ({
    apiVersion: 'gateway.nginx.org/v1alpha1',
    kind: 'RateLimitPolicy',
    metadata: { name: `p${index}`, namespace: 'shop' },
    spec: {
      targetRefs: [{ kind: 'HTTPRoute', name: `r${index}` }],
      rateLimit: { local: { rules: [{ key: '$binary_remote_addr', rate: '10R/S' }] } },
    },
  }))

describe.each(LISTS)('a List of policies that can be fixed, in %s', (_, textOf) => {
  it('shows every fix', () =>
    expectLinear((size) => {
      const outcome = lint([{ file: 'list.yaml', text: textOf(size) }])
      return () => outcome.report.findings.map(createEditor(outcome))
    }, 40))

  it('is fixed', () => {
    const judge = (sources: readonly Source[]) => lint(sources)
    expectLinear((size) => {
      const sources = [{ file: 'list.yaml', text: textOf(size) }]
      const first = judge(sources)
      return () => fixSources(sources, first, { kinds: new Set(['safe']), judge })
    }, 40)
  })
})

it('SARIF of 2,000 findings that can be fixed costs at most twice the JSON, from the text on', () => {
  const sources = [{ file: 'list.yaml', text: list(2000, (index) => policy('10R/S')(index) + SIZE) }]
  const shown = context(sources[0]?.text ?? '')
  const asJson = () => json.render(lint(sources).report, shown)
  const asSarif = () => {
    const outcome = lint(sources)
    return sarif.render(outcome.report, { ...shown, editsOf: createEditor(outcome) })
  }
  expectAtMost(2, asSarif, asJson)
})

const SIZE = '          zoneSize: 10m\n'
