/**
 * The lint's verdict on whole policies is that of the cluster: it has an error exactly where the API server rejects
 * the policy or nginx rejects what it renders to.
 *
 * Outside the equivalence, and therefore left out: what rules say of several objects, which one policy alone does not
 * set off; rates that overflow, which `nginx -t` passes and the running nginx gets wrong; memory that a machine lacks.
 */

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isObject } from '../../src/json/member.ts'
import type { ReportedFinding } from '../../src/lint/report.ts'
import { rateProblem } from '../../src/nginx/rejections.ts'
import type { Draft } from '../rules/policies.ts'
import { apiServerAccepts } from './api-server.ts'
import { countOf, printCount, SEED } from './counts.ts'
import { errorsOf, viewOf } from './errors.ts'
import { policiesFor } from './policy-grammar.ts'
import { checkPolicies } from './rendered-policy.ts'
import { describeNginx } from './with-nginx.ts'

const NUM_RUNS = countOf('SLUICE_CASES', 500)

describeNginx('the verdict on a policy', (program) => {
  test(`is the same for ${NUM_RUNS} policies`, () => {
    const all = fc.sample(policiesFor(program), { numRuns: NUM_RUNS, seed: SEED })
    const hasErrors = (policy: Draft) => errorsOf(policy, program).some((finding) => !isOverflow(finding, policy))
    const byApi = all.filter((policy) => !isObject(policy) || !apiServerAccepts(policy))
    const others = all.filter((policy) => !byApi.includes(policy))
    expect(byApi.filter((policy) => !hasErrors(policy))).toEqual([])
    const verdicts = checkPolicies(others.map(viewOf), program)
    for (const [index, policy] of others.entries())
      if (hasErrors(policy) === verdicts[index]?.accepted)
        expect.fail(`nginx: ${verdicts[index]?.output}\nerrors: ${JSON.stringify(errorsOf(policy, program), null, 2)}`)
    const accepted = verdicts.filter((verdict) => verdict.accepted).length
    const counts = [accepted, byApi.length, others.length - accepted]
    const [, refused, byNginx] = counts
    printCount(
      'SLUICE_CASES',
      `nginx ${program.version}: ${accepted} accepted, ${refused} refused by the API server, ${byNginx} by nginx`,
    )
    for (const count of counts) expect(count).toBeGreaterThan(NUM_RUNS / 20)
  }, 36_000_000)
})

/** A rate that `nginx -t` passes, and of which only a worker dies. */
function isOverflow({ rule, pointer }: ReportedFinding, policy: Draft): boolean {
  if (rule !== 'gateway/rate-overflow') return false
  const limit = viewOf(policy).limits.find(({ rate }) => rate.pointer === pointer)
  return ['overflow', 'crash'].includes(rateProblem(String(limit?.rate.raw)) ?? '')
}
