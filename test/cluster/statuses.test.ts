/** Statuses that the API server takes under the bundled CRD, as under that of NGINX Gateway Fabric 2.4.0 to 2.6.7. */
import { beforeAll, expect } from 'vitest'
import type { JsonObject } from '../../src/json/member.ts'
import { casesOf } from '../support/cases.ts'
import { useCluster } from './cluster.ts'
import { namespace, policy } from './resources.ts'

const cluster = useCluster()
const { each, cases } = casesOf(import.meta.url)

const GOOD = cases<{ readonly ancestor: JsonObject; readonly condition: JsonObject }>('GOOD')

beforeAll(() => cluster.store([namespace('shop'), policy('p', ['HTTPRoute/coffee'], {}, 'shop')]))

/** Writes the status of the policy; returns the field that is refused, or an empty text. */
async function refusedField(ancestors: readonly JsonObject[]): Promise<string> {
  const patch = JSON.stringify({ status: { ancestors } })
  const words = ['patch', 'ratelimitpolicy', 'p', '-n', 'shop', '--subresource=status', '--type=merge', '-p', patch]
  const { code, stderr } = await cluster.kubectl([...words, '--dry-run=server'])
  return code === 0 ? '' : (/status\.ancestors\S*?(?=: )/.exec(stderr)?.[0] ?? stderr)
}

each<[string, JsonObject, string]>('an entry with %s', async (_, change, refused) =>
  expect(await refusedField([{ ...GOOD.ancestor, ...change }])).toBe(refused),
)

each<[string, JsonObject, string]>('a condition with %s', async (_, change, refused) =>
  expect(await refusedField([{ ...GOOD.ancestor, conditions: [{ ...GOOD.condition, ...change }] }])).toBe(refused),
)

each<[number, string]>('%i entries', async (count, refused) =>
  expect(await refusedField(Array.from({ length: count }, () => GOOD.ancestor))).toBe(refused),
)
