/** What an installation does not do, in words: nothing of it is a mistake, and all of it is to be known. */
import { NAMES } from '../installation/object.ts'
import { isInstalled } from './checks/webhooks.ts'
import { type Evidence, listAt, nameOf, objectAt, textAt } from './evidence.ts'
import { SERVERS, workloadOf } from './servers.ts'

/** The first webhook of a configuration. */
function webhookOf({ get }: Pick<Evidence, 'get'>, kind: string, name: string): unknown {
  const configuration = get({ kind, name })
  return configuration.state === 'found' ? listAt(configuration.value, 'webhooks')[0] : undefined
}

/** Whether the mutating webhook writes only where a namespace asks for it. */
export const isOptIn = (evidence: Pick<Evidence, 'get'>): boolean =>
  listAt(
    webhookOf(evidence, 'MutatingWebhookConfiguration', NAMES.mutating),
    'namespaceSelector',
    'matchExpressions',
  ).some((one) => textAt(one, 'key') === NAMES.mutateLabel)

const MOST = 5

const some = (names: readonly string[]): string =>
  names.slice(0, MOST).join(', ') + (names.length > MOST ? ` and ${names.length - MOST} more` : '')

/** The names of the namespaces with a label. */
function labelled({ list }: Evidence, label: string, value: string): readonly string[] {
  const namespaces = list('Namespace')
  if (namespaces.state !== 'found') return []
  return namespaces.value.filter((one) => objectAt(one, 'metadata', 'labels')[label] === value).map(nameOf)
}

function otherVersions({ get, names }: Evidence): readonly string[] {
  const crd = get({ kind: 'CustomResourceDefinition', name: `ratelimitpolicies.${names.policyGroup}` })
  const versions = crd.state === 'found' ? listAt(crd.value, 'spec', 'versions') : []
  return versions
    .filter((one) => objectAt(one).served === true && textAt(one, 'name') !== names.policyVersion)
    .map((one) => textAt(one, 'name'))
}

/** Each says one thing of what is there; undefined where it is not so. */
type Sentence = (evidence: Evidence) => string | undefined

/** What is true of the webhook. */
const OF_WEBHOOK: readonly Sentence[] = [
  ({ namespace }) => `policies in kube-system and ${namespace} are never reviewed`,
  (evidence) => {
    const off = labelled(evidence, NAMES.enforceLabel, 'off')
    return off.length > 0 ? `nothing is enforced in ${some(off)} (${NAMES.enforceLabel}=off)` : undefined
  },
  (evidence) =>
    textAt(webhookOf(evidence, 'ValidatingWebhookConfiguration', NAMES.validating), 'failurePolicy') === 'Ignore'
      ? 'while no replica answers, wrong policies are admitted (failurePolicy Ignore; overlay fail-closed)'
      : undefined,
  (evidence) => {
    if (!isOptIn(evidence)) return undefined
    const where = evidence.cluster ? `: ${some(labelled(evidence, NAMES.mutateLabel, 'enabled')) || 'none has it'}` : ''
    return `fixes are written only in namespaces with ${NAMES.mutateLabel}=enabled${where}`
  },
  ({ project }) =>
    project.admission.crossObject === 'deny'
      ? 'crossObject: deny is best effort: two replicas may admit two policies in conflict that come at once'
      : 'policies in conflict, and missing targets, are admitted with a warning (crossObject: warn)',
]

const OF_ALL: readonly Sentence[] = [
  ({ get }) =>
    get({ kind: 'ValidatingAdmissionPolicy', name: NAMES.errorPolicy }).state === 'found'
      ? undefined
      : 'no exported ValidatingAdmissionPolicies: nothing denies without the webhook',
  (evidence) => {
    const others = otherVersions(evidence)
    return others.length > 0 ? `RateLimitPolicies of version ${others.join(', ')} are not known to sluice` : undefined
  },
  (evidence) => {
    const missing = SERVERS.filter((one) => one.id !== 'admission' && workloadOf(one, evidence).state === 'absent')
    return missing.length > 0 ? `not installed: ${missing.map(({ title }) => title).join(', ')}` : undefined
  },
  () => 'what was stored before is not refused: sluice lint --cluster -A judges it',
]

/** The sentences, without a full stop. */
export const notCovered = (evidence: Evidence): readonly string[] =>
  [...(isInstalled(evidence) ? OF_WEBHOOK : []), ...OF_ALL].flatMap((sentence) => sentence(evidence) ?? [])
