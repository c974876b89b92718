/** All checks, in the order in which a person reads them: each follows from those above it. */
import { ADMISSION_CHECKS } from './checks/admission.ts'
import { CERTIFICATE_CHECKS } from './checks/certificates.ts'
import { CLUSTER_CHECKS } from './checks/cluster.ts'
import { SERVER_CHECKS } from './checks/servers.ts'
import { VERSION_CHECKS } from './checks/versions.ts'
import { WEBHOOK_CHECKS } from './checks/webhooks.ts'
import type { Evidence } from './evidence.ts'
import type { Check, Judgement, Status } from './judgement.ts'
import { notCovered } from './not-covered.ts'

/** Every check. */
const CHECKS: readonly Check[] = [
  ...CLUSTER_CHECKS,
  ...VERSION_CHECKS,
  ...WEBHOOK_CHECKS,
  ...SERVER_CHECKS,
  ...CERTIFICATE_CHECKS,
  ...ADMISSION_CHECKS,
]

/** What a check said. */
export type CheckResult = Pick<Check, 'id' | 'title'> & Judgement

/** What all checks said, and what is not covered. */
export type Examination = {
  readonly checks: readonly CheckResult[]
  readonly summary: Readonly<Record<Status, number>>
  readonly notCovered: readonly string[]
}

/** Judges what was read. */
export function examine(evidence: Evidence): Examination {
  const checks = CHECKS.flatMap(({ id, title, judge }): CheckResult[] => {
    const judgement = judge(evidence)
    return judgement ? [{ id, title, ...judgement }] : []
  })
  const count = (status: Status): number => checks.filter((check) => check.status === status).length
  const summary = { ok: count('ok'), warning: count('warning'), failure: count('failure'), unknown: count('unknown') }
  return { checks, summary, notCovered: notCovered(evidence) }
}
