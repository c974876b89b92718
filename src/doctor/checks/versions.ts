/** CRDs, releases and settings: whether all speak of the same NGINX Gateway Fabric. */
import { FABRIC_VERSIONS, findFabricVersion, nginxOf, unknownFabricVersion } from '../../fabric/releases.ts'
import { FIELDS } from '../../gateway/schema/validate.mjs'
import { NAMES } from '../../installation/object.ts'
import { errorsOfPolicies, RULE_IDS } from '../../registry.ts'
import { readSettings } from '../../settings/file.ts'
import { type Evidence, listAt, nameOf, objectAt, textAt } from '../evidence.ts'
import { type Check, failure, type Judgement, ok, unknown, warning, whereFound, worstOf } from '../judgement.ts'
import { imageOf, SERVERS, workloadOf } from '../servers.ts'
import { TARGET_PLURALS } from '../wanted.ts'

/** The CRDs of NGINX Gateway Fabric, and of the Gateway API that it needs. Source: its installation guide. */
const crdsOf = (what: string, { project }: Pick<Evidence, 'project'>): string => {
  const { fabricVersion } = project.settings
  const ref = fabricVersion === 'edge' ? 'main' : `v${fabricVersion}`
  return `kubectl kustomize "https://github.com/nginx/nginx-gateway-fabric/config/${what}?ref=${ref}" | kubectl apply --server-side -f -`
}

const crdOf = (evidence: Evidence, name: string) => evidence.get({ kind: 'CustomResourceDefinition', name })

/** Whether the API server serves a CRD, in a version. */
function served(crd: unknown, version: string, remedy: string): Judgement {
  const versions = listAt(crd, 'spec', 'versions').map((one) => objectAt(one))
  const own = versions.find(({ name }) => name === version)
  const others = versions.filter((one) => one.served === true).map(({ name }) => name)
  const what = `${nameOf(crd)}: version ${version}`
  if (own?.served !== true)
    return failure(`${what} is not served${others.length > 0 ? `, only ${others.join(', ')}` : ''}`, remedy)
  const conditions = listAt(crd, 'status', 'conditions').map((one) => objectAt(one))
  const bad = conditions.find(
    ({ type, status }) => ['NamesAccepted', 'Established'].includes(String(type)) && status !== 'True',
  )
  if (bad) return failure(`${nameOf(crd)} is not ${bad.type}: ${textAt(bad, 'message')}`, remedy)
  return own.storage === true
    ? ok(`version ${version} is served and stored`)
    : warning(`${what} is served, but another one is stored`, remedy)
}

/** The known members of every object of a schema, by pointer, as the build lists those of the published CRD. */
function fieldsOf(schema: unknown, pointer = ''): Readonly<Record<string, readonly string[]>> {
  const { items, properties } = objectAt(schema)
  if (items !== undefined) return fieldsOf(items, `${pointer}/*`)
  if (properties === undefined) return {}
  const below = Object.entries(objectAt(properties)).map(([name, inner]) => fieldsOf(inner, `${pointer}/${name}`))
  return Object.assign({ [pointer]: Object.keys(objectAt(properties)) }, ...below)
}

function schemaJudgement(crd: unknown, evidence: Evidence): Judgement | undefined {
  const version = listAt(crd, 'spec', 'versions').find((one) => textAt(one, 'name') === evidence.names.policyVersion)
  if (version === undefined) return undefined
  const schema = objectAt(version, 'schema', 'openAPIV3Schema')
  if (
    [schema, objectAt(schema, 'properties', 'spec')].some((one) => one['x-kubernetes-preserve-unknown-fields'] === true)
  )
    return warning('the CRD has no schema: the API server takes any fields', crdsOf('crd', evidence))
  const actual = fieldsOf(schema)
  const inSpec = ([pointer]: readonly [string, unknown]) => pointer.startsWith('/spec')
  const paths = (fields: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(fields)
      .filter(inSpec)
      .flatMap(([pointer, names]) => names.map((name) => `${pointer}/${name}`.slice(1).replaceAll('/', '.')))
  const [known, there] = [new Set(paths(FIELDS)), new Set(paths(actual))]
  const missing = [...known].filter((path) => !there.has(path))
  const more = [...there].filter((path) => !known.has(path))
  if (missing.length > 0)
    return failure(
      `the CRD lacks ${missing.slice(0, 5).join(', ')}: the API server drops these fields`,
      crdsOf('crd', evidence),
    )
  if (more.length > 0)
    return warning(
      `the CRD has fields that this version of sluice does not know: ${more.slice(0, 5).join(', ')}`,
      'update sluice to a version that knows this release of NGINX Gateway Fabric',
    )
  return ok('the CRD has exactly the fields that sluice knows')
}

/** The releases that the images of NGINX Gateway Fabric name, with where. */
const releasesIn = (evidence: Evidence) => {
  const deployments = evidence.list('Deployment')
  if (deployments.state !== 'found') return deployments
  const value = deployments.value.flatMap((deployment) =>
    listAt(deployment, 'spec', 'template', 'spec', 'containers').flatMap((container) => {
      const tag = /nginx-gateway-fabric(?:\/nginx(?:-plus)?)?:v?([\w.-]+)/.exec(textAt(container, 'image'))?.[1]
      return tag === undefined
        ? []
        : [{ tag, where: `${textAt(deployment, 'metadata', 'namespace')}/${nameOf(deployment)}` }]
    }),
  )
  return { state: 'found', value } as const
}

function fabricJudgement(evidence: Evidence): Judgement | undefined {
  const { fabricVersion } = evidence.project.settings
  return whereFound(releasesIn(evidence), 'the Deployments of NGINX Gateway Fabric', undefined, (releases) => {
    if (releases.length === 0)
      return evidence.cluster
        ? unknown(
            'no Deployment of NGINX Gateway Fabric was found: its release is not known',
            'name it in the settings: fabricVersion',
          )
        : undefined
    return worstOf(
      releases.map(({ tag, where }) => {
        const known = findFabricVersion(tag)
        if (known === undefined)
          return warning(
            `${where}: ${unknownFabricVersion(tag)}`,
            `use a release that sluice knows: ${FABRIC_VERSIONS.slice(-4).join(', ')}`,
          )
        return known === fabricVersion
          ? ok(`NGINX Gateway Fabric ${tag}, as in the settings`)
          : warning(
              `${where} runs NGINX Gateway Fabric ${tag}, and the settings say ${fabricVersion}`,
              `write fabricVersion: ${JSON.stringify(known)} into the settings`,
            )
      }),
    )
  })
}

function nginxJudgement({ project, localNginx, place }: Evidence): Judgement | undefined {
  const { fabricVersion, platform } = project.settings
  const ofRelease = nginxOf(fabricVersion) ?? ''
  const isSame = ofRelease === platform.nginxVersion || ofRelease.startsWith(`${platform.nginxVersion}.`)
  if (!isSame)
    return warning(
      `the settings say nginx ${platform.nginxVersion}, and NGINX Gateway Fabric ${fabricVersion} runs ${ofRelease}`,
      `remove platform.nginxVersion from the settings, or write ${JSON.stringify(ofRelease)}`,
    )
  const here = localNginx.state === 'found' ? localNginx.value : 'none'
  const local = place === 'cluster' ? `; on this machine: ${here}` : ''
  return ok(`nginx ${ofRelease} in NGINX Gateway Fabric ${fabricVersion}${local}`)
}

export const VERSION_CHECKS: readonly Check[] = [
  {
    id: 'crd/ratelimitpolicy',
    title: 'the CRD of RateLimitPolicy',
    judge(evidence) {
      const { names, cluster } = evidence
      const name = `ratelimitpolicies.${names.policyGroup}`
      const remedy = crdsOf('crd', evidence)
      const absent = cluster
        ? failure(`the cluster has no CRD ${name}: it takes no RateLimitPolicy`, remedy)
        : undefined
      return whereFound(crdOf(evidence, name), `the CRD ${name}`, absent, (crd) =>
        served(crd, names.policyVersion, remedy),
      )
    },
  },
  {
    id: 'crd/schema',
    title: 'the fields of RateLimitPolicy',
    judge(evidence) {
      const crd = crdOf(evidence, `ratelimitpolicies.${evidence.names.policyGroup}`)
      return crd.state === 'found' ? schemaJudgement(crd.value, evidence) : undefined
    },
  },
  {
    id: 'crd/gateway-api',
    title: 'the CRDs of the Gateway API',
    judge(evidence) {
      const remedy = crdsOf('crd/gateway-api/standard', evidence)
      const judged = TARGET_PLURALS.flatMap((plural) => {
        const name = `${plural}.${evidence.names.gatewayGroup}`
        const absent = evidence.cluster ? failure(`the cluster has no CRD ${name}`, remedy) : undefined
        return whereFound(crdOf(evidence, name), `the CRD ${name}`, absent, (crd) => served(crd, 'v1', remedy)) ?? []
      })
      return judged.length > 0 ? worstOf(judged) : undefined
    },
  },
  { id: 'version/fabric', title: 'the release of NGINX Gateway Fabric', judge: fabricJudgement },
  { id: 'version/nginx', title: 'the version of nginx', judge: nginxJudgement },
  {
    id: 'version/sluice',
    title: 'the version of sluice',
    judge(evidence) {
      const judged = SERVERS.flatMap((server): readonly Judgement[] => {
        const workload = workloadOf(server, evidence)
        if (workload.state !== 'found') return []
        const image = imageOf(workload.value)
        const tag = /:v?([\w.-]+)$/.exec(image.split('@')[0] ?? '')?.[1]
        const remedy = `${server.command(evidence, {})} # the version of this program`
        if (tag === undefined || !/^\d/.test(tag))
          return [unknown(`the image "${image}" of ${server.title} does not say its version`)]
        return [
          tag === evidence.sluice
            ? ok(`sluice ${tag}`)
            : warning(`${server.title} is sluice ${tag}, and this is ${evidence.sluice}`, remedy),
        ]
      })
      return judged.length > 0 ? worstOf(judged) : undefined
    },
  },
  {
    id: 'settings/valid',
    title: 'the settings',
    judge({ settingsTexts, cluster, namespace }) {
      const edit = cluster ? `kubectl -n ${namespace} edit configmap ${NAMES.config}` : 'correct it'
      const judged = settingsTexts.map(({ where, text }) => {
        const read = readSettings(text, RULE_IDS, undefined, { errorsOfPolicies })
        if (read.ok) return ok(`${where} is valid`)
        const [first] = read.problems
        const at = first
          ? `:${first.line}:${first.column}: ${first.path === '' ? '' : `${first.path}: `}${first.message}`
          : ''
        return failure(`${where}${at}`, `${edit} # the server keeps the settings from before`)
      })
      return judged.length > 0 ? worstOf(judged) : undefined
    },
  },
]
