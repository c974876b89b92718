/** Reads of a cluster what the doctor judges. */
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
  type Right,
  type TrialName,
  textAt,
  unknownBecause,
} from '../../doctor/evidence.ts'
import { isOptIn } from '../../doctor/not-covered.ts'
import { type Need, needsOf } from '../../doctor/rights.ts'
import { SERVERS } from '../../doctor/servers.ts'
import { keyOf, needOfWanted, pathOfWanted, REGISTRATIONS, type Wanted, wantedOf } from '../../doctor/wanted.ts'
import { NAMES } from '../../installation/object.ts'
import type { JsonObject } from '../../json/member.ts'
import { type ApiNames, apiNames } from '../../kubernetes/api-groups.ts'
import { queryWorlds } from '../../queries/query-world.ts'
import { queryStatus } from '../../queries/status.ts'
import { RULE_IDS, SYSTEMS } from '../../registry.ts'
import { readSettings } from '../../settings/file.ts'
import type { ProjectSettings, Settings } from '../../settings/settings.ts'
import { kindTable } from '../../world/kinds.ts'
import { InputError } from '../core/io.ts'

/** Which cluster, and how it is asked. */
export type ClusterSight = {
  readonly kubeconfig: KubeConfig
  readonly project: ProjectSettings
  /** True where the settings are named: then those of the installation do not count. */
  readonly isNamed: boolean
  /** The namespace of the installation; undefined where the cluster says it. */
  readonly namespace: string | undefined
  /** The namespace of dry runs. */
  readonly tryIn: string
  readonly sluice: string
  readonly localNginx: Known<string>
  /** Milliseconds that a server may take to answer. */
  readonly timeout: number
  /** True where this runs in the cluster, and so reaches its Services. */
  readonly isInside: boolean
  /** Is called after each answer. */
  onAnswer(): void
}

/** What was read, and why not all: a server that stopped answering. */
export type ClusterReading = { readonly evidence: Evidence; readonly lost: string | undefined }

/** Reads it. Throws {@link InputError} where the API server does not answer at all. */
export async function readCluster(sight: ClusterSight): Promise<ClusterReading> {
  const { kubeconfig, onAnswer, tryIn, sluice, localNginx } = sight
  const { createAsk } = await import('../../cluster/inspection/inspect.ts')
  let lost: string | undefined
  const asking = createAsk(kubeconfig, onAnswer)
  const ask: Ask = async (request) => {
    const answer = await asking(request)
    if (!answer.isAnswered) lost = answer.reason
    return answer
  }
  const version = await ask({ path: '/version' })
  if (!version.isAnswered) throw new InputError(`the cluster cannot be asked: ${version.reason}`)
  if (version.status === 401)
    throw new InputError('the API server does not know your credentials: is the right context chosen?')
  const names = apiNames(sight.project.settings.apiGroups)
  const registered = await readAll(ask, REGISTRATIONS)
  const namespace = sight.namespace ?? namespaceIn(registered)
  const place = { names, namespace, project: sight.project }
  const wanted = [...wantedOf(place), ...servicesIn(registered)]
  const read = new Map([...registered, ...(await readAll(ask, wanted))])
  const get: Evidence['get'] = (where) => read.get(keyOf(where))?.one ?? unknownBecause('it was not asked for')
  const list: Evidence['list'] = (kind) => listOf([...read.values()], kind)
  const skew = version.skew ?? 0
  const configMap = get({ kind: 'ConfigMap', name: NAMES.config, namespace })
  const text = configMap.state === 'found' ? textAt(configMap.value, 'data', NAMES.configKey) : undefined
  const installed = text === undefined ? undefined : readSettings(text, RULE_IDS)
  const project = !sight.isNamed && installed?.ok ? installed.project : sight.project
  const known = { ...place, project, get, list }
  const [ownRights, rights, certificates, trials, conflicts] = await Promise.all([
    rightsOf(ask, [...[...REGISTRATIONS, ...wanted].map(needOfWanted), ...needsOfTrials(names, tryIn)]),
    serverRights(ask, known),
    certificatesOf(ask, known, sight),
    tryPolicies(ask, known, tryIn),
    conflictsIn(kubeconfig, project.settings),
  ])
  const cluster: ClusterAnswers = {
    ...{ version: textAt(version.body, 'gitVersion'), skew, ownRights, rights, trials, conflicts },
  }
  const settingsTexts = text === undefined ? [] : [{ where: `ConfigMap ${namespace}/${NAMES.config}`, text }]
  const now = Date.now() + skew
  return {
    evidence: { ...known, place: 'cluster', sluice, now, localNginx, settingsTexts, certificates, cluster },
    lost,
  }
}

/** To try policies, and to ask what the servers may do. */
const needsOfTrials = ({ policyGroup: group }: ApiNames, namespace: string): readonly Need[] => [
  { verb: 'create', group, resource: 'ratelimitpolicies', namespace },
  { verb: 'create', group: 'authorization.k8s.io', resource: 'subjectaccessreviews' },
]

type Seen = Pick<Evidence, 'names' | 'namespace' | 'project' | 'get' | 'list'>

/** What one request gave: an object, or objects of a kind. */
type Read = { readonly wanted: Wanted; readonly one?: Known<JsonObject>; readonly many?: Known<readonly JsonObject[]> }

async function readAll(ask: Ask, all: readonly Wanted[]): Promise<ReadonlyMap<string, Read>> {
  const read = await Promise.all(
    all.map(async (wanted): Promise<[string, Read]> => {
      if ('name' in wanted) {
        const one = knownOf(await ask({ path: pathOfWanted(wanted) }), (body) => body)
        return [
          keyOf(wanted),
          { wanted, one: one.state === 'found' ? found({ kind: wanted.kind, ...one.value }) : one },
        ]
      }
      const query = wanted.labels === '' ? {} : { labelSelector: wanted.labels }
      const answer = await ask({ path: pathOfWanted(wanted), query })
      const many = knownOf(answer, (body) => listAt(body, 'items').map((item) => objectAt(item)))
      return [`${keyOf({ ...wanted, name: '' })} ${wanted.labels}`, { wanted, many }]
    }),
  )
  return new Map(read)
}

function knownOf<Value>(answer: Answer, read: (body: JsonObject) => Value): Known<Value> {
  if (!answer.isAnswered) return unknownBecause(answer.reason)
  if (answer.status === 404) return ABSENT
  if (answer.status >= 300) return unknownBecause(`the API server answers ${answer.status}`)
  return found(read(answer.body))
}

/** All that were listed of a kind, in one namespace or in several. */
function listOf(read: readonly Read[], kind: string): Known<readonly JsonObject[]> {
  const lists = read.flatMap(({ wanted, many }) => (wanted.kind === kind && many ? [many] : []))
  const bad = lists.find(({ state }) => state === 'unknown')
  if (bad) return bad
  return found(lists.flatMap((one) => (one.state === 'found' ? one.value : [])))
}

const clientConfigs = (registered: ReadonlyMap<string, Read>): readonly JsonObject[] =>
  [...registered.values()].flatMap(({ one }) =>
    one?.state === 'found' ? listAt(one.value, 'webhooks').map((webhook) => objectAt(webhook, 'clientConfig')) : [],
  )

/** The namespace of the Service that a webhook names, else the usual one. */
const namespaceIn = (registered: ReadonlyMap<string, Read>): string =>
  clientConfigs(registered)
    .map((config) => textAt(config, 'service', 'namespace'))
    .find((one) => one !== '') ?? NAMES.namespace

const servicesIn = (registered: ReadonlyMap<string, Read>): readonly Wanted[] =>
  clientConfigs(registered).flatMap((config): Wanted[] => {
    const [name, namespace] = [textAt(config, 'service', 'name'), textAt(config, 'service', 'namespace')]
    return name === '' ? [] : [{ kind: 'Service', name, namespace }]
  })

async function rightsOf(
  ask: Ask,
  needs: readonly Need[],
  account?: { readonly name: string; readonly namespace: string },
): Promise<Known<readonly Right[]>> {
  const { askRight } = await import('../../cluster/inspection/inspect.ts')
  const answers = await Promise.all(needs.map(async (need) => ({ need, answer: await askRight(ask, need, account) })))
  const rights = answers.flatMap(({ need, answer }) => ('isAllowed' in answer ? [{ need, ...answer }] : []))
  const reason = answers.flatMap(({ answer }) => ('reason' in answer ? [answer.reason] : []))[0]
  return reason === undefined ? found(rights) : unknownBecause(reason)
}

async function serverRights(ask: Ask, seen: Seen): Promise<ClusterAnswers['rights']> {
  const all = await Promise.all(
    SERVERS.map(async (server) => {
      const [name, namespace] = [server.name(seen), server.namespace(seen)]
      const workload = seen.get({ kind: server.kind, name, namespace })
      if (workload.state !== 'found' || !server.installation) return []
      const needs = needsOf(server.installation(seen, workload.value), { name, namespace })
      const account = textAt(workload.value, 'spec', 'template', 'spec', 'serviceAccountName')
      return [[server.id, await rightsOf(ask, needs, { name: account, namespace })] as const]
    }),
  )
  return Object.fromEntries(all.flat())
}

/** By a connection where one is possible from here, else from the Secret, of which only the certificate is looked at. */
async function certificatesOf(
  ask: Ask,
  seen: Seen,
  { timeout, isInside }: ClusterSight,
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

async function tryPolicies(ask: Ask, seen: Seen, tryIn: string): Promise<ClusterAnswers['trials']> {
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
async function conflictsIn(kubeconfig: KubeConfig, settings: Settings): Promise<Known<readonly string[]>> {
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
