/** The conditions that policies and their targets carry. */
import { describe, expect, it } from 'vitest'
import { policy } from './manifests.ts'
import { born, brief, messagesOf, NOW, type Options, SHOP, statuses } from './statuses.ts'

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
      {
        namespace: 'shop',
        name: 'both',
        ancestors: [entry('coffee'), entry('tea')],
        isForeign: false,
        note: undefined,
      },
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
    expect(timeOf('False')).toBe(NOW)
  })

  it('takes no time from the entry of another controller or of another target', () => {
    const entry = (controllerName: string, name: string) => ({
      ...{ ancestorRef: { kind: 'HTTPRoute', name }, controllerName },
      conditions: [{ type: 'Accepted', status: 'True', lastTransitionTime: '2025-09-09T09:09:09Z' }],
    })
    const status = {
      ancestors: [entry('example.com/other', 'tea'), entry('gateway.nginx.org/nginx-gateway-controller', 'coffee')],
    }
    const tea = { ...policy(born('tea', '2025-01-01T00:00:00Z'), ['HTTPRoute/tea']), status }
    expect(statuses([...SHOP, tea]).policies[0]?.ancestors[0]?.conditions[0]?.lastTransitionTime).toBe(
      '2025-01-01T00:00:00Z',
    )
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
