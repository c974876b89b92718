/**
 * The policies of all fixtures, each alone, through the real API server: created and applied on the server, with fields
 * that nobody knows refused or dropped. Who refuses, and whether the lint would.
 */
import { loadAll } from 'js-yaml'
import { expect, test } from 'vitest'
import { RULES } from '../../rules/index.ts'
import { isObject, type JsonObject } from '../../src/json/member.ts'
import { lint } from '../../src/lint/lint.ts'
import type { ReportedFinding } from '../../src/lint/report.ts'
import { readFixtures } from '../fixtures.ts'
import { share } from '../runs.ts'
import { askServer } from './ask.ts'
import { useCluster, useWebhook } from './cluster.ts'
import { ADMIN } from './users.ts'

const cluster = useCluster()
useWebhook(cluster, { flags: () => ['--standalone'], failurePolicy: 'Fail' })

/** How a policy is written, as kubectl does it: `create`, and `apply --server-side`. */
type Way = 'create' | 'apply'
/** What becomes of fields that the schema does not know: `kubectl --validate` and `--validate=false`. */
type Validation = 'Strict' | 'Ignore'

/** Who decides on a new policy, as in a dry run of kubectl. */
async function decider(object: JsonObject, way: Way, validation: Validation) {
  const path = '/apis/gateway.nginx.org/v1alpha1/namespaces/default/ratelimitpolicies'
  const name = isObject(object.metadata) && typeof object.metadata.name === 'string' ? object.metadata.name : ''
  const query = `dryRun=All&fieldValidation=${validation}`
  const body = JSON.stringify(object)
  const { status, text } =
    way === 'create'
      ? await askServer(cluster, `${path}?${query}`, ADMIN, { method: 'POST', body })
      : await askServer(cluster, `${path}/${encodeURIComponent(name)}?${query}&fieldManager=test&force=true`, ADMIN, {
          ...{ method: 'PATCH', type: 'application/apply-patch+yaml', body },
        })
  if (status === 201) return 'nobody'
  return text.includes('admission webhook') ? 'webhook' : 'API server'
}

const OWN: readonly string[] = ['platform', 'names', 'budgets', 'previous']
/** Rules that look at other objects only warn at admission. */
const ALONE = new Set(RULES.filter(({ reads = [] }) => reads.every((read) => OWN.includes(read))).map(({ id }) => id))

/** The errors that the lint finds in an object; what an annotation keeps quiet, no cluster lets through. */
function errorsOf(object: JsonObject): readonly ReportedFinding[] {
  const { findings, suppressed } = lint([{ file: 'policy.json', text: JSON.stringify(object) }]).report
  return [...findings, ...suppressed].filter(({ severity }) => severity === 'error')
}

/** A variable that a snippet may define only warns where no cluster is watched; any other unknown one is refused. */
const isRefused = ({ rule, help }: ReportedFinding): boolean =>
  ALONE.has(rule) || (rule === 'gateway/key-unknown-variable' && !help.includes('define it with map'))

/** Where the API server gets something else to judge than the lint, or judges what no manifest can be blamed for. */
function isOtherwise(object: JsonObject, errors: readonly string[], way: Way, validation: Validation): boolean {
  // A placeholder is filled in before anything reaches a cluster.
  if (/\$\{[A-Z]+\}/.test(JSON.stringify(object.spec))) return true
  // Fields that nobody knows are dropped before anybody is asked, so that required ones may be missing.
  if (way === 'create') return validation === 'Ignore' && errors.includes('gateway/unknown-field')
  const { name, resourceVersion } = isObject(object.metadata) ? object.metadata : {}
  // A null counts as absent, but not where it is applied; nor is there anything to apply without a name, or over a
  // version that is gone.
  return hasNull(object.spec) || name === undefined || resourceVersion !== undefined
}

const hasNull = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.values(value).some(hasNull))

const isOurs = (object: unknown): object is JsonObject =>
  isObject(object) && object.kind === 'RateLimitPolicy' && object.apiVersion === 'gateway.nginx.org/v1alpha1'

/** In the namespace of the request, as kubectl would put it. */
const settle = (object: JsonObject): JsonObject =>
  isObject(object.metadata) ? { ...object, metadata: { ...object.metadata, namespace: 'default' } } : object

function policiesOf(text: string): readonly JsonObject[] {
  try {
    const documents: readonly unknown[] = loadAll(text)
    return documents.filter(isOurs).map(settle)
  } catch {
    return []
  }
}

type Subject = { readonly path: string; readonly object: JsonObject; readonly found: readonly ReportedFinding[] }

const subjects: readonly Subject[] = readFixtures().flatMap(({ path, text }) =>
  policiesOf(text).map((object) => ({ path, object, found: errorsOf(object) })),
)

/** Requests at a time. */
const LANES = 8

const WAYS: readonly [Way, Validation][] = [
  ['create', 'Strict'],
  ['apply', 'Ignore'],
  ['create', 'Ignore'],
  ['apply', 'Strict'],
]

test.each(share(WAYS, 2))(
  'the webhook refuses what the lint calls an error, and nothing else (%s, %s)',
  async (way, validation) => {
    const count = { webhook: 0, 'API server': 0, nobody: 0 }
    const surprises: string[] = []
    const compare = async ({ path, object, found }: Subject) => {
      const errors = found.map(({ rule }) => rule)
      if (isOtherwise(object, errors, way, validation)) return
      const by = await decider(object, way, validation)
      count[by] += 1
      // The schema says nothing of other objects: whatever it refuses, some rule does.
      const expected = by === 'API server' ? found : found.filter(isRefused)
      if ((by === 'nobody') !== (expected.length === 0))
        surprises.push(`${path}: refused by ${by}, errors of the lint: ${errors.join(', ') || 'none'}`)
    }
    const waiting = subjects.values()
    await Promise.all(
      Array.from({ length: LANES }, async () => {
        for (const subject of waiting) await compare(subject)
      }),
    )
    expect(surprises).toEqual([])
    expect(Math.min(...Object.values(count))).toBeGreaterThan(10)
  },
)
