/**
 * The lint's verdict on whole policies is that of the cluster: it has an error exactly where the API server refuses
 * the policy or nginx refuses what it renders to.
 *
 * Outside the equivalence, and therefore left out: what rules say of several objects, which one policy alone does not
 * set off; rates that overflow, which `nginx -t` passes and the running nginx gets wrong; memory that a machine lacks.
 */
import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DEFAULT_SETTINGS, type Settings } from '../../src/engine/settings.ts'
import { isObject, type Json } from '../../src/gateway/member.ts'
import { type PolicyView, readPolicy } from '../../src/gateway/policy.ts'
import { lint } from '../../src/lint/lint.ts'
import type { ReportedFinding } from '../../src/lint/report.ts'
import { rateProblem } from '../../src/nginx/refusals.ts'
import { apiServerAccepts } from './api-server.ts'
import { countOf, SEED, tell } from './counts.ts'
import { platformOf } from './platform.ts'
import { policiesFor } from './policy-grammar.ts'
import type { Bench, NginxProgram } from './real-nginx.ts'
import { benchFor, describeNginx } from './with-nginx.ts'
import { writePolicy } from './written-policy.ts'

const NUM_RUNS = countOf('SLUICE_CASES', 500)

/** Who refuses a policy, and with which words. */
type Verdict = { readonly by: 'API server' | 'nginx' | 'nobody'; readonly words: string }

describeNginx('the verdict on a policy', (program) => {
  const bench = benchFor(program)
  const settings = settingsFor(program)

  test(`is the same for ${NUM_RUNS} policies`, () => {
    const counts = { 'API server': 0, nginx: 0, nobody: 0 }
    const property = fc.property(policiesFor(program), (policy) => {
      const { by, words } = judge(policy, bench)
      counts[by] += 1
      const errors = errorsOf(policy, settings)
      if (errors.length > 0 === (by === 'nobody'))
        expect.fail(`refused by ${by}: ${words}\nerrors: ${JSON.stringify(errors, null, 2)}`)
    })
    fc.assert(property, { numRuns: NUM_RUNS, seed: SEED })
    tell(
      'SLUICE_CASES',
      `nginx ${program.version}: ${counts.nobody} accepted, ${counts['API server']} refused by the API server, ${counts.nginx} by nginx`,
    )
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(NUM_RUNS / 20)
  }, 36_000_000)
})

/** The lint as for a cluster with this nginx on this machine, namespace "default" where the policy says none. */
const settingsFor = (program: NginxProgram): Settings => ({
  ...DEFAULT_SETTINGS,
  platform: { ...platformOf(program), pageSize: pageSize() },
})

function pageSize(): number {
  const { stdout } = spawnSync('getconf', ['PAGESIZE'], { encoding: 'utf8' })
  return Number(stdout) || 4096
}

function judge(policy: Json, bench: Bench): Verdict {
  if (!isObject(policy) || !apiServerAccepts(policy)) return { by: 'API server', words: 'by its CRD' }
  const written = writePolicy(readPolicy(policy, namespaceOf(policy)), bench.directory)
  const { accepted, output } = bench.check(written.http)
  written.remove()
  return { by: accepted ? 'nobody' : 'nginx', words: output }
}

const namespaceOf = (policy: Json): string | undefined => readPolicy(isObject(policy) ? policy : {}).identity.namespace

function errorsOf(policy: Json, settings: Settings): readonly ReportedFinding[] {
  const source = { file: 'policy.json', text: JSON.stringify(policy), namespace: { fallback: 'default' } }
  const { report, faults } = lint([source], { settings })
  expect(faults).toEqual([])
  const view = readPolicy(isObject(policy) ? policy : {})
  return report.findings.filter((finding) => finding.severity === 'error' && !isOverflow(finding, view))
}

/** A rate that `nginx -t` passes, and of which only a worker dies. */
function isOverflow({ rule, pointer }: ReportedFinding, { limits }: PolicyView): boolean {
  if (rule !== 'gateway/rate-overflow') return false
  const limit = limits.find(({ rate }) => rate.pointer === pointer)
  return ['overflow', 'crash'].includes(rateProblem(String(limit?.rate.raw)) ?? '')
}
