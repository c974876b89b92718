/** What happens to policies: those that must be refused, those that must not, exported policies, conflicts. */
import { admissionPolicies } from '../../installation/admission-policies.ts'
import { NAMES } from '../../installation/object.ts'
import { isSameValue } from '../../json/same.ts'
import { counted } from '../../text/plural.ts'
import { type Evidence, listAt, objectAt, type Trial, type TrialName, textAt, textsAt } from '../evidence.ts'
import { type Check, failure, type Judgement, ok, unknown, warning, whereFound } from '../judgement.ts'
import { isInstalled } from './webhooks.ts'

/** The target of the policies that are tried: no Gateway has this name. */
const NO_GATEWAY = 'sluice-doctor-no-such-gateway'

/** The policies that are tried, as dry runs: nothing of them is stored. */
export function triedPolicy({ names }: Pick<Evidence, 'names'>, trial: TrialName, namespace: string) {
  const group = trial === 'fixed' ? {} : { group: names.gatewayGroup }
  const rate = trial === 'refused' ? '0r/s' : '10r/s'
  return {
    apiVersion: names.policyApiVersion,
    kind: 'RateLimitPolicy',
    metadata: { name: `sluice-doctor-${trial}`, namespace },
    spec: {
      targetRefs: [{ ...group, kind: 'Gateway', name: NO_GATEWAY }],
      rateLimit: { local: { rules: [{ rate, key: '$binary_remote_addr', zoneSize: '10m' }] } },
    },
  }
}

const OUR_WEBHOOK = /admission webhook "[^"]*\.sluice\.policy" denied the request/
const OUR_POLICY = /ValidatingAdmissionPolicy '(?:sluice-[^']*)'/
const FAILED_CALL = /failed calling webhook "[^"]*\.sluice\.policy".*/s

/** A trial that says nothing of sluice: refused for another reason. */
function elsewhere({ status, message, namespace }: Trial): Judgement | undefined {
  if (status < 400) return undefined
  if (status === 403 && /cannot create resource/.test(message))
    return unknown(
      `you may not create policies in "${namespace}", not even as a dry run`,
      'run it as a user who may, or name a namespace with --try-in',
    )
  if (status === 404)
    return unknown(
      `it cannot be tried in "${namespace}": ${message || 'the API server does not serve RateLimitPolicy'}`,
      'name a namespace with --try-in',
    )
  if (OUR_WEBHOOK.test(message) || OUR_POLICY.test(message) || FAILED_CALL.test(message)) return undefined
  return unknown(
    `something else refuses policies in "${namespace}": ${message}`,
    'name another namespace with --try-in',
  )
}

/** Why nothing of a trial's namespace is enforced. */
function isLeftOut(evidence: Evidence, { namespace }: Trial): boolean {
  const namespaces = evidence.list('Namespace')
  return (
    namespace === 'kube-system' ||
    namespace === evidence.namespace ||
    (namespaces.state === 'found' &&
      namespaces.value.some(
        (one) =>
          textAt(one, 'metadata', 'name') === namespace &&
          objectAt(one, 'metadata', 'labels')[NAMES.enforceLabel] === 'off',
      ))
  )
}

const where = ({ namespace }: Evidence) => `kubectl -n ${namespace} logs deployment/${NAMES.admission}`

function refusedJudgement(trial: Trial, evidence: Evidence): Judgement {
  const { status, message, warnings } = trial
  const other = elsewhere(trial)
  if (other) return other
  const [call] = FAILED_CALL.exec(message) ?? []
  if (call)
    return failure(
      `a wrong policy is refused only because the webhook does not answer: ${call}`,
      `${where(evidence)} # see the other failures, too`,
    )
  if (OUR_WEBHOOK.test(message)) return ok('the webhook refuses a policy that nginx would refuse')
  if (status >= 400) return ok('the exported policies refuse a policy that nginx would refuse')
  if (isLeftOut(evidence, trial))
    return unknown(
      `nothing is enforced in namespace "${trial.namespace}", so nothing can be tried there`,
      'name another namespace with --try-in',
    )
  if (warnings.some((text) => text.includes('would be denied') || text.includes('0r/s')))
    return warning(
      'a wrong policy is admitted with a warning: the settings say "enforce: warn"',
      'write "admission: { enforce: deny }" into the settings when you are ready',
    )
  return failure(
    'a policy that nginx refuses was admitted (as a dry run): the webhook does not answer, or is not asked',
    `${where(evidence)} # see the other failures, too`,
  )
}

function admittedJudgement(trial: Trial, evidence: Evidence): Judgement | undefined {
  const { message, warnings, status } = trial
  // The trial that must be refused says why nothing is known.
  if (elsewhere(trial)) return undefined
  const [call] = FAILED_CALL.exec(message) ?? []
  if (call)
    return failure(
      `no policy can be written, as the webhook does not answer: ${call}`,
      `${where(evidence)} # see the other failures, too`,
    )
  const seen = [message, ...warnings].some((text) => text.includes(NO_GATEWAY))
  if (seen) return ok('the webhook admits what is right, and says of a Gateway that does not exist that it does not')
  if (status >= 400)
    return failure(
      `a policy with nothing wrong is refused: ${message}`,
      'is a rule of the settings meant to refuse it? sluice lint --cluster shows what else it refuses',
    )
  if (isLeftOut(evidence, trial))
    return unknown(`nothing is enforced in namespace "${trial.namespace}"`, 'name another namespace with --try-in')
  const refused = evidence.cluster?.trials.refused
  const { message: refusal = '' } = refused?.state === 'found' ? refused.value : {}
  if (OUR_WEBHOOK.test(refusal))
    return warning(
      'a policy whose Gateway does not exist is admitted without a warning: the webhook does not know the Gateways yet',
      `${where(evidence)} # says which watch is not synced; admission/rights, what it may read`,
    )
  if (OUR_POLICY.test(refusal) && !isLeftOut(evidence, trial))
    return failure(
      'exported policies deny, and the webhook does not answer, or is not asked',
      `${where(evidence)} # see the other failures, too`,
    )
  return undefined
}

function fixedJudgement(trial: Trial): Judgement | undefined {
  const { status, body, message, namespace } = trial
  if (status === 403 || status === 404) return undefined
  const group = textAt(listAt(body, 'spec', 'targetRefs')[0], 'group')
  if (status < 400 && group !== '') return ok(`the webhook writes safe fixes in "${namespace}"`)
  const why = status === 422 ? 'a target got no group' : message
  return failure(
    `no fix is written in "${namespace}", which asks for them: ${why}`,
    `kubectl get mutatingwebhookconfiguration ${NAMES.mutating} -o yaml # see the other failures, too`,
  )
}

const trialCheck = (
  id: string,
  title: string,
  name: TrialName,
  judge: (trial: Trial, evidence: Evidence) => Judgement | undefined,
): Check => ({
  id,
  title,
  judge(evidence) {
    const known = isInstalled(evidence) || name === 'refused' ? evidence.cluster?.trials[name] : undefined
    return known && whereFound(known, "the API server's answer", undefined, (trial) => judge(trial, evidence))
  },
})

/** The exported policies, against those that this version exports with the settings of the run. */
function exportedJudgement(evidence: Evidence): Judgement | undefined {
  const remedy = 'sluice export validating-admission-policy | kubectl apply -f -'
  const wanted = admissionPolicies(evidence.project).objects.filter(
    ({ kind, metadata }) =>
      kind === 'ValidatingAdmissionPolicy' && evidence.get({ kind, name: metadata.name }).state === 'found',
  )
  if (wanted.length === 0) return undefined
  const unbound = wanted.filter(
    ({ metadata }) =>
      evidence.get({ kind: 'ValidatingAdmissionPolicyBinding', name: metadata.name }).state === 'absent',
  )
  if (unbound.length > 0)
    return failure(
      `${unbound.map(({ metadata }) => metadata.name).join(', ')} has no binding: nothing evaluates it`,
      remedy,
    )
  const other = wanted.filter(({ kind, metadata, spec }) => {
    const live = evidence.get({ kind, name: metadata.name })
    return (
      live.state === 'found' &&
      ['validations', 'variables', 'matchConditions'].some(
        (member) => !isSameValue(objectAt(live.value, 'spec')[member] ?? null, objectAt(spec)[member] ?? null),
      )
    )
  })
  if (other.length > 0)
    return warning(
      `${other.map(({ metadata }) => metadata.name).join(', ')} was exported by another version of sluice, or with other settings`,
      remedy,
    )
  const soft = evidence.get({ kind: 'ValidatingAdmissionPolicyBinding', name: NAMES.errorPolicy })
  if (soft.state === 'found' && !textsAt(soft.value, 'spec', 'validationActions').includes('Deny'))
    return warning(`${NAMES.errorPolicy} does not deny, it only tells`, `${remedy.replace(' |', ' --enforce deny |')}`)
  return ok(`${counted(wanted.length, 'exported policy', 'exported policies')} of this version, bound`)
}

export const ADMISSION_CHECKS: readonly Check[] = [
  trialCheck('webhook/refuses', 'a policy that must be refused (dry run)', 'refused', refusedJudgement),
  trialCheck('webhook/admits', 'a policy with nothing wrong (dry run)', 'admitted', admittedJudgement),
  trialCheck('webhook/fixes', 'a policy that must be fixed (dry run)', 'fixed', fixedJudgement),
  { id: 'policies/exported', title: 'the exported ValidatingAdmissionPolicies', judge: exportedJudgement },
  {
    id: 'policies/conflicts',
    title: 'stored policies in conflict',
    judge: ({ cluster }) =>
      cluster &&
      whereFound(cluster.conflicts, 'the policies of the cluster', undefined, (conflicts) =>
        conflicts.length === 0
          ? ok('no stored policy is rejected because of another one')
          : warning(
              `${counted(conflicts.length, 'policy is', 'policies are')} rejected because of another one: ${conflicts.slice(0, 3).join('; ')}`,
              'sluice lint --cluster -A # shows each pair: change one of them',
            ),
      ),
  },
]
