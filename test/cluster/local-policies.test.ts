/** The policies of settings in the real API server: it says of random policies what `lint` says. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { admissionPolicies } from '../../src/installation/admission-policies.ts'
import { isObject, type JsonObject } from '../../src/json/member.ts'
import { lint } from '../../src/lint/lint.ts'
import { errorsOfPolicies, RULE_IDS } from '../../src/registry.ts'
import { readSettings } from '../../src/settings/file.ts'
import { DEFAULT_PROJECT } from '../../src/settings/settings.ts'
import { countOf, printCount, SEED } from '../nginx/counts.ts'
import { policiesFor } from '../nginx/policy-grammar.ts'
import { mutatedPolicy } from '../rules/policies.ts'
import { useCluster } from './cluster.ts'
import { type Answer, isDenied, withMetadata } from './policy-requests.ts'
import { laxCrd, limited, namespace, until } from './resources.ts'

const outcome = readSettings(
  readFileSync(new URL('local-policies.yaml', import.meta.url), 'utf8'),
  RULE_IDS,
  undefined,
  { errorsOfPolicies },
)
if (!outcome.ok) throw new Error(JSON.stringify(outcome.problems))
const { policies } = outcome.project.settings
/** The vendor in the group of a CRD that accepts everything. */
const VENDOR = 'local'
const settings = {
  ...DEFAULT_PROJECT.settings,
  policies,
  apiGroups: { ...DEFAULT_PROJECT.settings.apiGroups, vendor: VENDOR },
}

/** A policy of that group. */
const ofGroup = (object: JsonObject): JsonObject => ({ ...object, apiVersion: `gateway.${VENDOR}.org/v1alpha1` })

/** In one namespace they deny, in the other every one of them warns. */
const SPACES = ['deny', 'warn'] as const
const { kubectl, store, write } = useCluster({ objects: SPACES.map((space) => namespace(`local-${space}`)) })

const exported = SPACES.flatMap((enforce) =>
  admissionPolicies({
    ...{ ...DEFAULT_PROJECT, settings, enforce },
    namespaces: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: [`local-${enforce}`] }],
  })
    .objects.filter(({ metadata }) => metadata.name.startsWith('sluice-local-'))
    .map(({ spec, metadata, ...rest }) => {
      const name = `${metadata.name}-${enforce}`
      return {
        ...rest,
        metadata: { ...metadata, name },
        spec: isObject(spec) && spec.policyName ? { ...spec, policyName: name } : spec,
      }
    }),
)

beforeAll(async () => {
  await store([laxCrd(VENDOR)])
  const crd = `ratelimitpolicies.gateway.${VENDOR}.org`
  await until(`the API server serves ${crd}`, async () => (await kubectl(`get ${crd} -A`)).code === 0)
  await store(exported)
  const broken = ofGroup({ ...limited('z', {}, 'local-warn'), spec: { rateLimit: { dryRun: true, rejectCode: 1 } } })
  await until('all are in force', async () => {
    const { warnings } = await write('POST', broken)
    return new Set(warnings.flatMap(rulesIn)).size >= 8
  })
})

/** The rules that a text names, by their policies. */
const rulesIn = (text: string): readonly string[] =>
  [...text.matchAll(/'sluice-local-([a-z-]+?)-(?:deny|warn)'/g)].map(([, name]) => `local/${name}`)

const sorted = (ids: Iterable<string>): readonly string[] => [...new Set(ids)].sort()

/** What `lint` says: which rules, and whether one of severity error is among them. */
function verdictOf(object: JsonObject) {
  const { findings } = lint([{ object }], { settings }).report
  const rules = sorted(findings.map(({ rule }) => rule).filter((rule) => rule.startsWith('local/')))
  const errors = rules.filter((rule) =>
    policies.some(({ name, severity }) => severity === 'error' && rule === `local/${name}`),
  )
  return { rules, isDenied: errors.length > 0, errors }
}

const NGINX = { path: 'nginx', version: '1.31.3', built: '' }

it('every verdict is that of lint', async () => {
  const numRuns = countOf('SLUICE_CASES', 300)
  const drafts = [policiesFor(NGINX), mutatedPolicy]
    .flatMap((one) => fc.sample(one, { numRuns, seed: SEED }))
    .flatMap((one): JsonObject[] => (isObject(one) ? [one] : []))
  const count = { denied: 0, allowed: 0, findings: 0, refusedBefore: 0 }
  const wrong: unknown[] = []
  const accepted = ({ status }: Answer) => status === 201
  for (const [index, draft] of drafts.entries()) {
    const inSpace = (space: string) =>
      ofGroup(withMetadata(draft, { name: `${'abcdefgh'.charAt(index % 8)}${index}`, namespace: `local-${space}` }))
    const ask = (space: string) => write('POST', inSpace(space))
    const [denying, warning] = [await ask('deny'), await ask('warn')]
    if (!(accepted(denying) || isDenied(denying)) || !accepted(warning)) {
      count.refusedBefore += 1
      continue
    }
    const object = inSpace('warn')
    const { rules, errors, isDenied: expected } = verdictOf(object)
    const said = sorted(warning.warnings.flatMap(rulesIn))
    const isSame = isDenied(denying) === expected && rulesIn(denying.message).every((rule) => errors.includes(rule))
    if (!isSame || said.join() !== rules.join())
      wrong.push({ rules, said, denial: denying.message, warnings: warning.warnings, object })
    count[expected ? 'denied' : 'allowed'] += 1
    count.findings += rules.length
  }
  printCount('SLUICE_CASES', JSON.stringify(count))
  expect(wrong.slice(0, 3), `SLUICE_SEED=${SEED} ${wrong.length} of ${drafts.length}`).toEqual([])
  expect(Math.min(count.denied, count.allowed), JSON.stringify(count)).toBeGreaterThan(5)
})

it('the annotation ignores what only warns', async () => {
  const weak = (ignored: string) => {
    const { spec, ...rest } = limited('a', {}, 'local-deny')
    const object = { ...rest, spec: { ...spec, rateLimit: { ...spec.rateLimit, rejectCode: 418 } } }
    return ofGroup({ ...object, metadata: { ...object.metadata, annotations: { 'sluice.policy/ignore': ignored } } })
  }
  const warned = async (ignored: string) => sorted((await write('POST', weak(ignored))).warnings.flatMap(rulesIn))
  const all = await warned('')
  expect(all.length).toBeGreaterThan(0)
  expect(await warned(all.join())).toEqual([])
  expect(await warned(all.map((rule) => rule.replace('local/', '')).join(' '))).toEqual([])
})
