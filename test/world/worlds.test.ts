/** What texts make of worlds: one for all, several apart, and names that change on the way to the cluster. */
import { describe, expect, it } from 'vitest'
import { lint } from '../../src/lint/lint.ts'
import type { Source } from '../../src/project/source.ts'

const source = (file: string, objects: readonly object[], more: Partial<Source> = {}): Source => ({
  file,
  text: objects.map((object) => `---\n${JSON.stringify(object)}\n`).join(''),
  ...more,
})

const policy = (name: string, namespace: string | null = 'shop', target = 'shop') => ({
  apiVersion: 'gateway.nginx.org/v1alpha1',
  kind: 'RateLimitPolicy',
  metadata: { name, ...(namespace ? { namespace } : {}) },
  spec: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: target }],
    rateLimit: {
      rejectCode: 429,
      local: { rules: [{ key: '$binary_remote_addr', rate: '10r/s', zoneSize: '10m' }] },
    },
  },
})

const gateway = (namespace: string | null = 'shop') => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { name: 'shop', ...(namespace ? { namespace } : {}) },
  spec: { listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
})

const rulesIn = (sources: readonly Source[], previous: readonly Source[] = []) =>
  lint(sources, { closedWorld: true, previous }).report.findings.map(
    ({ rule, severity, object }) => `${object.name} ${severity} ${rule}`,
  )

describe('texts of one world', () => {
  it('see each other', () => {
    expect(rulesIn([source('a.yaml', [policy('a'), gateway()]), source('b.yaml', [policy('b')])])).toEqual([
      'b warning gateway/conflict',
    ])
  })

  it('report nothing about an identity that appears twice', () => {
    expect(rulesIn([source('a.yaml', [policy('a'), gateway()]), source('b.yaml', [policy('a'), policy('b')])])).toEqual(
      [],
    )
  })

  it('take namespaces from their context', () => {
    const texts = [
      source('a.yaml', [policy('a', null)], { namespace: { fallback: 'shop' } }),
      source('b.yaml', [policy('b', 'elsewhere'), gateway(null)], { namespace: { override: 'shop' } }),
    ]
    expect(rulesIn(texts)).toEqual(['b warning gateway/conflict'])
  })

  it('judge nothing where a namespace is unknown', () => {
    expect(rulesIn([source('a.yaml', [policy('a', null), policy('b', null), gateway(null)])])).toEqual([])
  })
})

describe('texts of several worlds', () => {
  it('do not see each other', () => {
    const texts = ['east', 'west'].map((world) => source(`${world}.yaml`, [policy(world), gateway()], { world }))
    expect(rulesIn(texts)).toEqual([])
  })
})

describe('texts in which names change before they reach the cluster', () => {
  const renamed = source('base.yaml', [policy('a', 'shop', 'gone'), policy('b')], { renamed: true })

  it('are judged apart, and leave their world open', () => {
    const beside = source('plain.yaml', [policy('c', 'shop', 'gone'), policy('d'), gateway()])
    expect(rulesIn([renamed, beside])).toEqual([])
  })
})

describe('a version before the change', () => {
  const before = [source('a.yaml', [gateway(), policy('b')])]

  it('knows which policy is older where no times are known', () => {
    expect(rulesIn([source('a.yaml', [gateway(), policy('a'), policy('b')])], before)).toEqual([
      'a error gateway/conflict',
    ])
  })

  it('knows which change causes a rejection', () => {
    const plain = policy('a')
    const quiet = { ...plain, spec: { ...plain.spec, rateLimit: { local: plain.spec.rateLimit.local } } }
    const young = {
      ...policy('z'),
      metadata: { name: 'z', namespace: 'shop', creationTimestamp: '2025-02-01T00:00:00Z' },
    }
    const at = (object: typeof quiet | typeof plain) => ({
      ...object,
      metadata: { ...object.metadata, creationTimestamp: '2025-01-01T00:00:00Z' },
    })
    const findings = rulesIn(
      [source('a.yaml', [gateway(), at(plain), young])],
      [source('a.yaml', [gateway(), at(quiet), young])],
    )
    expect(findings).toEqual(['a warning gateway/conflict', 'z error gateway/conflict'])
  })
})

describe('a policy that moved to another file', () => {
  const KEY_CHANGE = 'a error gateway/key-change-without-zone-resize'
  const changed = (): object => {
    const { spec, ...rest } = policy('a')
    const rules = [{ key: '$binary_remote_addr$uri', rate: '10r/s', zoneSize: '10m' }]
    return { ...rest, spec: { ...spec, rateLimit: { rejectCode: 429, local: { rules } } } }
  }
  const before = source('old.yaml', [gateway(), policy('a')])
  const after = source('new.yaml', [gateway(), changed()])
  const namesake = source('base.yaml', [policy('a')], { renamed: true })

  it('is compared with its previous version', () => {
    expect(rulesIn([after], [before])).toEqual([KEY_CHANGE])
  })

  it.each([
    ['before the change', [after], [before, namesake]],
    ['after the change', [after, namesake], [before]],
  ])('is not mistaken for one of the same name that is renamed before it reaches the cluster: %s', (_, now, then) => {
    expect(rulesIn(now, then)).toEqual([KEY_CHANGE])
  })

  it('is not the previous version of one that is renamed before it reaches the cluster', () => {
    const renamed = source('old.yaml', [changed()], { renamed: true })
    expect(rulesIn([renamed], [before])).toEqual([])
    expect(rulesIn([renamed, source('new.yaml', [gateway(), policy('a')])], [before])).toEqual([])
  })
})
