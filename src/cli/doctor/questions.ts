/** What is asked of a cluster beside its objects: certificates, dry runs, conflicts of stored policies. */
import type { KubeConfig } from '../../cluster/client/library.ts'
import type { Answer, Ask } from '../../cluster/inspection/inspect.ts'
import { triedPolicy } from '../../doctor/checks/admission.ts'
import { certificateSecrets } from '../../doctor/checks/certificates.ts'
import {
  ABSENT,
  type ClusterAnswers,
  type Evidence,
  found,
  type Known,
  listAt,
  nameOf,
  objectAt,
  type TrialName,
  textAt,
  unknownBecause,
} from '../../doctor/evidence.ts'
import { isOptIn } from '../../doctor/not-covered.ts'
import { NAMES } from '../../installation/object.ts'
import type { JsonObject } from '../../json/member.ts'
import { apiNames } from '../../kubernetes/api-groups.ts'
import { queryWorlds } from '../../queries/query-world.ts'
import { queryStatus } from '../../queries/status.ts'
import { SYSTEMS } from '../../registry.ts'
import type { Settings } from '../../settings/settings.ts'
import { kindTable } from '../../world/kinds.ts'

/** What was read before. */
export type Seen = Pick<Evidence, 'names' | 'namespace' | 'project' | 'get' | 'list'>

/** What an answer says of an object; `read` makes it of the body. */
export function knownOf<Value>(answer: Answer, read: (body: JsonObject) => Value): Known<Value> {
  if (!answer.isAnswered) return unknownBecause(answer.reason)
  if (answer.status === 404) return ABSENT
  if (answer.status >= 300) return unknownBecause(`the API server answers ${answer.status}`)
  return found(read(answer.body))
}

/** By a connection where one is possible from here, else from the Secret, of which only the certificate is looked at. */
export async function certificatesOf(
  ask: Ask,
  seen: Seen,
  { timeout, isInside }: { readonly timeout: number; readonly isInside: boolean },
): Promise<Evidence['certificates']> {
  const { presentedCertificate } = await import('../../cluster/inspection/inspect.ts')
  const configuration = seen.get({ kind: 'ValidatingWebhookConfiguration', name: NAMES.validating })
  const first = configuration.state === 'found' ? listAt(configuration.value, 'webhooks')[0] : undefined
  const url = textAt(first, 'clientConfig', 'url')
  const all = certificateSecrets(seen).map(async ({ service, secret, namespace }) => {
    const isByUrl = service === NAMES.admission && URL.canParse(url)
    if (isByUrl || isInside) {
      const { hostname, port } = isByUrl ? new URL(url) : { hostname: `${service}.${namespace}.svc`, port: '443' }
      const host = hostname.replace(/^\[|\]$/g, '')
      const answer = presentedCertificate(host, Number(port || 443), timeout).then(found, (error: unknown) =>
        unknownBecause(`no connection to ${host}: ${error instanceof Error ? error.message : String(error)}`),
      )
      const known: Known<string> = await answer
      if (known.state === 'found' || isByUrl) return [service, known] as const
    }
    const answer = await ask({ path: `/api/v1/namespaces/${namespace}/secrets/${secret}` })
    const cert = knownOf(answer, (body) => Buffer.from(textAt(body, 'data', 'tls.crt'), 'base64').toString())
    return [service, cert.state === 'found' && cert.value === '' ? ABSENT : cert] as const
  })
  return Object.fromEntries(await Promise.all(all))
}

/** Sends each policy as a dry run. */
export async function tryPolicies(ask: Ask, seen: Seen, tryIn: string): Promise<ClusterAnswers['trials']> {
  const attempt = async (name: TrialName, namespace: string) => {
    const { policyGroup, policyVersion } = seen.names
    const answer = await ask({
      method: 'POST',
      path: `/apis/${policyGroup}/${policyVersion}/namespaces/${namespace}/ratelimitpolicies`,
      query: { dryRun: 'All', fieldManager: 'sluice-doctor' },
      body: triedPolicy(seen, name, namespace),
    })
    if (!answer.isAnswered) return unknownBecause(answer.reason)
    const { status, body, warnings } = answer
    return found({ namespace, status, warnings, body, message: textAt(body, 'message') })
  }
  const fixedIn = namespaceOfFixes(seen, tryIn)
  const [refused, admitted, fixed] = await Promise.all([
    attempt('refused', tryIn),
    attempt('admitted', tryIn),
    fixedIn === undefined ? ABSENT : attempt('fixed', fixedIn),
  ])
  return { refused, admitted, fixed }
}

/** A namespace in which the mutating webhook writes; undefined where there is none. */
function namespaceOfFixes({ get, list, namespace }: Seen, tryIn: string): string | undefined {
  const configuration = get({ kind: 'MutatingWebhookConfiguration', name: NAMES.mutating })
  if (configuration.state !== 'found') return undefined
  if (!isOptIn({ get })) return tryIn
  const namespaces = list('Namespace')
  if (namespaces.state !== 'found') return undefined
  const labelled = namespaces.value.filter((one) => {
    const labels = objectAt(one, 'metadata', 'labels')
    return labels[NAMES.mutateLabel] === 'enabled' && labels[NAMES.enforceLabel] !== 'off'
  })
  return labelled.map(nameOf).find((name) => name !== 'kube-system' && name !== namespace)
}

/** The stored policies that are rejected because of another one. */
export async function conflictsIn(kubeconfig: KubeConfig, settings: Settings): Promise<Known<readonly string[]>> {
  const { readStored } = await import('../../cluster/client/list-kind.ts')
  const kinds = kindTable(SYSTEMS, apiNames(settings.apiGroups))
  const { objects, gaps } = await readStored(kubeconfig, kinds)
  const [gap] = gaps
  if (gap) return unknownBecause(`${gap.kind}: ${gap.reason}`)
  const now = new Date().toISOString()
  const sources = objects.map((object) => ({ object }))
  const statuses = queryWorlds(sources, { settings, closedWorld: true }).flatMap(
    (world) => queryStatus(world, { settings, controllerName: undefined, now }).policies,
  )
  return found(
    statuses.flatMap(({ namespace, name, ancestors }) => {
      const bad = ancestors.flatMap(({ conditions }) => conditions.filter(({ reason }) => reason === 'Conflicted'))
      return bad[0] ? [`${namespace}/${name}: ${bad[0].message}`] : []
    }),
  )
}
