/**
 * Several tools that write the same policies, namespaces on their way out, subresources, and objects as large as an API
 * server takes: nothing is denied for who came first, and nothing changes without end.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useCluster, useWebhook } from '../cluster.ts'
import { must } from '../kubectl.ts'
import { CRD_FILES, gateway, limit, namespace, policy, route, until } from '../resources.ts'

const SPACE = 'shared'
const cluster = useCluster({
  objects: [namespace(SPACE, { 'sluice.policy/mutate': 'enabled' }), gateway('edge', SPACE)],
})
const { kubectl, store, read } = cluster
const webhook = useWebhook(cluster, { failurePolicy: 'Fail' })

/** Runs something while no webhook responds and the API server fails closed. */
async function withoutWebhook(work: () => Promise<void>): Promise<void> {
  await webhook.server.stop()
  expect((await cluster.write('POST', policy('probe', ['Gateway/edge']))).message).toContain('failed calling webhook')
  try {
    await work()
  } finally {
    await webhook.restart()
  }
}

const live = async (name: string, space = SPACE) => await read(`ratelimitpolicy ${name} -n ${space}`)
const names = async () =>
  (await must(kubectl(`get ratelimitpolicies -n ${SPACE} -o name`))).trim().split('\n').filter(Boolean).sort()

/** A limit that the webhook completes. */
const bare = ({ key = '$binary_remote_addr' } = {}) => ({ rate: '10R/S', key })

describe('managers of one policy', () => {
  const whole = policy('fields', ['Gateway/edge'], { local: { rules: [bare()] } }, SPACE)
  const { spec: _, ...head } = whole
  const part = (rateLimit: object) => ({ ...head, spec: { targetRefs: whole.spec.targetRefs, rateLimit } })
  const parts = [
    ['one', whole],
    ['two', part({ rejectCode: 429 })],
    ['three', part({ logLevel: 'warn' })],
  ] as const

  test('three of them apply their fields on the server in turns: no conflict, and nothing changes after the first', async () => {
    const round = async () => {
      for (const [manager, object] of parts)
        expect(
          await kubectl(
            ['apply', '--server-side', '--validate=false', `--field-manager=${manager}`, '-f', '-'],
            [object],
          ),
        ).toMatchObject({ code: 0, stderr: '' })
    }
    await round()
    const first = await live('fields')
    expect(first.spec.rateLimit).toEqual({
      ...{ logLevel: 'warn', rejectCode: 429 },
      local: { rules: [{ rate: '10r/s', key: '$binary_remote_addr', zoneSize: '10m' }] },
    })
    await round()
    await round()
    const { metadata, spec } = await live('fields')
    expect([spec, metadata.generation]).toEqual([first.spec, first.metadata.generation])
    for (const [manager, object] of parts)
      expect(await kubectl(['diff', '--server-side', `--field-manager=${manager}`, '-f', '-'], [object])).toEqual({
        code: 0,
        stdout: '',
        stderr: '',
      })
  })

  test('a fourth that wants another value is told of the conflict by the API server, and what it forces is judged', async () => {
    const words = (flags: readonly string[]) => ['apply', '--server-side', '--field-manager=four', ...flags, '-f', '-']
    const other = part({ rejectCode: 503, local: { rules: [limit({ rate: '0r/s' })] } })
    const { code, stderr } = await kubectl(words([]), [other])
    expect([code, stderr]).toEqual([1, expect.stringContaining('conflict')])
    const forced = await kubectl(words(['--force-conflicts']), [other])
    expect([forced.code, forced.stderr]).toEqual([1, expect.stringContaining('nginx refuses the rate "0r/s"')])
  })
})

test('kubectl diff shows nothing after the webhook has completed what was applied, on the client and on the server', async () => {
  for (const [name, flags] of [
    ['diffed', []],
    ['diffed-server', ['--server-side']],
  ] as const) {
    const object = policy(name, ['Gateway/edge'], { local: { rules: [bare({ key: '$host' })] } }, SPACE)
    await must(kubectl(['apply', '--validate=false', ...flags, '-f', '-'], [object]))
    expect((await live(name)).spec.rateLimit.local.rules[0].zoneSize).toBe('10m')
    expect(await kubectl(['diff', ...flags, '-f', '-'], [object])).toEqual({ code: 0, stdout: '', stderr: '' })
    const before = (await live(name)).metadata.resourceVersion
    await must(kubectl(['apply', '--validate=false', ...flags, '-f', '-'], [object]))
    expect((await live(name)).metadata.resourceVersion).toBe(before)
  }
  await must(kubectl(`delete ratelimitpolicies --all -n ${SPACE} --wait=false`))
})

describe('apply with prune by one tool, and apply by another', () => {
  const labelled = <Item extends { metadata: object }>(item: Item) => ({
    ...item,
    metadata: { ...item.metadata, labels: { app: 'cafe' } },
  })
  const old = [route('HTTPRoute', 'cafe', 'edge', SPACE), policy('cafe', ['HTTPRoute/cafe'], {}, SPACE)].map(labelled)
  const renamed = [route('HTTPRoute', 'coffee', 'edge', SPACE), policy('coffee', ['HTTPRoute/coffee'], {}, SPACE)].map(
    labelled,
  )
  const theirs = policy('platform', ['HTTPRoute/cafe', 'HTTPRoute/coffee'], {}, SPACE)
  const kinds = ['gateway.networking.k8s.io/v1/HTTPRoute', 'gateway.nginx.org/v1alpha1/RateLimitPolicy']
  const allow = kinds.map((kind) => `--prune-allowlist=${kind}`)
  const prune = (objects: readonly object[]) =>
    kubectl(['apply', '-n', SPACE, '--prune', '-l', 'app=cafe', ...allow, '-f', '-'], objects)
  const lastOf = (order: readonly string[], step: string) => order.lastIndexOf(step)
  const steps = {
    rename: () => prune(renamed),
    back: () => prune([...old].reverse()),
    apply: () => kubectl('apply --server-side --field-manager=platform -f -', [theirs]),
    remove: () => kubectl(`delete ratelimitpolicy platform -n ${SPACE} --ignore-not-found`),
  }

  test.each([
    ['rename', 'apply', 'back', 'remove'],
    ['apply', 'rename', 'remove', 'back'],
    ['rename', 'back', 'apply', 'rename'],
    ['apply', 'back', 'rename', 'apply'],
  ] as const)(
    'in the order %s, %s, %s, %s: nothing is denied, and what was applied last is there',
    async (...order) => {
      await must(prune(old))
      await must(steps.remove())
      for (const step of order) {
        const { code, stderr } = await steps[step]()
        expect([step, code, stderr]).toEqual([step, 0, expect.not.stringContaining('denied')])
      }
      const own = lastOf(order, 'back') > lastOf(order, 'rename') ? 'cafe' : 'coffee'
      const hasTheirs = lastOf(order, 'apply') > lastOf(order, 'remove')
      const expected = [own, ...(hasTheirs ? ['platform'] : [])]
      expect(await names()).toEqual(expected.map((name) => `ratelimitpolicy.gateway.nginx.org/${name}`))
    },
  )
})

test('a namespace that is being deleted goes, whatever is in it, and without a webhook', async () => {
  const held = (name: string) => {
    const one = policy(name, ['HTTPRoute/cafe'], {}, 'leaving')
    return { ...one, metadata: { ...one.metadata, finalizers: ['example.com/hold'] } }
  }
  await store([namespace('leaving'), gateway('edge', 'leaving')])
  await store([route('HTTPRoute', 'cafe', 'edge', 'leaving'), held('first'), held('second')])
  await must(kubectl('delete namespace leaving --wait=false'))
  const late = await kubectl('apply -f -', [policy('late', ['HTTPRoute/cafe'], {}, 'leaving')])
  expect([late.code, late.stderr]).toEqual([1, expect.stringContaining('because it is being terminated')])
  const release = (name: string) =>
    must(
      kubectl([
        'patch',
        'ratelimitpolicy',
        name,
        '-n',
        'leaving',
        '--type=merge',
        '-p',
        '{"metadata":{"finalizers":null}}',
      ]),
    )
  await must(kubectl('delete httproutes,gateways --all -n leaving'))
  await must(kubectl('delete ratelimitpolicies --all -n leaving --wait=false'))
  await release('first')
  await withoutWebhook(async () => {
    await release('second')
    expect(await must(kubectl('get ratelimitpolicies,httproutes,gateways -n leaving -o name'))).toBe('')
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'leaving' }, spec: { finalizers: [] } }
    await must(kubectl('replace --raw /api/v1/namespaces/leaving/finalize -f -', JSON.stringify(body)))
    expect((await kubectl('get namespace leaving')).code).toBe(1)
  })
})

test('status, scale and other subresources never wait for the webhook', async () => {
  const crd = JSON.parse(
    await must(kubectl(['create', '--dry-run=client', '-o', 'json', '-f', CRD_FILES.ratelimitpolicies ?? ''])),
  )
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' }
  for (const version of crd.spec.versions) {
    version.subresources = { status: {}, scale }
    version.schema.openAPIV3Schema.properties.spec.properties.replicas = { type: 'integer' }
    version.schema.openAPIV3Schema.properties.status.properties.replicas = { type: 'integer' }
  }
  await store(JSON.stringify(crd))
  await store([policy('scaled', ['Gateway/edge'], {}, SPACE)])
  const words = ['patch', 'ratelimitpolicy', 'scaled', '-n', SPACE, '--type=merge', '--subresource=status', '-p']
  await withoutWebhook(async () => {
    await must(kubectl([...words, '{"status":{"ancestors":[],"replicas":1}}']))
    await until(
      'there is a scale',
      async () => (await kubectl(`scale ratelimitpolicy scaled -n ${SPACE} --replicas=3`)).code === 0,
    )
  })
  expect((await live('scaled')).spec.replicas).toBe(3)
  await must(kubectl(['apply', '-f', CRD_FILES.ratelimitpolicies ?? '']))
})

describe('an object as large as the API server takes', () => {
  const write = (name: string, object: object) => {
    const path = join(cluster.folder, `${name}.json`)
    writeFileSync(path, JSON.stringify(object))
    return path
  }
  const large = (name: string, characters: string, rate: string) => {
    const rules = [limit({ rate }), limit({ key: characters })]
    return write(name, policy(name, ['Gateway/edge'], { local: { rules } }, SPACE))
  }

  test.each([
    ['a million letters', 'x'.repeat(1_000_000)],
    ['characters that take six bytes in JSON', '<'.repeat(230_000)],
  ])('of %s is judged, as new object and as the old one', async (_, characters) => {
    const name = `large-${characters.length}`
    const denied = [1, expect.stringContaining('nginx refuses the rate "0r/s"')]
    const created = await kubectl(['create', '-f', large(name, characters, '0r/s')])
    expect([created.code, created.stderr]).toEqual(denied)
    await must(kubectl(`label namespace ${SPACE} sluice.policy/enforce=off`))
    await until(
      'it is stored',
      async () => (await kubectl(['create', '-f', large(name, characters, '10r/s')])).code === 0,
    )
    await must(kubectl(`label namespace ${SPACE} sluice.policy/enforce-`))
    const replace = () => kubectl(['replace', '-f', large(name, characters, '0r/s'), '--dry-run=server'])
    await until('it is denied', async () => (await replace()).code === 1)
    const replaced = await replace()
    expect([replaced.code, replaced.stderr]).toEqual(denied)
    await must(kubectl(`label ratelimitpolicy ${name} -n ${SPACE} team=a`))
  })

  test('that is too large for a review is not stored, and kubectl says so', async () => {
    const path = `/apis/gateway.nginx.org/v1alpha1/namespaces/${SPACE}/ratelimitpolicies`
    const file = large('grown', '<'.repeat(1_500_000), '10r/s')
    const { code, stderr } = await kubectl(['create', '--raw', path, '-f', file])
    expect([code, stderr]).toEqual([1, expect.stringContaining('the body is larger than 7340032 bytes')])
  })

  test('that is too large for a review is not stored where the API server ignores failures either', async () => {
    await webhook.install('Ignore')
    const path = `/apis/gateway.nginx.org/v1alpha1/namespaces/${SPACE}/ratelimitpolicies`
    const file = large('grown', '<'.repeat(1_500_000), '0r/s')
    const create = () => kubectl(['create', '--raw', path, '-f', file])
    await until('the webhook is ignored', async () => !(await create()).stderr.includes('the body is larger'))
    const { code, stderr } = await create()
    expect([code, stderr]).toEqual([1, expect.stringContaining('larger than max')])
    await webhook.install('Fail')
  })

  test('that is larger is refused by the API server, with words of its own', async () => {
    const { code, stderr } = await kubectl(['create', '-f', large('larger', 'x'.repeat(3_500_000), '10r/s')])
    expect([code, stderr]).toEqual([1, expect.stringContaining('limit is 3145728')])
  })
})
