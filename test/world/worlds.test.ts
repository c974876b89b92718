/** What texts make of worlds: one for all, several apart, and names that change on the way to the cluster. */
import { describe, expect, it } from 'vitest'
import { fixSources } from '../../src/lint/fix.ts'
import { lint } from '../../src/lint/lint.ts'
import { type Source, textOf } from '../../src/project/source.ts'

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

  it('report nothing about an identity that appears twice, but that it does', () => {
    expect(rulesIn([source('a.yaml', [policy('a'), gateway()]), source('b.yaml', [policy('a'), policy('b')])])).toEqual(
      ['a warning gateway/duplicate-object'],
    )
  })

  it('take namespaces from their context', () => {
    const texts = [
      source('a.yaml', [policy('a', null)], { namespace: { fallback: 'shop' } }),
      source('b.yaml', [policy('b', 'elsewhere'), gateway(null)], { namespace: { override: 'shop' } }),
    ]
    expect(rulesIn(texts)).toEqual(['b warning gateway/conflict'])
  })

  it('judge nothing where two namespaces are unknown', () => {
    const texts = [source('a.yaml', [policy('a', null), gateway(null)]), source('b.yaml', [policy('b', null)])]
    expect(rulesIn(texts)).toEqual([])
  })
})

describe('objects of one text without a namespace', () => {
  it('share one, so that they are in conflict', () => {
    expect(rulesIn([source('a.yaml', [policy('a', null), policy('b', null), gateway(null)])])).toEqual([
      'b warning gateway/conflict',
    ])
  })

  it('miss what is not among them, if it is nowhere else either', () => {
    const lost = policy('a', null, 'shopp')
    expect(rulesIn([source('a.yaml', [lost, gateway(null)])])).toEqual(['a warning gateway/target-not-found'])
    for (const namespace of ['shop', null])
      expect(
        rulesIn([source('a.yaml', [policy('a', null)]), source('b.yaml', [gateway(namespace)])]),
        `a Gateway in namespace ${namespace}`,
      ).toEqual([])
  })

  it('may be what an object with a namespace misses', () => {
    expect(rulesIn([source('a.yaml', [policy('a', 'shop'), gateway(null)])])).toEqual([])
  })

  it('share it with those of other texts where their context says so', () => {
    const namespace = { sharedBy: 'folder k8s' }
    const texts = [
      source('k8s/a.yaml', [policy('a', null), gateway(null)], { namespace }),
      source('k8s/b.yaml', [policy('b', null)], { namespace }),
      source('other/c.yaml', [policy('c', null)], { namespace: { sharedBy: 'folder other' } }),
    ]
    expect(rulesIn(texts)).toEqual(['b warning gateway/conflict'])
  })

  it('are never shown with what stands for their namespace', () => {
    const { report } = lint([source('a.yaml', [policy('a', null), policy('b', null, 'x'), gateway(null)])], {
      closedWorld: true,
    })
    expect(JSON.stringify(report)).not.toMatch(/\\u0000|text a\.yaml/)
    expect(report.findings.map(({ message, object }) => [object.namespace, message])).toEqual([
      ['', 'Gateway "x" does not exist'],
    ])
  })
})

describe('two clusters in one repository', () => {
  const route = {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { name: 'coffee', namespace: 'shop' },
    spec: { parentRefs: [{ name: 'shop' }] },
  }
  const onRoute = (name: string) => {
    const written = policy(name, 'shop', 'coffee')
    const targetRefs = written.spec.targetRefs.map((ref) => ({ ...ref, kind: 'HTTPRoute' }))
    return { ...written, spec: { ...written.spec, targetRefs } }
  }
  const clusters = ['prod', 'staging'].map((cluster) =>
    source(`rendered/${cluster}/all.yaml`, [onRoute(cluster), route]),
  )
  const open = (sources: readonly Source[]) =>
    lint(sources).report.findings.map(({ rule, object }) => `${object.name} ${rule}`)

  it('are not in conflict with each other', () => expect(open(clusters)).toEqual([]))

  it('are each in conflict with themselves once the settings tell them apart', () => {
    const worlds = clusters.map((cluster, index) => ({ ...cluster, world: String(index) }))
    expect(open(worlds)).toEqual([])
    const rival = source('rendered/prod/rival.yaml', [onRoute('zebra')], { world: '0' })
    expect(open([...worlds, rival])).toEqual(['zebra gateway/conflict'])
  })

  it('are not in conflict with each other where neither has the route', () => {
    const [prod, staging] = ['prod', 'staging'].map(
      (cluster) => (name: string) => source(`rendered/${cluster}/${name}.yaml`, [onRoute(name)]),
    )
    if (!prod || !staging) throw new Error('two clusters')
    expect(open([prod('a'), prod('b')])).toEqual(['b gateway/conflict'])
    expect(open([prod('a'), staging('b')])).toEqual(['b gateway/conflict'])
    // A policy that stands twice, or anything else that does, shows that these are two clusters.
    expect(open([prod('a'), staging('a'), prod('b'), staging('c')])).toEqual([])
    expect(open([prod('a'), staging('a'), staging('c')])).toEqual([])
    const [east, west] = ['prod', 'staging'].map((cluster) => source(`rendered/${cluster}/gateway.yaml`, [gateway()]))
    if (!east || !west) throw new Error('two Gateways')
    expect(open([east, west, prod('a'), staging('b')])).toEqual([])
    expect(open([east, west, prod('a'), prod('b')])).toEqual(['b gateway/conflict'])
    const folders = [source('apps/tea/a.yaml', [onRoute('a')]), source('apps/milk/b.yaml', [onRoute('b')])]
    expect(open([east, west, ...folders])).toEqual(['b gateway/conflict'])
    expect(open([east, west, prod('a'), source('shared/b.yaml', [onRoute('b')])])).toEqual(['b gateway/conflict'])
  })

  it('are not in conflict with each other where each is a file, or one is the folder above', () => {
    const files = (one: string, other: string) => [
      source(one, [gateway(), onRoute('a')]),
      source(other, [gateway(), onRoute('b')]),
    ]
    expect(open(files('rendered/prod.yaml', 'rendered/staging.yaml'))).toEqual([])
    expect(open(files('prod.yaml', 'staging/all.yaml'))).toEqual([])
    expect(open(files('a/prod/x.yaml', 'a/staging/deep/y.yaml'))).toEqual([])
  })

  it('are one where the user says so, and then the route is defined twice', () => {
    expect(rulesIn(clusters)).toEqual([
      'prod warning gateway/duplicate-object',
      'staging warning gateway/duplicate-object',
    ])
  })

  it('are one where a kustomization deploys both', () => {
    const together = clusters.map((cluster) => ({ ...cluster, together: ['overlays/all'] }))
    expect(open(together)).toEqual(['prod gateway/duplicate-object', 'staging gateway/duplicate-object'])
    const apart = clusters.map((cluster, index) => ({ ...cluster, together: [`overlays/${index}`] }))
    expect(open(apart)).toEqual([])
  })
})

describe('a text of several worlds', () => {
  const shared = source('base.yaml', [policy('a'), gateway()], { world: ['east', 'west'] })
  const [east, west] = ['east', 'west'].map((world) => source(`${world}.yaml`, [policy(world)], { world }))

  it('is seen in each, and judged once', () => {
    const { report } = lint([shared, east, west].flatMap((one) => one ?? []))
    expect(report.findings.map(({ rule, object }) => `${object.name} ${rule}`)).toEqual([
      'east gateway/conflict',
      'west gateway/conflict',
    ])
    expect(report.summary).toMatchObject({ files: 3, documents: 4 })
  })

  it('has one finding where all worlds agree, and the fix of it is made once', () => {
    const wrong = { ...policy('a'), apiVersion: 'gateway.nginx.com/v1alpha1' }
    const outcome = lint([source('base.yaml', [wrong], { world: ['east', 'west'] })])
    expect(outcome.report.findings.map(({ rule }) => rule)).toEqual(['gateway/api-version'])
    const { sources, fixed } = fixSources(
      [...new Set(outcome.fixes.values())].map(({ origin }) => origin.source).slice(0, 1),
      outcome,
      {
        kinds: new Set(['safe']),
        judge: (texts) => lint(texts),
      },
    )
    expect([...fixed]).toEqual([['base.yaml', 1]])
    expect(sources.map(textOf).join('')).toContain('gateway.nginx.org/v1alpha1')
  })
})

describe('texts of several worlds', () => {
  it('do not see each other', () => {
    const texts = ['east', 'west'].map((world) => source(`${world}.yaml`, [policy(world), gateway()], { world }))
    expect(rulesIn(texts)).toEqual([])
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

  it('is compared with its previous version', () => {
    expect(rulesIn([after], [before])).toEqual([KEY_CHANGE])
  })
})

it('a policy that moves to another Gateway has no key change: that is another nginx', () => {
  const on = (target: string, key: string) => {
    const { spec, ...rest } = policy('a', 'shop', target)
    return { ...rest, spec: { ...spec, rateLimit: { local: { rules: [{ key, rate: '10r/s', zoneSize: '10m' }] } } } }
  }
  const changed = (target: string) =>
    rulesIn([source('a.yaml', [on(target, '$host'), gateway()])], [source('a.yaml', [on('shop', '$uri')])]).filter(
      (rule) => rule.includes('key-change'),
    )
  expect(changed('shop')).toHaveLength(1)
  expect(changed('other')).toEqual([])
})
