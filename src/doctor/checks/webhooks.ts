/** The webhook configurations: whether the API server asks the webhook, about everything that it must see. */
import { NAMES } from '../../installation/object.ts'
import type { JsonObject } from '../../json/member.ts'
import { notCoveredBy, requirementsOf } from '../coverage.ts'
import { type Evidence, type Known, listAt, nameOf, numberAt, objectAt, textAt } from '../evidence.ts'
import { type Check, failure, type Judgement, ok, warning, whereFound, worstOf } from '../judgement.ts'
import { hasFlag, reinstall, SERVERS, serverOf, workloadOf } from '../servers.ts'

/** A configuration of the installation, whether each installation has it, and what it is without. */
const CONFIGURATIONS = [
  { kind: 'ValidatingWebhookConfiguration', name: NAMES.validating, without: 'no policy is refused' },
  { kind: 'MutatingWebhookConfiguration', name: NAMES.mutating, without: 'no policy is fixed' },
  { kind: 'MutatingWebhookConfiguration', name: NAMES.meshInjection, without: 'no Pod gets the sidecar' },
] as const

type Configuration = (typeof CONFIGURATIONS)[number]

/** Whether an installation is there at all, as far as one can read: its server, or one of the configurations. */
export const isInstalled = (evidence: Evidence): boolean =>
  [workloadOf(serverOf('admission'), evidence), ...CONFIGURATIONS.map((one) => evidence.get(one))].some(
    ({ state }) => state !== 'absent',
  )

/** Whether it should be there: that of the mesh only where the server is started for it. */
function isExpected({ name }: Configuration, evidence: Evidence): boolean {
  if (name !== NAMES.meshInjection) return isInstalled(evidence)
  const workload = workloadOf(serverOf('admission'), evidence)
  return (
    evidence.get({ kind: 'MutatingWebhookConfiguration', name }).state === 'found' ||
    (workload.state === 'found' && hasFlag(workload.value, '--mesh'))
  )
}

/** A webhook of the installation, and the one that is there under its name. */
type WebhookPair = {
  readonly name: string
  readonly actual: JsonObject | undefined
  readonly wanted: JsonObject
}

/** The webhooks of a configuration as this version installs them, with what is there. */
function pairsOf(configuration: JsonObject, evidence: Evidence): readonly WebhookPair[] {
  const server = serverOf('admission')
  const workload = workloadOf(server, evidence)
  const known = workload.state === 'found' ? workload.value : {}
  const isMesh = nameOf(configuration) === NAMES.meshInjection
  const started = isMesh ? withFlag(known, '--mesh') : known
  const objects = server.installation?.(evidence, started) ?? []
  const wanted = objects.find(
    ({ kind, metadata }) => kind === configuration.kind && metadata.name === nameOf(configuration),
  )
  const actual = listAt(configuration, 'webhooks').map((one) => objectAt(one))
  return listAt(wanted, 'webhooks').map((one) => {
    const name = textAt(one, 'name')
    return { name, actual: actual.find((other) => other.name === name), wanted: objectAt(one) }
  })
}

const withFlag = (workload: JsonObject, flag: string): JsonObject => {
  const [container] = listAt(workload, 'spec', 'template', 'spec', 'containers')
  const args = [...listAt(container, 'args'), flag]
  return { spec: { template: { spec: { containers: [{ ...objectAt(container), args }] } } } }
}

/** Judges every webhook of the configurations that are there. */
export function eachWebhook(
  evidence: Evidence,
  good: string,
  judge: (pair: WebhookPair & { readonly actual: JsonObject }) => readonly Judgement[],
): Judgement | undefined {
  const pairs = CONFIGURATIONS.flatMap((one) => {
    const configuration: Known<JsonObject> = evidence.get(one)
    return configuration.state === 'found' ? pairsOf(configuration.value, evidence) : []
  })
  const there = pairs.flatMap(({ actual, ...pair }) => (actual ? [{ ...pair, actual }] : []))
  return there.length === 0 ? undefined : worstOf([ok(good), ...there.flatMap(judge)])
}

/** What is wrong where webhooks are registered: that nothing runs which answers. */
function serverJudgement(evidence: Evidence, remedy: string): readonly Judgement[] {
  const server = serverOf('admission')
  const name = `${server.namespace(evidence)}/${server.name(evidence)}`
  return workloadOf(server, evidence).state === 'absent'
    ? [failure(`there is no ${server.kind} ${name}: nothing answers the webhooks`, remedy)]
    : []
}

export const WEBHOOK_CHECKS: readonly Check[] = [
  {
    id: 'webhook/installed',
    title: 'the webhook configurations',
    judge(evidence) {
      const remedy = reinstall(evidence)
      const judged = CONFIGURATIONS.flatMap((one) => {
        if (!isExpected(one, evidence)) return []
        const absent = failure(`there is no ${one.kind} ${one.name}: ${one.without}`, remedy)
        const known = whereFound(evidence.get(one), `${one.kind} ${one.name}`, absent, (configuration) => {
          const missing = pairsOf(configuration, evidence).filter(({ actual }) => !actual)
          return missing.length === 0
            ? ok('every webhook of the installation is registered')
            : failure(`${one.name} lacks ${missing.map(({ name }) => name).join(', ')}`, remedy)
        })
        return known ?? []
      })
      if (judged.length > 0) return worstOf([...judged, ...serverJudgement(evidence, remedy)])
      const exported = evidence.get({ kind: 'ValidatingAdmissionPolicy', name: NAMES.errorPolicy })
      if (exported.state === 'found') return ok('the webhook is not installed; exported policies deny')
      const others = SERVERS.filter((server) => workloadOf(server, evidence).state === 'found')
      const [other] = others
      if (other && !evidence.cluster) return undefined
      return other
        ? warning(`${other.title} is installed, and no webhook: nothing refuses a policy`, remedy)
        : failure(
            `sluice is not installed ${evidence.cluster ? 'in this cluster' : 'by these files'}: nothing refuses a policy`,
            remedy,
          )
    },
  },
  {
    id: 'webhook/rules',
    title: 'what the API server asks the webhooks about',
    judge: (evidence) =>
      eachWebhook(evidence, 'all kinds and operations that sluice judges', ({ name, actual, wanted }) => {
        const missing = notCoveredBy(actual, wanted)
        return missing.length === 0
          ? []
          : [
              failure(
                `${name} is not asked about ${missing.slice(0, 3).join(', ')}${missing.length > 3 ? ` and ${missing.length - 3} more` : ''}`,
                reinstall(evidence),
              ),
            ]
      }),
  },
  {
    id: 'webhook/selectors',
    title: 'the namespaces and objects that the webhooks leave out',
    judge: (evidence) =>
      eachWebhook(evidence, 'none beside those of every installation', ({ name, actual, wanted }) => {
        const more = ['namespaceSelector', 'objectSelector'].flatMap((selector) => {
          const known = new Set(requirementsOf(wanted[selector]))
          const own = requirementsOf(actual[selector]).filter((one) => !known.has(one))
          // A webhook that is asked everywhere has fewer.
          return own.map((one) => `${selector} ${one}`)
        })
        const usual = new Set(listAt(wanted, 'matchConditions').map((one) => textAt(one, 'name')))
        const conditions = listAt(actual, 'matchConditions')
          .map((one) => textAt(one, 'name'))
          .filter((one) => !usual.has(one))
          .map((one) => `matchConditions ${one}`)
        const all = [...more, ...conditions]
        return all.length === 0
          ? []
          : [
              warning(
                `${name} leaves out objects by ${all.join(', ')}`,
                `${reinstall(evidence)} # where it is not meant`,
              ),
            ]
      }),
  },
  {
    id: 'webhook/failure-policy',
    title: 'what happens where the webhooks do not answer',
    judge: (evidence) =>
      eachWebhook(evidence, 'as sluice is installed', ({ name, actual, wanted }) => {
        const seconds = numberAt(actual, 'timeoutSeconds') ?? 10
        const isStrict = actual.failurePolicy !== 'Ignore' && wanted.failurePolicy === 'Ignore'
        const isObserver = !name.startsWith('validate.')
        return [
          ...(isStrict && isObserver
            ? [
                failure(
                  `${name} has failurePolicy Fail, not Ignore: what it is asked about is refused while sluice does not answer`,
                  reinstall(evidence),
                ),
              ]
            : []),
          ...(seconds > 10
            ? [
                warning(
                  `${name} has timeoutSeconds ${seconds}: each write waits so long for a server that does not answer`,
                  reinstall(evidence),
                ),
              ]
            : []),
        ]
      }),
  },
]
