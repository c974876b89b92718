/** Reads of a cluster what the doctor judges. */
import type { KubeConfig } from '../../cluster/client/library.ts'
import type { Ask } from '../../cluster/inspection/inspect.ts'
import {
  type ClusterAnswers,
  type Evidence,
  found,
  type Known,
  listAt,
  type Need,
  objectAt,
  type Right,
  textAt,
  unknownBecause,
} from '../../doctor/evidence.ts'
import { needsOf } from '../../doctor/rights.ts'
import { SERVERS } from '../../doctor/servers.ts'
import { keyOf, needOfWanted, pathOfWanted, REGISTRATIONS, type Wanted, wantedOf } from '../../doctor/wanted.ts'
import { NAMES } from '../../installation/object.ts'
import type { JsonObject } from '../../json/member.ts'
import { type ApiNames, apiNames } from '../../kubernetes/api-groups.ts'
import { RULE_IDS } from '../../registry.ts'
import { readSettings } from '../../settings/file.ts'
import type { ProjectSettings } from '../../settings/settings.ts'
import { InputError } from '../core/io.ts'
import { certificatesOf, conflictsIn, knownOf, type Seen, tryPolicies } from './questions.ts'

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
