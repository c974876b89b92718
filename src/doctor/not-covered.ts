/** What an installation does not do, in words: nothing of it is a mistake, and all of it is to be known. */
import { NAMES } from '../installation/object.ts'
import { DEFAULT_ADMISSION } from '../settings/settings.ts'
import { isInstalled } from './checks/webhooks.ts'
import { type Evidence, listAt, nameOf, objectAt, textAt } from './evidence.ts'
import { SERVERS, workloadOf } from './servers.ts'

/** Whether the mutating webhook writes only where a namespace asks for it. */
export function isOptIn({ get }: Pick<Evidence, 'get'>): boolean {
  const mutating = get({ kind: 'MutatingWebhookConfiguration', name: NAMES.mutating })
  const [webhook] = mutating.state === 'found' ? listAt(mutating.value, 'webhooks') : []
  const requirements = listAt(webhook, 'namespaceSelector', 'matchExpressions')
  return requirements.some((one) => textAt(one, 'key') === NAMES.mutateLabel)
}

const MOST = 5

const some = (names: readonly string[]): string =>
  names.slice(0, MOST).join(', ') + (names.length > MOST ? ` and ${names.length - MOST} more` : '')

/** The sentences, without a full stop. */
export function notCovered(evidence: Evidence): readonly string[] {
  const validating = evidence.get({ kind: 'ValidatingWebhookConfiguration', name: NAMES.validating })
  const policy = validating.state === 'found' ? listAt(validating.value, 'webhooks')[0] : undefined
  const namespaces = evidence.list('Namespace')
  const labelled = (label: string, value: string): readonly string[] =>
    namespaces.state === 'found'
      ? namespaces.value.filter((one) => objectAt(one, 'metadata', 'labels')[label] === value).map(nameOf)
      : []
  const off = labelled(NAMES.enforceLabel, 'off')
  const fixed = labelled(NAMES.mutateLabel, 'enabled')
  const versions = evidence.get({
    kind: 'CustomResourceDefinition',
    name: `ratelimitpolicies.${evidence.names.policyGroup}`,
  })
  const others =
    versions.state === 'found'
      ? listAt(versions.value, 'spec', 'versions').flatMap((one) =>
          objectAt(one).served === true && textAt(one, 'name') !== evidence.names.policyVersion
            ? [textAt(one, 'name')]
            : [],
        )
      : []
  const { admission } = evidence.project
  const missing = SERVERS.filter(
    (server) => server.id !== 'admission' && workloadOf(server, evidence).state === 'absent',
  ).map(({ title }) => title)
  const hasExported = evidence.get({ kind: 'ValidatingAdmissionPolicy', name: NAMES.errorPolicy }).state === 'found'
  return [
    ...(isInstalled(evidence)
      ? [
          `policies in kube-system and ${evidence.namespace} are never reviewed`,
          ...(off.length > 0 ? [`nothing is enforced in ${some(off)} (${NAMES.enforceLabel}=off)`] : []),
          ...(textAt(policy, 'failurePolicy') === 'Ignore'
            ? ['while no replica answers, wrong policies are admitted (failurePolicy Ignore; overlay fail-closed)']
            : []),
          ...(isOptIn(evidence)
            ? [`fixes are written only in namespaces with ${NAMES.mutateLabel}=enabled${evidence.cluster ? `: ${some(fixed) || 'none has it'}` : ''}`]
            : []),
          admission.crossObject === 'deny'
            ? 'crossObject: deny is best effort: two replicas may admit two policies in conflict that come at once'
            : 'policies in conflict, and missing targets, are warned of and admitted (crossObject: warn)',
        ]
      : []),
    ...(hasExported ? [] : ['no exported ValidatingAdmissionPolicies: nothing denies without the webhook']),
    ...(others.length > 0 ? [`RateLimitPolicies of version ${others.join(', ')} are not known to sluice`] : []),
    ...(missing.length > 0 ? [`not installed: ${missing.join(', ')}`] : []),
    ...(admission.strict === DEFAULT_ADMISSION.strict
      ? ['policies that were stored before are not judged again until somebody writes them: sluice lint --cluster -A']
      : []),
  ]
}
