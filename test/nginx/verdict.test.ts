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
import type { Bench } from './real-nginx.ts'
import { checkPolicy } from './rendered-policy.ts'
import { benchFor, describeNginx } from './with-nginx.ts'

const NUM_RUNS = countOf('SLUICE_CASES', 250)

/** Who rejects a policy, and with which message. */
type Verdict = { readonly by: 'API server' | 'nginx' | 'none'; readonly words: string }

describeNginx('the verdict on a policy', (program) => {
  const bench = benchFor(program)

  test(`is the same for ${NUM_RUNS} policies`, () => {
    const counts = { 'API server': 0, nginx: 0, none: 0 }
    const property = fc.property(policiesFor(program), (policy) => {
      const { by, words } = judge(policy, bench)
      counts[by] += 1
      const errors = errorsOf(policy, program).filter((finding) => !isOverflow(finding, policy))
      if (errors.length > 0 === (by === 'none'))
        expect.fail(`refused by ${by}: ${words}\nerrors: ${JSON.stringify(errors, null, 2)}`)
    })
    fc.assert(property, { numRuns: NUM_RUNS, seed: SEED })
    const refused = `${counts['API server']} refused by the API server, ${counts.nginx} by nginx`
    printCount('SLUICE_CASES', `nginx ${program.version}: ${counts.none} accepted, ${refused}`)
    for (const count of Object.values(counts)) expect(count).toBeGreaterThan(NUM_RUNS / 20)
  }, 36_000_000)
})

function judge(policy: Draft, bench: Bench): Verdict {
  if (!isObject(policy) || !apiServerAccepts(policy)) return { by: 'API server', words: 'by its CRD' }
  const { accepted, output } = checkPolicy(viewOf(policy), bench.program, bench.directory)
  return { by: accepted ? 'none' : 'nginx', words: output }
}

/** A rate that `nginx -t` passes, and of which only a worker dies. */
function isOverflow({ rule, pointer }: ReportedFinding, policy: Draft): boolean {
  if (rule !== 'gateway/rate-overflow') return false
  const limit = viewOf(policy).limits.find(({ rate }) => rate.pointer === pointer)
  return ['overflow', 'crash'].includes(rateProblem(String(limit?.rate.raw)) ?? '')
}
