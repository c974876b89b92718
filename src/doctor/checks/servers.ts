/** The servers: whether all replicas are ready, whether their Service finds them, and what they may do. */
import { LEASE_TIMES } from '../../cluster/lease/lease.ts'
import { meshNames, REGISTERED_VERSION } from '../../installation/mesh.ts'
import type { JsonObject } from '../../json/member.ts'
import { counted } from '../../text/plural.ts'
import { type Evidence, listAt, nameOf, numberAt, objectAt, textAt } from '../evidence.ts'
import { type Check, failure, type Judgement, ok, unknown, warning, whereFound } from '../judgement.ts'
import { describeNeeds, grantedBy, needsOf } from '../rights.ts'
import { reinstall, SERVERS, type Server, serverOf, workloadOf } from '../servers.ts'
import { leasePlace } from '../wanted.ts'
import { eachWebhook } from './webhooks.ts'

/** The objects among files of which roles are granted. */
const ACCESS_KINDS = ['ClusterRole', 'Role', 'ClusterRoleBinding', 'RoleBinding'] as const

const titleOf = (server: Server): string => server.title.replace(/^the /, '')

function replicasJudgement(server: Server, workload: JsonObject, evidence: Evidence): Judgement | undefined {
  if (!evidence.cluster) return undefined
  const name = `${server.kind.toLowerCase()}/${server.name(evidence)}`
  const look = `kubectl -n ${server.namespace(evidence)} describe ${name}; kubectl -n ${server.namespace(evidence)} logs ${name}`
  const wanted = numberAt(workload, 'spec', 'replicas') ?? 1
  const ready = numberAt(workload, 'status', 'readyReplicas') ?? 0
  if (wanted === 0)
    return failure(
      `${server.title} is scaled to 0 replicas`,
      `kubectl -n ${server.namespace(evidence)} scale ${name} --replicas=2`,
    )
  if (ready === 0) return failure(`none of ${counted(wanted, 'replica')} is ready`, look)
  return ready < wanted
    ? warning(`${ready} of ${counted(wanted, 'replica')} ready`, look)
    : ok(`${ready} of ${counted(wanted, 'replica')} ready`)
}

/** What a Service selects, and whether some of it is ready. */
function serviceJudgement(server: Server, workload: JsonObject, evidence: Evidence): Judgement | undefined {
  const place = { name: server.name(evidence), namespace: server.namespace(evidence) }
  const remedy = reinstall(evidence, server.id)
  const absent = failure(`there is no Service ${place.namespace}/${place.name}`, remedy)
  return whereFound(evidence.get({ kind: 'Service', ...place }), 'the Service', absent, (service) => {
    if (isAlias(service)) return ok(`it is an alias of ${textAt(service, 'spec', 'externalName')}`)
    const labels = objectAt(workload, 'spec', 'template', 'metadata', 'labels')
    const lost = Object.entries(objectAt(service, 'spec', 'selector')).filter(([key, value]) => labels[key] !== value)
    if (lost.length > 0)
      return failure(
        `the Service selects ${lost.map(([key, value]) => `${key}=${value}`).join(', ')}, which no Pod of ${server.title} has`,
        remedy,
      )
    return evidence.cluster ? endpointsJudgement(server, evidence) : ok('the Service selects the Pods')
  })
}

function endpointsJudgement(server: Server, evidence: Evidence): Judgement | undefined {
  const [name, namespace] = [server.name(evidence), server.namespace(evidence)]
  return whereFound(evidence.list('EndpointSlice'), 'the EndpointSlices', undefined, (slices) => {
    const own = slices.filter(
      (slice) =>
        textAt(slice, 'metadata', 'namespace') === namespace &&
        objectAt(slice, 'metadata', 'labels')['kubernetes.io/service-name'] === name,
    )
    const endpoints = own.flatMap((slice) => listAt(slice, 'endpoints'))
    const ready = endpoints.filter((one) => objectAt(one, 'conditions').ready !== false)
    return ready.length > 0
      ? ok(`${counted(ready.length, 'endpoint')} ready`)
      : failure(
          `the Service ${namespace}/${name} has no endpoint that is ready: no request reaches ${server.title}`,
          `kubectl -n ${namespace} get pods,endpointslices -l app.kubernetes.io/name=sluice; kubectl -n ${namespace} rollout restart ${server.kind.toLowerCase()}/${name}`,
        )
  })
}

function rightsJudgement(server: Server, workload: JsonObject, evidence: Evidence): Judgement | undefined {
  if (!server.installation) return undefined
  const account = {
    name: textAt(workload, 'spec', 'template', 'spec', 'serviceAccountName'),
    namespace: server.namespace(evidence),
  }
  const needs = needsOf(server.installation(evidence, workload), { ...account, name: server.name(evidence) })
  const { cluster } = evidence
  const granted = cluster ? cluster.rights[server.id] : rightsInFiles(evidence, account, needs)
  if (granted === undefined) return undefined
  return whereFound(granted, `what ${server.title} may do`, undefined, (rights) => {
    const missing = rights.filter(({ isAllowed }) => !isAllowed).map(({ need }) => need)
    return missing.length === 0
      ? ok(`the service account ${account.namespace}/${account.name} has the ${needs.length} rights that it needs`)
      : failure(
          `the service account ${account.namespace}/${account.name} may not ${describeNeeds(missing)}`,
          reinstall(evidence, server.id),
        )
  })
}

function rightsInFiles(
  evidence: Evidence,
  account: { name: string; namespace: string },
  needs: ReturnType<typeof needsOf>,
) {
  const objects = ACCESS_KINDS.flatMap((kind) => {
    const known = evidence.list(kind)
    return known.state === 'found' ? known.value : []
  })
  if (objects.length === 0) return undefined
  const isGranted = grantedBy(objects, account)
  return { state: 'found', value: needs.map((need) => ({ need, isAllowed: isGranted(need) })) } as const
}

/** The Service that a webhook names. */
function calledJudgement(called: JsonObject, evidence: Evidence): Judgement {
  const [name, namespace, port] = [textAt(called, 'name'), textAt(called, 'namespace'), numberAt(called, 'port') ?? 443]
  const title = `the Service ${namespace}/${name}`
  const remedy = reinstall(evidence)
  const absent = failure(`the API server calls ${title}, which does not exist`, remedy)
  const judge = (service: JsonObject): Judgement => {
    const ports = listAt(service, 'spec', 'ports').map((one) => numberAt(one, 'port'))
    return isAlias(service) || ports.includes(port)
      ? ok('it exists')
      : failure(`the API server calls port ${port} of ${title}, which has ${ports.join(', ') || 'none'}`, remedy)
  }
  return whereFound(evidence.get({ kind: 'Service', name, namespace }), title, absent, judge) ?? absent
}

/** Whether a Service is a name of something outside of the cluster. */
const isAlias = (service: JsonObject): boolean => textAt(service, 'spec', 'type') === 'ExternalName'

const ofEach = (
  what: string,
  title: (name: string) => string,
  judge: (server: Server, workload: JsonObject, evidence: Evidence) => Judgement | undefined,
): readonly Check[] =>
  SERVERS.map((server) => ({
    id: `${server.id}/${what}`,
    title: title(titleOf(server)),
    judge(evidence) {
      const workload = workloadOf(server, evidence)
      if (workload.state === 'found') return judge(server, workload.value, evidence)
      // One of the checks says that it is not known.
      return workload.state === 'unknown' && what === 'replicas'
        ? unknown(`what runs ${server.title} cannot be read: ${workload.reason}`)
        : undefined
    },
  }))

export const SERVER_CHECKS: readonly Check[] = [
  {
    id: 'webhook/service',
    title: 'the Service that the API server calls',
    judge: (evidence) =>
      eachWebhook(evidence, 'the API server calls the Service of the installation', ({ actual: { clientConfig } }) =>
        textAt(clientConfig, 'url') === '' ? [calledJudgement(objectAt(clientConfig, 'service'), evidence)] : [],
      ),
  },
  ...ofEach('replicas', (name) => `the replicas of the ${name}`, replicasJudgement),
  ...ofEach('service', (name) => `the Service of the ${name}`, serviceJudgement),
  ...ofEach('rights', (name) => `what the ${name} may do`, rightsJudgement),
  {
    id: 'controller/leader',
    title: 'the replica that writes statuses',
    judge(evidence) {
      if (!evidence.cluster || workloadOf(serverOf('controller'), evidence).state !== 'found') return undefined
      const place = leasePlace(evidence)
      const remedy = `kubectl -n ${place.namespace} logs deployment/${serverOf('controller').name(evidence)} # says why no replica leads`
      const absent = failure('no replica has ever led: no status is written', remedy)
      return whereFound(evidence.get({ kind: 'Lease', ...place }), 'the Lease', absent, (lease) => {
        const holder = textAt(lease, 'spec', 'holderIdentity')
        const age = evidence.now - Date.parse(textAt(lease, 'spec', 'renewTime'))
        if (holder === '') return warning('no replica holds the Lease now', remedy)
        return age > 2 * LEASE_TIMES.duration
          ? failure(`${holder} renewed the Lease ${Math.round(age / 1000)} s ago: no status is written`, remedy)
          : ok(`${holder} leads`)
      })
    },
  },
  {
    id: 'mesh/api-service',
    title: 'the registration of the API of the mesh',
    judge(evidence) {
      const { group, namespace, api } = meshNames(evidence.project.settings)
      const name = `${REGISTERED_VERSION}.${group}`
      const isThere = workloadOf(serverOf('mesh'), evidence).state === 'found'
      const remedy = reinstall(evidence, 'mesh')
      const absent = isThere
        ? failure(`there is no APIService ${name}: kubectl does not reach the API of the mesh`, remedy)
        : undefined
      return whereFound(evidence.get({ kind: 'APIService', name }), `the APIService ${name}`, absent, (service) => {
        if (!evidence.cluster) return isThere ? ok('it is registered') : undefined
        const available = listAt(service, 'status', 'conditions').find((one) => textAt(one, 'type') === 'Available')
        return textAt(available, 'status') === 'True'
          ? ok(`${nameOf(service)} is available`)
          : failure(
              `${nameOf(service)} is not available: ${textAt(available, 'message') || 'no reason is given'}`,
              `kubectl -n ${namespace} get pods,endpointslices; kubectl -n ${namespace} logs deployment/${api}`,
            )
      })
    },
  },
]
