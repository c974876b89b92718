/** The conditions that policies and their targets carry. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/member.ts'
import { queryStatus, type StatusResult } from '../../src/queries/status.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { gateway, policy, query, route, source, worldsOf } from './manifests.ts'

const NOW = '2026-01-31T12:00:00Z'

type Options = NonNullable<Parameters<typeof worldsOf>[1]> & { readonly controllerName?: string }

function statuses(objects: readonly JsonObject[], options: Options = {}): StatusResult {
  const [world] = worldsOf(objects, options)
  if (!world) throw new Error('there is no world')
  const settings = { ...DEFAULT_SETTINGS, ...options.settings }
  return queryStatus(world, { settings, controllerName: options.controllerName, now: NOW })
}

/** `coffee HTTPRoute/coffee True Accepted`, one an entry. */
const brief = (objects: readonly JsonObject[], options?: Options): readonly string[] =>
  statuses(objects, options).policies.flatMap(({ name, ancestors }) =>
    ancestors.flatMap(({ ancestorRef, conditions }) =>
      conditions.map(({ status, reason }) => `${name} ${ancestorRef.kind}/${ancestorRef.name} ${status} ${reason}`),
    ),
  )

const messagesOf = (result: StatusResult): readonly string[] =>
  result.policies.flatMap(({ ancestors }) =>
    ancestors.flatMap(({ conditions }) => conditions.map(({ message }) => message)),
  )

const SHOP = [gateway('edge'), route('coffee'), route('tea')]
const born = (name: string, creationTimestamp: string) => ({ name, creationTimestamp })

describe('status.ancestors of a policy', () => {
  it('has every field of the specification, one entry a target', () => {
    const metadata = { name: 'both', generation: 3, creationTimestamp: '2025-06-01T08:00:00Z' }
    const { policies } = statuses([...SHOP, policy(metadata, ['HTTPRoute/coffee', 'HTTPRoute/tea'])])
    const entry = (name: string) => ({
      ancestorRef: { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name, namespace: 'shop' },
      controllerName: 'gateway.nginx.org/nginx-gateway-controller',
      conditions: [
        {
          type: 'Accepted',
          status: 'True',
          reason: 'Accepted',
          message: 'The RateLimitPolicy is accepted',
          observedGeneration: 3,
          lastTransitionTime: '2025-06-01T08:00:00Z',
        },
      ],
    })
    expect(policies).toEqual([
      { namespace: 'shop', name: 'both', ancestors: [entry('coffee'), entry('tea')], note: undefined },
    ])
  })

  it('has the controller name of the distribution, or that of the flag', () => {
    const named = (options: Options) =>
      statuses([...SHOP, policy('tea', ['HTTPRoute/tea'])], options).policies[0]?.ancestors[0]
    expect(named({ controllerName: 'example.com/ours' })?.controllerName).toBe('example.com/ours')
    const apiGroups = { vendor: 'other', platform: 'k8s' }
    expect(named({ settings: { apiGroups } })).toBeUndefined()
  })

  it('has the time of the run where no other is known, and no generation', () => {
    const { policies } = statuses([...SHOP, policy('tea', ['HTTPRoute/tea'])])
    const condition = policies[0]?.ancestors[0]?.conditions[0]
    expect(condition?.lastTransitionTime).toBe(NOW)
    expect(condition).not.toHaveProperty('observedGeneration')
  })

  it('keeps the time since which a condition holds', () => {
    const status = (state: string) => ({
      ancestors: [
        {
          ancestorRef: { kind: 'HTTPRoute', name: 'tea' },
          controllerName: 'gateway.nginx.org/nginx-gateway-controller',
          conditions: [{ type: 'Accepted', status: state, lastTransitionTime: '2025-09-09T09:09:09Z' }],
        },
      ],
    })
    const timeOf = (state: string) =>
      statuses([...SHOP, { ...policy(born('tea', '2025-01-01T00:00:00Z'), ['HTTPRoute/tea']), status: status(state) }])
        .policies[0]?.ancestors[0]?.conditions[0]?.lastTransitionTime
    expect(timeOf('True')).toBe('2025-09-09T09:09:09Z')
    expect(timeOf('False')).toBe('2025-01-01T00:00:00Z')
  })

  it('is empty for a policy that names no target', () => {
    const { policies } = statuses([...SHOP, policy('none', [])])
    expect(policies).toMatchObject([{ ancestors: [], note: expect.stringContaining('targetRefs') }])
  })
})

describe('Accepted', () => {
  it('is True on a target that exists', () => {
    expect(brief([...SHOP, policy('edge', ['Gateway/edge']), policy('coffee', ['HTTPRoute/coffee'])])).toEqual([
      'edge Gateway/edge True Accepted',
      'coffee HTTPRoute/coffee True Accepted',
    ])
  })

  it('is False where a policy has errors of its own, whatever the settings make of them', () => {
    const wrong = policy('wrong', ['HTTPRoute/tea'], { rejectCode: 200 }, [
      { key: '$uri', rate: '1R/S', zoneSize: '1m' },
    ])
    const settings = { rules: { 'gateway/reject-code-range': 'off', 'gateway/rate-syntax': 'info' } } as const
    expect(brief([...SHOP, wrong], { settings })).toEqual(['wrong HTTPRoute/tea False Invalid'])
    expect(messagesOf(statuses([...SHOP, wrong]))).toEqual([
      'The RateLimitPolicy is invalid: rejectCode must be between 400 and 599, but is 200 (and 1 more error)',
    ])
    expect(messagesOf(statuses([...SHOP, policy('wrong', ['HTTPRoute/tea'], { rejectCode: 200 })]))).toEqual([
      'The RateLimitPolicy is invalid: rejectCode must be between 400 and 599, but is 200',
    ])
    expect(brief([...SHOP, policy('service', ['Service/tea'])])).toEqual(['service Service/tea False Invalid'])
  })

  it('is False on a target that is absent, and only there', () => {
    const both = policy('both', ['HTTPRoute/coffee', 'HTTPRoute/gone'])
    expect(brief([...SHOP, both])).toEqual([
      'both HTTPRoute/coffee True Accepted',
      'both HTTPRoute/gone False TargetNotFound',
    ])
    expect(messagesOf(statuses([...SHOP, both]))[1]).toBe('HTTPRoute shop/gone does not exist')
  })

  it('is Unknown on an unknown target', () => {
    expect(brief([policy('tea', ['HTTPRoute/tea'])], { closedWorld: false })).toEqual([
      'tea HTTPRoute/tea Unknown TargetUnknown',
    ])
  })

  it('is Unknown where several policies have one name', () => {
    const twice = [policy('tea', ['HTTPRoute/tea']), policy('tea', ['HTTPRoute/tea'])]
    expect(brief([...SHOP, ...twice])).toEqual([
      'tea HTTPRoute/tea Unknown Ambiguous',
      'tea HTTPRoute/tea Unknown Ambiguous',
    ])
  })

  it('is False for the younger of two that set one field, on all of its targets', () => {
    const old = policy(born('z-old', '2025-01-01T00:00:00Z'), ['HTTPRoute/coffee'], { rejectCode: 429 })
    const young = policy(born('a-young', '2025-01-01T00:00:01Z'), ['HTTPRoute/tea', 'HTTPRoute/coffee'], {
      rejectCode: 429,
    })
    expect(brief([...SHOP, young, old])).toEqual([
      'a-young HTTPRoute/tea False Conflicted',
      'a-young HTTPRoute/coffee False Conflicted',
      'z-old HTTPRoute/coffee True Accepted',
    ])
    expect(messagesOf(statuses([...SHOP, young, old]))[0]).toBe(
      'Conflicts with RateLimitPolicy shop/z-old, which is older and sets rejectCode on HTTPRoute coffee',
    )
  })

  it('goes by name if both were created in the same second, or the times are unknown', () => {
    const at = '2025-01-01T00:00:00Z'
    const named = (...times: readonly object[]) =>
      brief([
        ...SHOP,
        policy({ name: 'b', ...times[0] }, ['HTTPRoute/tea'], { dryRun: false }),
        policy({ name: 'a', ...times[1] }, ['HTTPRoute/tea'], { dryRun: false }),
      ])
    const expected = ['b HTTPRoute/tea False Conflicted', 'a HTTPRoute/tea True Accepted']
    expect(named({ creationTimestamp: at }, { creationTimestamp: at })).toEqual(expected)
    expect(named({}, {})).toEqual(expected)
  })

  it('has conflicts by any field if the settings define them so', () => {
    const two = [
      policy(born('old', '2025-01-01T00:00:00Z'), ['HTTPRoute/tea'], { rejectCode: 429 }),
      policy(born('young', '2025-02-01T00:00:00Z'), ['HTTPRoute/tea'], { logLevel: 'warn' }),
    ]
    expect(brief([...SHOP, ...two])[1]).toBe('young HTTPRoute/tea True Accepted')
    expect(brief([...SHOP, ...two], { settings: { conflict: 'any-field' } })[1]).toBe(
      'young HTTPRoute/tea False Conflicted',
    )
  })

  it('does not conflict with a policy that the API server rejects, but with one that only nginx rejects', () => {
    const code = { rejectCode: 429 }
    const older = (rate: string) =>
      policy(born('older', '2024-01-01T00:00:00Z'), ['HTTPRoute/tea'], code, [{ key: '$uri', rate }])
    const beside = (rate: string) => [...SHOP, older(rate), policy('tea', ['HTTPRoute/tea'], code)]
    expect(brief(beside('1R/S'))).toEqual(['older HTTPRoute/tea False Invalid', 'tea HTTPRoute/tea True Accepted'])
    expect(brief(beside('0r/s'))).toEqual(['older HTTPRoute/tea True Accepted', 'tea HTTPRoute/tea False Conflicted'])
    const result = statuses(beside('0r/s'))
    const { policies } = result
    expect(policies[0]).toMatchObject({ note: expect.stringMatching(/^nginx rejects the configuration: /) })
    expect(messagesOf(result)[0]).toBe(`The RateLimitPolicy is accepted, but ${policies[0]?.note}`)
  })

  it('is True where the API server drops a field, which strict clients reject', () => {
    const extra = policy('tea', ['HTTPRoute/tea'], { tempo: 1 })
    expect(brief([...SHOP, extra])).toEqual(['tea HTTPRoute/tea True Accepted'])
    expect(statuses([...SHOP, extra]).policies[0]?.note).toMatch(/^kubectl and other strict clients reject it: /)
  })

  it('does not conflict on a target that does not exist', () => {
    const code = { rejectCode: 429 }
    const old = policy(born('old', '2024-01-01T00:00:00Z'), ['HTTPRoute/gone', 'HTTPRoute/coffee'], code)
    expect(brief([...SHOP, old, policy('tea', ['HTTPRoute/gone', 'HTTPRoute/tea'], code)]).slice(2)).toEqual([
      'tea HTTPRoute/gone False TargetNotFound',
      'tea HTTPRoute/tea True Accepted',
    ])
  })

  it('is Unknown for the last of a chain: chance decides', () => {
    const code = { rejectCode: 429 }
    const chain = [
      policy(born('first', '2025-01-01T00:00:00Z'), ['HTTPRoute/coffee'], code),
      policy(born('second', '2025-01-02T00:00:00Z'), ['HTTPRoute/coffee', 'HTTPRoute/tea'], code),
      policy(born('third', '2025-01-03T00:00:00Z'), ['HTTPRoute/tea'], code),
    ]
    expect(brief([...SHOP, ...chain])).toEqual([
      'first HTTPRoute/coffee True Accepted',
      'second HTTPRoute/coffee False Conflicted',
      'second HTTPRoute/tea False Conflicted',
      'third HTTPRoute/tea Unknown Conflicted',
    ])
  })
})

describe('RateLimitPolicyAffected', () => {
  const affected = (kind: string, name: string, objects: readonly JsonObject[], options?: Options) => {
    const { objects: all } = statuses(objects, options)
    const found = all.find(({ kind: own, metadata }) => own === kind && JSON.stringify(metadata).includes(`"${name}"`))
    return found?.status
  }

  it('is among the conditions of a Gateway', () => {
    const policies = [policy('a', ['Gateway/edge']), policy('b', ['Gateway/edge'])]
    expect(affected('Gateway', 'edge', [...SHOP, ...policies])).toEqual({
      conditions: [
        {
          type: 'RateLimitPolicyAffected',
          status: 'True',
          reason: 'PolicyAffected',
          message: 'RateLimitPolicies shop/a, shop/b are applied to the resource',
          lastTransitionTime: NOW,
        },
      ],
    })
  })

  it('is among the conditions of each parent of a route', () => {
    const parents = [
      { name: 'edge', sectionName: 'http' },
      { name: 'far', namespace: 'infra', port: 443 },
    ]
    const coffee = { ...route('coffee', { parentRefs: [...parents, { kind: 'Service', group: '', name: 'mesh' }] }) }
    const status = affected('HTTPRoute', 'coffee', [
      gateway('edge'),
      coffee,
      policy(born('p', '2025-03-03T03:03:03Z'), ['HTTPRoute/coffee']),
    ])
    const conditions = [
      {
        type: 'RateLimitPolicyAffected',
        status: 'True',
        reason: 'PolicyAffected',
        message: 'RateLimitPolicy shop/p is applied to the resource',
        lastTransitionTime: '2025-03-03T03:03:03Z',
      },
    ]
    const ref = { group: 'gateway.networking.k8s.io', kind: 'Gateway' }
    const controllerName = 'gateway.nginx.org/nginx-gateway-controller'
    expect(status).toEqual({
      parents: [
        { parentRef: { ...ref, namespace: 'shop', name: 'edge', sectionName: 'http' }, controllerName, conditions },
        { parentRef: { ...ref, namespace: 'infra', name: 'far', port: 443 }, controllerName, conditions },
      ],
    })
  })

  it('keeps the time that the same controller wrote to a route', () => {
    const time = '2025-09-09T09:09:09Z'
    const conditions = [{ type: 'RateLimitPolicyAffected', status: 'True', lastTransitionTime: time }]
    const timesWith = (controllerName: string) => {
      const parents = [{ parentRef: { name: 'edge' }, controllerName, conditions }]
      const coffee = { ...route('coffee'), status: { parents } }
      const status = affected('HTTPRoute', 'coffee', [gateway('edge'), coffee, policy('p', ['HTTPRoute/coffee'])])
      return JSON.stringify(status).match(/(?<="lastTransitionTime":")[^"]*/g)
    }
    expect(timesWith('gateway.nginx.org/nginx-gateway-controller')).toEqual([time])
    expect(timesWith('example.com/another')).toContain(NOW)
  })

  it('is only for targets that are named, by policies that are accepted', () => {
    const objects = [
      ...SHOP,
      policy('edge', ['Gateway/edge']),
      policy('wrong', ['HTTPRoute/coffee'], { rejectCode: 200 }),
    ]
    const { targets } = statuses(objects)
    expect(targets.map(({ kind, name, policies }) => `${kind}/${name}: ${policies.join()}`)).toEqual([
      'Gateway/edge: shop/edge',
      'HTTPRoute/coffee: ',
    ])
  })

  it('goes where it no longer holds, and leaves what others wrote', () => {
    const stale = { type: 'RateLimitPolicyAffected', status: 'True' }
    const other = { type: 'Programmed', status: 'True' }
    const edge = { ...gateway('edge'), status: { addresses: [{ value: '10.0.0.1' }], conditions: [stale, other] } }
    const theirs = { parentRef: { name: 'edge' }, controllerName: 'example.com/other', conditions: [stale] }
    const ours = { ...theirs, controllerName: 'gateway.nginx.org/nginx-gateway-controller', conditions: [stale, other] }
    const coffee = { ...route('coffee'), status: { parents: [theirs, ours] } }
    const wrong = policy('wrong', ['Gateway/edge'], { rejectCode: 200 })
    const objects = [edge, coffee, wrong, policy('too', ['HTTPRoute/coffee'], { rejectCode: 200 })]
    expect(affected('Gateway', 'edge', objects)).toEqual({ addresses: [{ value: '10.0.0.1' }], conditions: [other] })
    expect(affected('HTTPRoute', 'coffee', objects)).toEqual({ parents: [theirs, { ...ours, conditions: [other] }] })
  })
})

it('writes objects with the namespace in which they will live', () => {
  const bare = { ...policy('tea', ['HTTPRoute/tea']), metadata: { name: 'tea' } }
  const [world] = worldsOf([source([bare], { namespace: { override: 'shop' } })])
  if (!world) throw new Error('there is no world')
  const { objects } = queryStatus(world, { settings: DEFAULT_SETTINGS, controllerName: undefined, now: NOW })
  expect(objects[0]?.metadata).toEqual({ name: 'tea', namespace: 'shop' })
})

describe('in a distribution with other API groups', () => {
  const apiGroups = { vendor: 'acme', platform: 'metal' }
  const renamed = (objects: readonly JsonObject[]): JsonObject[] =>
    JSON.parse(
      JSON.stringify(objects)
        .replaceAll('gateway.nginx.org', 'gateway.acme.org')
        .replaceAll('gateway.networking.k8s.io', 'gateway.networking.metal.io'),
    )
  const code = { rejectCode: 429 }
  const two = [...SHOP, policy('a', ['HTTPRoute/tea'], code), policy('b', ['HTTPRoute/tea'], code)]

  it('policies of its groups take part, and only those', () => {
    expect(brief(renamed(two), { settings: { apiGroups } })).toEqual([
      'a HTTPRoute/tea True Accepted',
      'b HTTPRoute/tea False Conflicted',
    ])
    const wrongTarget = JSON.parse(
      JSON.stringify(renamed(two)).replace(
        'gateway.networking.metal.io","kind":"HTTPRoute","name":"tea"',
        'gateway.networking.k8s.io","kind":"HTTPRoute","name":"tea"',
      ),
    )
    expect(brief(wrongTarget, { settings: { apiGroups } })[0]).toBe('a HTTPRoute/tea False Invalid')
  })
})

describe('objects that name no namespace', () => {
  const metadata = { namespace: null }
  const unnamed = (object: JsonObject): JsonObject => ({
    ...object,
    metadata: { ...Object(object.metadata), ...metadata },
  })
  const objects = [
    ...SHOP,
    policy('a', ['HTTPRoute/coffee'], { rejectCode: 429 }),
    policy('b', ['HTTPRoute/coffee', 'HTTPRoute/tea'], { rejectCode: 503 }),
    policy('c', ['HTTPRoute/mate']),
    policy('d', ['Gateway/edge']),
  ]

  it('have the status that they would have in one namespace', () => {
    expect(brief(objects.map(unnamed))).toEqual(brief(objects))
    expect(brief(objects)).toContain('b HTTPRoute/tea False Conflicted')
    expect(brief(objects)).toContain('c HTTPRoute/mate False TargetNotFound')
  })

  it('are shown without one', () => {
    const shown = JSON.stringify(statuses(objects.map(unnamed)), (key, value) =>
      key === 'objects' ? undefined : value,
    )
    const named = JSON.stringify(statuses(objects), (key, value) => (key === 'objects' ? undefined : value))
    const erased = named
      .replaceAll('shop/', '')
      .replaceAll(',"namespace":"shop"', '')
      .replaceAll('"namespace":"shop"', '"namespace":""')
    expect(shown).toBe(erased)
    expect(JSON.stringify(statuses(objects.map(unnamed)))).not.toContain('\\u0000')
  })

  it('have the limits that they would have in one namespace', () => {
    const queryOf = (all: readonly JsonObject[], text: string) => JSON.stringify(query(text, all))
    for (const text of ['HTTPRoute/coffee', 'HTTPRoute/tea', 'Gateway/edge'])
      expect(queryOf(objects.map(unnamed), text)).toBe(
        queryOf(objects, text).replaceAll('"namespace":"shop"', '"namespace":""').replaceAll('shop_rl_', '?_rl_'),
      )
  })
})

it('adds an entry for a parent beside one of its own that names none', () => {
  const nameless = { controllerName: 'gateway.nginx.org/nginx-gateway-controller', conditions: [] }
  const tea = { ...route('tea'), status: { parents: [nameless] } }
  const { objects } = statuses([gateway('edge'), tea, policy('tea', ['HTTPRoute/tea'])])
  expect(objects.find(({ kind }) => kind === 'HTTPRoute')).toMatchObject({
    status: {
      parents: [{ controllerName: nameless.controllerName }, { parentRef: { kind: 'Gateway', name: 'edge' } }],
    },
  })
})
