/** The manifests on a real API server: taken as they are, narrow in what they grant. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { writeBundle } from '../../src/cluster/certificates/ca-bundle.ts'
import { bundleOf, renewCertificates, serviceNames } from '../../src/cluster/certificates/certificates.ts'
import { renewSecret } from '../../src/cluster/certificates/secret.ts'
import { systemClock } from '../../src/cluster/client/clock.ts'
import { warnAboutConfigMap } from '../../src/cluster/client/events.ts'
import { clusterOfFile } from '../../src/cluster/client/kubeconfig.ts'
import { watchCluster } from '../../src/cluster/watch/watch.ts'
import { GATEWAY_SYSTEM } from '../../src/gateway/system.ts'
import { type KubeObject, NAMES } from '../../src/installation/object.ts'
import { isObject, type JsonObject } from '../../src/json/member.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { allCombinations, expected } from '../installation/expected.ts'
import { casesOf } from '../support/cases.ts'
import { useCluster } from './cluster.ts'
import { createKubectl, must } from './kubectl.ts'
import { gateway, policy, until } from './resources.ts'
import { ADMIN } from './users.ts'

const { each } = casesOf(import.meta.url)

/** The lines that docs/admission.md gives, without the word kubectl. */
const UNINSTALL =
  readFileSync(join(import.meta.dirname, '../../docs/admission.md'), 'utf8')
    .match(/\n## Uninstall\n\n```sh\n([^`]+)```/)?.[1]
    ?.trim()
    .split('\n')
    .map((line) => line.replace(/^kubectl /, '')) ?? []

const cluster = useCluster({ objects: [gateway('edge'), policy('kept', ['Gateway/edge'])] })
const { kubectl } = cluster
/** What the cluster held before anything was installed. */
let before: readonly string[]

beforeAll(async () => {
  before = await inventory()
})

/** cert-manager and the Prometheus operator bring kinds that this API server does not know. */
const objects = expected(['fail-closed', 'mutate-everywhere'], { mesh: true })

const live = async ({ kind, metadata }: KubeObject): Promise<unknown> =>
  JSON.parse(await must(kubectl(['get', kind, metadata.name, '-n', NAMES.namespace, '-o', 'json'])))

/** Paths of members that one value has and the other does not, or not so. */
function differences(ours: unknown, theirs: unknown, path = ''): readonly string[] {
  if (isObject(ours) && isObject(theirs))
    return [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].flatMap((name) =>
      differences(ours[name], theirs[name], `${path}/${name}`),
    )
  if (Array.isArray(ours) && Array.isArray(theirs) && ours.length === theirs.length)
    return ours.flatMap((item, index) => differences(item, theirs[index], `${path}/${index}`))
  return Object.is(ours, theirs) ? [] : [path]
}

/** What the cluster gives an object, and what follows from another member. Kubernetes 1.30 writes the time of a template, null. */
const GIVEN =
  /^\/(?:status|spec|metadata\/(?:uid|resourceVersion|generation|creationTimestamp|managedFields|labels\/kubernetes\.io\/metadata\.name)|spec\/(?:clusterIPs?|ipFamilies|ipFamilyPolicy|template\/spec\/serviceAccount|template\/metadata\/creationTimestamp))$/

/** The Pod that a Deployment would create. */
const podOf = ({ template }: JsonObject, name: string) => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: NAMES.namespace } },
  spec: isObject(template) ? template.spec : undefined,
})

describe('installed', () => {
  beforeAll(async () => {
    expect(await kubectl('apply --server-side -f -', objects)).toMatchObject({ code: 0, stderr: '' })
  })

  it.each(objects.map((object) => [object.kind, object] as const))(
    '%s has nothing left to fill in',
    async (_, object) =>
      expect(differences(object, await live(object)).filter((path) => !GIVEN.test(path))).toEqual([]),
  )

  it('shows no drift', async () =>
    expect(await kubectl('diff --server-side -f -', objects)).toEqual({ code: 0, stdout: '', stderr: '' }))

  it('runs Pods that its namespace, which takes the restricted kind alone, takes, whatever is chosen', async () => {
    const choices = allCombinations().map(({ names }) => expected(names))
    const pods = choices.flatMap((chosen, index) =>
      chosen.flatMap(({ kind, spec }) =>
        kind === 'Deployment' && isObject(spec) ? [podOf(spec, `pod-${index}`)] : [],
      ),
    )
    expect(await kubectl('create --dry-run=server -f -', pods)).toMatchObject({ code: 0, stderr: '' })
    const [pod] = pods
    for (const member of ['runAsNonRoot', 'seccompProfile']) {
      const context = isObject(pod?.spec) && isObject(pod.spec.securityContext) ? pod.spec.securityContext : {}
      const { [member]: removed, ...securityContext } = context
      expect(removed).toBeDefined()
      const { stderr } = await kubectl('create --dry-run=server -f -', [
        { ...pod, spec: { ...Object(pod?.spec), securityContext } },
      ])
      expect(stderr).toMatch(new RegExp(`violates PodSecurity "restricted.*${member}`))
    }
  })

  describe('the service account', () => {
    let token: string
    const account = () => clusterOfFile(cluster.kubeconfig({ name: 'account', token, groups: [] }))
    beforeAll(async () => {
      token = (await must(kubectl(`create token ${NAMES.admission} -n ${NAMES.namespace}`))).trim()
    })

    it('sees everything that is watched', async () => {
      const watch = watchCluster(account(), { names: apiNames(), systems: [GATEWAY_SYSTEM], clock: systemClock })
      try {
        await until('every watch is synced', () => watch.view().synced)
      } finally {
        watch.stop()
      }
    })

    it('says in an Event that its settings are not used', async () => {
      const about = {
        namespace: NAMES.namespace,
        name: NAMES.config,
        reason: 'SettingsRejected',
        message: 'no mapping',
      }
      await warnAboutConfigMap(account(), { ...about, at: new Date() })
      expect(await must(kubectl(`get events -n ${NAMES.namespace}`))).toContain('no mapping')
      const described = await must(kubectl(`describe configmap ${NAMES.config} -n ${NAMES.namespace}`))
      expect(described).toMatch(/Warning +SettingsRejected .* sluice-admission +no mapping/)
    })

    it('says it without the ConfigMap as well', async () => {
      const about = { namespace: NAMES.namespace, name: 'gone', reason: 'SettingsRejected', message: 'no file' }
      await warnAboutConfigMap(account(), { ...about, at: new Date() })
      expect(await must(kubectl(`get events -n ${NAMES.namespace}`))).toContain('no file')
    })

    it('keeps its Secret and the caBundle, which later applies leave alone', async () => {
      const names = serviceNames(NAMES.admission, NAMES.namespace)
      const place = { namespace: NAMES.namespace, name: NAMES.tls }
      const renew = (now: number) =>
        renewSecret(account(), place, (stored) => renewCertificates(stored, { names, now }))
      const first = await renew(Date.now())
      const next = await renew(Date.now() + 365 * 24 * 3600 * 1000)
      expect(next.serving?.cert).not.toBe(first.serving?.cert)
      const bundle = bundleOf(next)
      const configurations = { validating: [NAMES.validating], mutating: [NAMES.mutating] }
      await writeBundle(account(), { configurations, bundle }, () => {})
      expect(await kubectl('apply --server-side -f -', objects)).toMatchObject({ code: 0, stderr: '' })
      expect(await kubectl('apply -f -', objects)).toMatchObject({ code: 0 })
      const written = await must(
        kubectl(
          `get validatingwebhookconfiguration ${NAMES.validating} -o jsonpath={.webhooks[*].clientConfig.caBundle}`,
        ),
      )
      expect(written.split(' ').map((text) => Buffer.from(text, 'base64').toString())).toEqual([bundle, bundle])
    })

    each<[string, string]>('may not %s %s', async (what, where) => {
      const asAccount = createKubectl(cluster.kubeconfig({ name: 'account', token, groups: [] }))
      const { stdout } = await asAccount(`auth can-i ${what} ${where}`.trim())
      expect(stdout.trim()).toBe('no')
    })
  })
})

/** Everything that a cluster stores, of every kind that it lists, but what it writes for itself from time to time. */
async function inventory(): Promise<readonly string[]> {
  const kinds = (await must(kubectl('api-resources --verbs=list -o name'))).trim().split('\n')
  const lasting = kinds.filter((kind) => !/^events(?:\.|$)|^leases\./.test(kind))
  const columns = 'custom-columns=KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name'
  const lines = await must(kubectl(['get', lasting.join(), '-A', '--no-headers', '-o', columns]))
  return lines
    .trim()
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .sort()
}

/** What the controller of namespaces does, which does not run here: empties one that is on its way out, and lets go. */
async function finishNamespace(name: string): Promise<void> {
  expect(await must(kubectl(`get namespace ${name} -o jsonpath={.status.phase}`))).toBe('Terminating')
  const kinds = (await must(kubectl('api-resources --namespaced --verbs=list,delete -o name'))).trim().split('\n')
  await must(kubectl(['delete', kinds.join(), '--all', '-n', name, '--timeout=30s']))
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name }, spec: { finalizers: [] } }
  await must(kubectl(`replace --raw /api/v1/namespaces/${name}/finalize -f -`, JSON.stringify(body)))
}

it('an installation that is removed deletes everything that was created, and nothing that was there before', async () => {
  await must(kubectl('apply --server-side --force-conflicts -f -', objects))
  const place = { namespace: NAMES.namespace, name: NAMES.tls }
  const names = serviceNames(NAMES.admission, NAMES.namespace)
  await renewSecret(clusterOfFile(cluster.kubeconfig(ADMIN)), place, (old) =>
    renewCertificates(old, { names, now: Date.now() }),
  )
  expect((await inventory()).join('\n')).toContain(`Secret ${NAMES.namespace} ${NAMES.tls}`)
  await must(kubectl(`label namespace default ${NAMES.enforceLabel}=off ${NAMES.mutateLabel}=enabled`))

  const [deletion = '', labels = ''] = UNINSTALL
  await must(kubectl(`${deletion} --wait=false`))
  await finishNamespace(NAMES.namespace)
  await must(kubectl(labels))

  expect(await inventory()).toEqual(before)
  expect(before).toContain('RateLimitPolicy default kept')
  expect(before.join('\n')).toMatch(/CustomResourceDefinition <none> ratelimitpolicies\./)
  expect(await must(kubectl('get namespaces -o jsonpath={.items[*].metadata.labels}'))).not.toContain('sluice')
})
