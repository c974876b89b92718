/** What the API server asks about, and what it leaves out: the shipped configurations with a server that writes it down. */
import { createServer, type Server } from 'node:https'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createAuthority, issueServing } from '../../src/http/authority.ts'
import { listen } from '../../src/http/listen.ts'
import { NAMES } from '../../src/installation/object.ts'
import { expected } from '../installation/expected.ts'
import { casesOf } from '../support/cases.ts'
import { installObjects } from './admission-server.ts'
import { useCluster } from './cluster.ts'
import { must } from './kubectl.ts'
import { namespace, policy, route, until } from './resources.ts'

const { each } = casesOf(import.meta.url)

const { kubectl } = useCluster()
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
  const port = await listen(server, { host: '127.0.0.1', port: 0 })
  const configurations = expected().filter(({ kind }) => kind.endsWith('WebhookConfiguration'))
  await installObjects(kubectl, configurations, { port, authority })
  await must(
    kubectl('create -f -', [
      namespace('shop', { [NAMES.mutateLabel]: 'enabled' }),
      namespace('plain'),
      namespace(NAMES.namespace),
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
afterAll(() => {
  server.close()
  server.closeAllConnections()
})
beforeEach(() => {
  asked.length = 0
})

const of = (name: string, space: string) => policy(name, ['Gateway/edge'], {}, space)

it('reviews a new policy: validates it, and patches it where the namespace enables that', async () => {
  await must(kubectl('create -f -', [of('a', 'shop'), of('a', 'plain')]))
  expect(asked).toEqual(['/mutate CREATE shop/a', '/validate CREATE shop/a', '/validate CREATE plain/a'])
})

it('reviews no policy where enforcement is off, in kube-system and in the own namespace', async () => {
  await must(kubectl('create -f -', [of('a', 'free'), of('a', 'kube-system'), of('a', NAMES.namespace)]))
  expect(asked).toEqual([])
})

each<[string, readonly string[]]>('asks what it must after %s', async (line, lines) => {
  await must(kubectl(line))
  expect(asked).toEqual(lines)
})

it('reviews routes that are created, changed and deleted, and not their labels', async () => {
  await must(kubectl('create -f -', [route('HTTPRoute', 'web', 'edge', 'plain')]))
  await must(kubectl('label httproute web -n plain team=web'))
  await must(kubectl(['patch', 'httproute', 'web', '-n', 'plain', '--type=merge', '-p', '{"spec":{"parentRefs":[]}}']))
  await must(kubectl('delete httproute web -n plain'))
  expect(asked).toEqual(['/observe CREATE plain/web', '/observe UPDATE plain/web', '/observe DELETE plain/web'])
})
