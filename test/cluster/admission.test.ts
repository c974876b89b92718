import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { load } from 'js-yaml'
import { beforeAll, describe, expect, test } from 'vitest'
import { isObject } from '../../src/json/member.ts'
import { useCluster, useWebhook } from './cluster.ts'
import { must } from './kubectl.ts'
import { CRD_FILES, gateway, limit, limited, namespace, policy, route, snippets, until } from './resources.ts'

const EXCLUDED = namespace('outside', { 'sluice.policy/enforce': 'off' })
const MUTATED = namespace('patched', { 'sluice.policy/mutate': 'enabled' })
/** Nothing for the CRD, everything for nginx. */
const BROKEN = { local: { rules: [limit({ rate: '0r/s' })] } }
const MIXED = policy('mixed', ['Gateway/edge', 'HTTPRoute/cafe'])

const cluster = useCluster({
  objects: [
    EXCLUDED,
    MUTATED,
    gateway('edge'),
    route('HTTPRoute', 'cafe', 'edge'),
    gateway('edge', 'patched'),
    // Stored before anybody objected.
    limited('old', { rate: '0r/s' }),
  ],
})
const { kubectl, store, read } = cluster
useWebhook(cluster)

const apply = (object: object, flags = '') => kubectl(`apply ${flags} -f -`.replace('  ', ' '), JSON.stringify(object))
const stored = async (name: string, space = 'default') => await read(`ratelimitpolicy ${name} -n ${space}`)

/** Writes while no webhook is asked. */
async function unchecked(write: () => Promise<unknown>): Promise<void> {
  await must(kubectl('label namespace default sluice.policy/enforce=off'))
  await until(
    'no webhook objects',
    async () => (await apply(policy('x', ['Gateway/edge'], BROKEN), '--dry-run=server')).code === 0,
  )
  await write()
  await must(kubectl('label namespace default sluice.policy/enforce-'))
  await until(
    'the webhook objects',
    async () => (await apply(policy('x', ['Gateway/edge'], BROKEN), '--dry-run=server')).code === 1,
  )
}

describe('kubectl apply refuses', () => {
  test('what the CRD refuses before anybody else is asked', async () => {
    const mixed = await apply(MIXED)
    expect(mixed).toMatchObject({ code: 1, stderr: expect.stringContaining('spec.targetRefs: Invalid value') })
    expect(mixed.stderr).not.toContain('admission webhook')
    const { stderr } = await apply(policy('code', ['Gateway/edge'], { rejectCode: 200 }))
    expect(stderr).toContain('spec.rateLimit.rejectCode: Invalid value: 200')
  })

  test('every mistake of a policy at once, each with its field', async () => {
    const rules = [limit({ key: '"abc' }), limit({ rate: '0r/s' })]
    const { code, stderr } = await apply(policy('two', ['Gateway/edge'], { local: { rules } }))
    expect(code).toBe(1)
    expect(stderr).toContain('* spec.rateLimit.local.rules[0].key: ')
    expect(stderr).toContain('* spec.rateLimit.local.rules[1].rate: ')
  })

  test('another key in a zone of the same size, and takes it with another size', async () => {
    await must(apply(policy('zone', ['Gateway/edge'])))
    const changed = (zoneSize: string) => limited('zone', { key: '$uri', zoneSize })
    const { code, stderr } = await apply(changed('10m'))
    expect(code).toBe(1)
    expect(stderr).toContain('spec.rateLimit.local.rules[0]')
    await must(apply(changed('11m')))
  })
})

describe('a variable', () => {
  const by = (name: string, key: string) => limited(name, { key })

  test.each([
    ['misspelt', '$binary_remote_adr', 'Did you mean "$binary_remote_addr"?'],
    ['glued', '$host_$uri', 'Write "$host:$uri"'],
    ['of NGINX Plus', '$jwt_claim_sub', 'a variable of NGINX Plus only'],
  ])('that is %s is refused, also in a dry run', async (_, key, words) => {
    for (const flags of ['', '--dry-run=server']) {
      const { code, stderr } = await apply(by('variable', key), flags)
      expect([code, stderr]).toEqual([1, expect.stringContaining(words)])
    }
  })

  test('that nothing defines is refused until a snippet of either kind defines it', async () => {
    const refused = await apply(by('unknown', '$customer_number'))
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('no SnippetsFilter or SnippetsPolicy') })
    const dry = await apply(by('unknown', '$customer_number'), '--dry-run=server')
    expect(dry).toMatchObject({ code: 0, stderr: expect.stringContaining('[gateway/key-unknown-variable]') })
    for (const [kind, variable] of [
      ['SnippetsFilter', 'customer_number'],
      ['SnippetsPolicy', 'order_number'],
    ] as const) {
      await store([{ ...snippets(variable.replace('_', '-'), variable), kind }])
      await until('the variable is known', async () => (await apply(by('unknown', `$${variable}`))).code === 0)
      await must(kubectl('delete ratelimitpolicy unknown'))
    }
  })

  test('that was stored before anybody objected is corrected with one edit', async () => {
    await unchecked(() => must(apply(by('wrong', '$binary_remote_adr'))))
    const { code, stderr } = await apply(by('wrong', '$binary_remote_addr'))
    expect([code, stderr]).toEqual([0, ''])
  })
})

test.each([
  ['RatelimitPolicy', 'gateway.nginx.org/v1alpha1'],
  ['RateLimitPolicy', 'v1alpha1'],
  ['RateLimitPolicy', 'gateway.networking.k8s.io/v1alpha1'],
])('a %s of %s is refused by the API server itself, however it is sent', async (kind, apiVersion) => {
  const near = JSON.stringify({ ...policy('near', ['Gateway/edge']), kind, apiVersion })
  const path = '/apis/gateway.nginx.org/v1alpha1/namespaces/default/ratelimitpolicies'
  for (const how of ['apply -f -', 'apply --server-side -f -', 'create -f -', `create --raw ${path} -f -`]) {
    const { code, stderr } = await kubectl(how, near)
    expect([how, code, stderr.includes('admission webhook')]).toEqual([how, 1, false])
  }
  expect((await kubectl('get ratelimitpolicy near')).code).toBe(1)
})

test('a namespace in a target is reported although the API server drops it', async () => {
  const one = policy('pruned', ['Gateway/edge'])
  const targetRefs = one.spec.targetRefs.map((target) => ({ ...target, namespace: 'infra' }))
  const far = { ...one, spec: { ...one.spec, targetRefs } }
  const { code, stderr } = await apply(far, '--validate=false')
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('spec.targetRefs[0].namespace: the manifest names namespace "infra"'),
  ])
  await unchecked(() => must(apply(far, '--validate=false')))
  expect((await stored('pruned')).spec.targetRefs[0]).not.toHaveProperty('namespace')
  await must(kubectl('label ratelimitpolicy pruned a=b'))
  expect(await apply(one)).toMatchObject({ code: 0, stderr: '' })
})

test('another key is taken where the old zone cannot exist', async () => {
  const keyed = (name: string, target: string, key: string, more = {}) =>
    policy(name, [target], { ...more, local: { rules: [limit({ key })] } })
  await must(apply(keyed('lost-target', 'HTTPRoute/nowhere', '$binary_remote_addr')))
  await must(apply(keyed('lost-target', 'HTTPRoute/nowhere', '$host')))
  await store([route('HTTPRoute', 'both', 'edge')])
  await must(apply(keyed('first', 'HTTPRoute/both', '$binary_remote_addr', { rejectCode: 429 })))
  await pause(1100)
  await must(apply(keyed('second', 'HTTPRoute/both', '$binary_remote_addr', { rejectCode: 503 })))
  await until('the conflict is known', async () => {
    const { stderr } = await apply(keyed('second', 'HTTPRoute/both', '$host', { rejectCode: 503 }), '--dry-run=server')
    return stderr.includes('[gateway/conflict]')
  })
  await must(apply(keyed('second', 'HTTPRoute/both', '$host', { rejectCode: 503 })))
  expect((await apply(keyed('first', 'HTTPRoute/both', '$host', { rejectCode: 429 }))).code).toBe(1)
})

describe('kubectl apply takes', () => {
  test('a good policy in silence, by client and by server', async () => {
    const good = policy('good', ['Gateway/edge'])
    expect((await apply(good)).stderr).toBe('')
    expect(await apply(good, '--server-side --force-conflicts')).toMatchObject({ code: 0, stderr: '' })
  })

  test('two managers of one policy', async () => {
    const one = policy('shared', ['Gateway/edge'])
    await must(apply(one, '--server-side --field-manager=one'))
    const two = { ...one, spec: { targetRefs: one.spec.targetRefs, rateLimit: { rejectCode: 429 } } }
    await must(apply(two, '--server-side --field-manager=two'))
    expect((await stored('shared')).spec.rateLimit).toMatchObject({ rejectCode: 429, local: { rules: [limit()] } })
  })

  test('a policy whose target is still to come, with a warning', async () => {
    const { code, stderr } = await apply(policy('early', ['HTTPRoute/later']))
    expect(code).toBe(0)
    expect(stderr).toContain('Warning:')
  })

  test('anything in a namespace that is switched off', async () => {
    await must(apply(policy('broken', ['Gateway/edge'], BROKEN, 'outside')))
  })
})

test('an author may ask for silence about warnings, and gets nothing past a refusal', async () => {
  const asking = (name: string, limits: object) => {
    const one = policy(name, ['Gateway/edge'], { local: { rules: [limits] } })
    const rules = 'gateway/key-constant, gateway/rate-zero -- urgent'
    return { ...one, metadata: { ...one.metadata, annotations: { 'sluice.policy/ignore': rules } } }
  }
  const constant = limit({ key: 'everybody' })
  const loud = await apply(policy('loud', ['Gateway/edge'], { local: { rules: [constant] } }), '--dry-run=server')
  expect(loud).toMatchObject({ code: 0, stderr: expect.stringContaining('[gateway/key-constant]') })
  const calm = await apply(asking('calm', constant))
  expect(calm).toMatchObject({ code: 0, stderr: expect.not.stringContaining('gateway/key-constant') })
  for (const name of ['never', 'calm']) {
    const { code, stderr } = await apply(asking(name, limit({ key: 'everybody', rate: '0r/s' })))
    expect(code).toBe(1)
    expect(stderr).toContain('spec.rateLimit.local.rules[0].rate: nginx refuses the rate "0r/s"')
  }
})

test('a server dry run is judged and stores nothing', async () => {
  expect((await apply(policy('dry', ['Gateway/edge'], BROKEN), '--dry-run=server')).code).toBe(1)
  await must(apply(policy('dry', ['Gateway/edge']), '--dry-run=server'))
  expect((await kubectl('get ratelimitpolicy dry')).code).toBe(1)
})

describe('a policy that was bad before', () => {
  const patch = (body: object, ...flags: readonly string[]) =>
    kubectl(['patch', 'ratelimitpolicy', 'old', '--type=merge', '-p', JSON.stringify(body), ...flags])

  test('takes labels, annotations, other fields and status', async () => {
    await must(patch({ metadata: { labels: { team: 'a' }, annotations: { note: 'b' } } }))
    await must(patch({ spec: { rateLimit: { rejectCode: 429 } } }))
    await must(patch({ status: { ancestors: [] } }, '--subresource=status'))
  })

  test('takes no further mistake', async () => {
    const { code, stderr } = await patch({
      spec: { rateLimit: { local: { rules: [limit({ rate: '0r/s' }), limit({ zoneSize: '1k' })] } } },
    })
    expect(code).toBe(1)
    expect(stderr).toContain('spec.rateLimit.local.rules[1].zoneSize')
  })

  test('loses its finalizer and goes', async () => {
    await must(patch({ metadata: { finalizers: ['example.com/hold'] } }))
    await must(kubectl('delete ratelimitpolicy old --wait=false'))
    await must(patch({ metadata: { finalizers: null } }))
    await until('the policy is gone', async () => (await kubectl('get ratelimitpolicy old')).code !== 0)
  })
})

describe('a namespace that asks for it', () => {
  test('patches policies, and a second apply changes nothing', async () => {
    const rules = [{ rate: '10r/s', key: '$binary_remote_addr' }]
    const bare = policy('bare', ['Gateway/edge'], { local: { rules } }, 'patched')
    await must(apply(bare, '--validate=false'))
    const first = await stored('bare', 'patched')
    expect(first.spec.rateLimit).toEqual({ local: { rules: [{ ...rules[0], zoneSize: '10m' }] } })
    await must(apply({ ...bare, metadata: { ...bare.metadata, labels: { again: 'yes' } } }, '--validate=false'))
    expect((await stored('bare', 'patched')).spec).toEqual(first.spec)
  })

  test('and no other does', async () => {
    const rules = [{ rate: '10r/s', key: '$binary_remote_addr' }]
    await must(apply(policy('bare', ['Gateway/edge'], { local: { rules } })))
    expect((await stored('bare')).spec.rateLimit).toEqual({ local: { rules } })
  })
})

test('a route that a policy needs goes with a warning', async () => {
  await store([route('HTTPRoute', 'only', 'edge'), policy('needs', ['HTTPRoute/only'])])
  await until('the warning', async () =>
    (await kubectl('delete httproute only --dry-run=server')).stderr.includes('Warning:'),
  )
  await must(kubectl('delete httproute only'))
})

describe('where the CRD is of a version that says less', () => {
  beforeAll(async () => {
    await store(JSON.stringify(looseCrd()))
    await until(
      'the CRD says less',
      async () => !(await apply(MIXED, '--dry-run=server')).stderr.includes('Invalid value'),
    )
  })

  test.each([
    ['mixed targets', MIXED, 'spec.targetRefs['],
    ['a code out of range', policy('code', ['Gateway/edge'], { rejectCode: 200 }), 'spec.rateLimit.rejectCode'],
    ['no targets', policy('none', []), 'spec.targetRefs'],
    [
      'a number for a rate',
      policy('number', ['Gateway/edge'], { local: { rules: [{ ...limit(), rate: 10 }] } }),
      'spec.rateLimit.local.rules[0].rate',
    ],
  ])('the webhook refuses %s', async (_what, object, field) => {
    const { code, stderr } = await apply(object)
    expect(code).toBe(1)
    expect(stderr).toContain(field)
  })
})

/** The project's CRD without any constraint. */
function looseCrd(): object {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
  const crd = load(readFileSync(CRD_FILES.ratelimitpolicies ?? '', 'utf8'))
  if (!isObject(crd) || !isObject(crd.spec) || !Array.isArray(crd.spec.versions)) throw new Error('this is no CRD')
  return { ...crd, spec: { ...crd.spec, versions: crd.spec.versions.map((version) => ({ ...version, schema })) } }
}
