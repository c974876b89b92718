/** The manifests on a real API server: taken as they are, narrow in what they grant and in what they ask about. */
import { createServer, type Server } from 'node:https'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { writeBundle } from '../../src/cluster/ca-bundle.ts'
import { renewSecret } from '../../src/cluster/certificate-secret.ts'
import { bundleOf, renewCertificates, serviceNames } from '../../src/cluster/certificates.ts'
import { systemClock } from '../../src/cluster/clock.ts'
import { clusterOfFile } from '../../src/cluster/kubeconfig.ts'
import { watchCluster } from '../../src/cluster/watch.ts'
import { isObject } from '../../src/gateway/member.ts'
import { createAuthority, issueServing } from '../../src/http/authority.ts'
import { type KubeObject, NAMES } from '../../src/manifests/object.ts'
import { apiNames } from '../../src/names.ts'
import { expected } from '../manifests/expected.ts'
import { ADMIN, type ControlPlane, startControlPlane } from './control-plane.ts'
import { createKubectl, type Kubectl, must } from './kubectl.ts'
import { applyCrds, namespace, policy, route, until } from './resources.ts'

const UNINSTALL =
  'delete validatingwebhookconfigurations,mutatingwebhookconfigurations,clusterrolebindings,clusterroles,namespaces -l app.kubernetes.io/part-of=sluice --wait=false'

let plane: ControlPlane
let kubectl: Kubectl

beforeAll(async () => {
  plane = await startControlPlane()
  kubectl = createKubectl(plane.kubeconfig(ADMIN))
  await applyCrds(kubectl)
})
afterAll(() => plane.stop())

/** cert-manager and the Prometheus operator bring kinds that this API server does not know. */
const objects = expected(['fail-closed', 'mutate-everywhere'])

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

/** What the cluster gives an object, and what follows from another member. */
const GIVEN =
  /^\/(?:status|spec|metadata\/(?:uid|resourceVersion|generation|creationTimestamp|managedFields|labels\/kubernetes\.io\/metadata\.name)|spec\/(?:clusterIPs?|ipFamilies|ipFamilyPolicy|template\/spec\/serviceAccount))$/

describe('installed', () => {
  beforeAll(async () => {
    expect(await kubectl('apply --server-side -f -', objects)).toMatchObject({ code: 0, stderr: '' })
  })

  it.each(objects.map((object) => [object.kind, object] as const))(
    '%s has nothing left to fill in',
    async (_, object) => {
      const found = differences(object, await live(object))
      expect(found.filter((path) => !GIVEN.test(path))).toEqual([])
    },
  )

  it('shows no drift', async () => {
    expect(await kubectl('diff --server-side -f -', objects)).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('runs Pods that its namespace, which takes the restricted kind alone, takes', async () => {
    const template = objects.flatMap(({ kind, spec }) =>
      kind === 'Deployment' && isObject(spec) ? [spec.template] : [],
    )
    const [pod] = template.filter(isObject)
    const body = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'one', namespace: NAMES.namespace },
      spec: pod?.spec,
    }
    expect(await kubectl('create --dry-run=server -f -', [body])).toMatchObject({ code: 0, stderr: '' })
    const { securityContext: _, ...bare } = isObject(pod?.spec) ? pod.spec : {}
    const { stderr } = await kubectl('create --dry-run=server -f -', [{ ...body, spec: bare }])
    expect(stderr).toContain('violates PodSecurity "restricted')
  })

  describe('the service account', () => {
    let token: string
    const cluster = () => clusterOfFile(plane.kubeconfig({ name: 'account', token, groups: [] }))
    beforeAll(async () => {
      token = (await must(kubectl(`create token ${NAMES.admission} -n ${NAMES.namespace}`))).trim()
    })

    it('sees everything that is watched', async () => {
      const watch = watchCluster(cluster(), { names: apiNames(), clock: systemClock })
      try {
        await until('every watch is synced', () => watch.view().synced)
      } finally {
        watch.stop()
      }
    })

    it('keeps its Secret and the caBundle, which later applies leave alone', async () => {
      const names = serviceNames(NAMES.admission, NAMES.namespace)
      const place = { namespace: NAMES.namespace, name: NAMES.tls }
      const renew = (now: number) => renewSecret(cluster(), place, (stored) => renewCertificates(stored, names, now))
      const first = await renew(Date.now())
      const next = await renew(Date.now() + 365 * 24 * 3600 * 1000)
      expect(next.serving?.cert).not.toBe(first.serving?.cert)
      const bundle = bundleOf(next)
      await writeBundle(cluster(), { validating: [NAMES.validating], mutating: [NAMES.mutating] }, bundle)
      expect(await kubectl('apply --server-side -f -', objects)).toMatchObject({ code: 0, stderr: '' })
      expect(await kubectl('apply -f -', objects)).toMatchObject({ code: 0 })
      const written = await must(
        kubectl(
          `get validatingwebhookconfiguration ${NAMES.validating} -o jsonpath={.webhooks[*].clientConfig.caBundle}`,
        ),
      )
      expect(written.split(' ').map((text) => Buffer.from(text, 'base64').toString())).toEqual([bundle, bundle])
    })

    it.each([
      ['list secrets', '-n sluice-system'],
      ['get secret/other', '-n sluice-system'],
      ['delete secret/sluice-admission-tls', '-n sluice-system'],
      ['create secrets', '-n default'],
      ['update ratelimitpolicies', '-n default'],
      ['delete validatingwebhookconfigurations/sluice-validating', ''],
      ['patch validatingwebhookconfigurations/other', ''],
      ['get pods', '-A'],
    ])('may not %s %s', async (what, where) => {
      const account = createKubectl(plane.kubeconfig({ name: 'account', token, groups: [] }))
      const { stdout } = await account(`auth can-i ${what} ${where}`.trim())
      expect(stdout.trim()).toBe('no')
    })
  })
})

describe('asked', () => {
  const asked: string[] = []
  let server: Server

  beforeAll(async () => {
    const validity = { from: Date.now() - 60_000, until: Date.now() + 3_600_000 }
    const authority = await createAuthority('test', validity)
    server = createServer(await issueServing(authority, ['127.0.0.1'], validity), async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const { request: review } = JSON.parse(Buffer.concat(chunks).toString())
      asked.push(`${request.url?.replace(/\?.*/, '')} ${review.operation} ${review.namespace}/${review.name}`)
      response.setHeader('content-type', 'application/json')
      response.end(
        JSON.stringify({
          apiVersion: 'admission.k8s.io/v1',
          kind: 'AdmissionReview',
          response: { uid: review.uid, allowed: true },
        }),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const configurations = expected()
      .filter(({ kind }) => kind.endsWith('WebhookConfiguration'))
      .map((one) => pointedAt(one, `https://127.0.0.1:${port}`, Buffer.from(authority.cert).toString('base64')))
    await must(kubectl('delete validatingwebhookconfigurations,mutatingwebhookconfigurations --all'))
    await must(kubectl('create -f -', configurations))
    await must(
      kubectl('create -f -', [
        namespace('shop', { [NAMES.mutateLabel]: 'enabled' }),
        namespace('plain'),
        namespace('free', { [NAMES.enforceLabel]: 'off', [NAMES.mutateLabel]: 'enabled' }),
      ]),
    )
    // The API server takes up configurations a moment later.
    await until('the webhooks are asked', async () => {
      await must(
        kubectl('create --dry-run=server -f -', [
          policy('probe', ['Gateway/edge'], {}, 'shop'),
          route('HTTPRoute', 'probe', 'edge', 'shop'),
        ]),
      )
      return ['/mutate', '/validate', '/observe'].every((path) => asked.some((line) => line.startsWith(path)))
    })
  })
  afterAll(() => new Promise((resolve) => server.close(resolve)))
  beforeEach(() => {
    asked.length = 0
  })

  const of = (name: string, space: string) => policy(name, ['Gateway/edge'], {}, space)

  it('about a new policy: to validate it, and to mend it where that is asked for', async () => {
    await must(kubectl('create -f -', [of('a', 'shop'), of('a', 'plain')]))
    expect(asked).toEqual(['/mutate CREATE shop/a', '/validate CREATE shop/a', '/validate CREATE plain/a'])
  })

  it('about no policy where enforcement is off, in kube-system and in the own namespace', async () => {
    await must(kubectl('create -f -', [of('a', 'free'), of('a', 'kube-system'), of('a', NAMES.namespace)]))
    expect(asked).toEqual([])
  })

  it.each([
    ['annotate ratelimitpolicy a -n plain team=web', ['/validate UPDATE plain/a']],
    ['label ratelimitpolicy a -n plain team=web', ['/validate UPDATE plain/a']],
    ['patch ratelimitpolicy a -n plain --type=merge -p {"spec":{"rateLimit":null}}', ['/validate UPDATE plain/a']],
    ['patch ratelimitpolicy a -n plain --type=merge -p {"metadata":{"finalizers":["example.org/held"]}}', []],
    ['patch ratelimitpolicy a -n plain --subresource=status --type=merge -p {"status":{"ancestors":[]}}', []],
    ['delete ratelimitpolicy a -n plain --wait=false', []],
    ['annotate ratelimitpolicy a -n plain team=none --overwrite', []],
    ['patch ratelimitpolicy a -n plain --type=merge -p {"metadata":{"finalizers":null}}', []],
  ])('after %s', async (line, lines) => {
    await must(kubectl(line))
    expect(asked).toEqual(lines)
  })

  it('about routes that come, change and go, and not about their labels', async () => {
    await must(kubectl('create -f -', [route('HTTPRoute', 'web', 'edge', 'plain')]))
    await must(kubectl('label httproute web -n plain team=web'))
    await must(
      kubectl(['patch', 'httproute', 'web', '-n', 'plain', '--type=merge', '-p', '{"spec":{"parentRefs":[]}}']),
    )
    await must(kubectl('delete httproute web -n plain'))
    expect(asked).toEqual(['/observe CREATE plain/web', '/observe UPDATE plain/web', '/observe DELETE plain/web'])
  })
})

describe('uninstalled', () => {
  it('leaves nothing behind with one line', async () => {
    await must(kubectl('delete validatingwebhookconfigurations,mutatingwebhookconfigurations --all'))
    await must(kubectl('apply --server-side --force-conflicts -f -', objects))
    await must(kubectl(UNINSTALL))
    const left = await must(
      kubectl(
        'get validatingwebhookconfigurations,mutatingwebhookconfigurations,clusterroles,clusterrolebindings -o name',
      ),
    )
    expect(left).not.toContain('sluice')
    // Without controllers a namespace never finishes; with them it takes along what it holds.
    expect(await must(kubectl(`get namespace ${NAMES.namespace} -o jsonpath={.status.phase}`))).toBe('Terminating')
  })
})

/** A configuration that asks a server on this machine instead of a Service. */
function pointedAt(configuration: KubeObject, url: string, caBundle: string): KubeObject {
  const { webhooks } = configuration
  if (!Array.isArray(webhooks)) throw new Error(`${configuration.kind} has no webhooks`)
  return {
    ...configuration,
    webhooks: webhooks.filter(isObject).map((webhook) => ({
      ...webhook,
      clientConfig: { url: `${url}${pathOf(webhook.clientConfig)}`, caBundle },
    })),
  }
}

function pathOf(clientConfig: unknown): string {
  const service = isObject(clientConfig) ? clientConfig.service : undefined
  return isObject(service) && typeof service.path === 'string' ? service.path : ''
}
