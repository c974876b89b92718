/** Status, render and simulate of routes that are attached through a ListenerSet. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/member.ts'
import { queryRender } from '../../src/queries/render.ts'
import { queryStatus } from '../../src/queries/status.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { simulateLogText } from '../../src/simulate/log-text.ts'
import { prepareSimulation } from '../../src/simulate/simulate.ts'
import { gateway, policy, route, source, worldsOf } from './manifests.ts'

const GROUP = 'gateway.networking.k8s.io'
const SET = {
  apiVersion: `${GROUP}/v1`,
  kind: 'ListenerSet',
  metadata: { name: 'set', namespace: 'shop' },
  spec: { parentRef: { name: 'edge' }, listeners: [{ name: 'extra', port: 8080, protocol: 'HTTP' }] },
}

/** A Gateway that allows ListenerSets of these namespaces, a set, and a route that names the set. */
function shop(from: string): readonly JsonObject[] {
  const { spec, ...edge } = gateway('edge')
  return [
    { ...edge, spec: { ...Object(spec), allowedListeners: { namespaces: { from } } } },
    SET,
    route('coffee', { parentRefs: [{ group: GROUP, kind: 'ListenerSet', name: 'set' }] }),
    policy('edge', ['Gateway/edge']),
    policy('coffee', ['HTTPRoute/coffee']),
  ]
}

const HOW = {
  ...{ complete: false, files: false, address: '', ports: new Map(), portOffset: 0, addresses: new Map() },
  ...{ certificates: undefined, socketDir: '/var/run' },
}

function rendered(from: string, how: Partial<typeof HOW> = {}): string {
  const result = queryRender([source(shop(from))], {
    ...{ settings: DEFAULT_SETTINGS, closedWorld: true, how: { ...HOW, ...how } },
    ...{ gateway: undefined, several: true, world: undefined, namespace: undefined },
  })
  if (!result.ok) throw new Error(result.problem)
  return result.value.gateways.flatMap(({ files }) => files.map(({ text }) => text)).join('\n')
}

/** The policies whose limits a request to the Gateway meets. */
function simulated(from: string): readonly string[] {
  const prepared = prepareSimulation(
    {
      ...{ sources: [source(shop(from))], old: undefined, closedWorld: true, settings: DEFAULT_SETTINGS },
      ...{ route: undefined, gateway: 'edge', namespace: undefined, world: undefined, anywhere: false },
    },
    { constants: new Map(), top: 1 },
  )
  if (!prepared.ok) throw new Error(prepared.problem)
  const text = '192.0.2.1 - - [31/Jan/2026:12:00:00 +0000] "GET /tea HTTP/1.1" 200 5 "-" "-"\n'
  const result = simulateLogText(prepared.value, { text })
  if (!result.ok) throw new Error(result.problem)
  return result.value.report.policies.map(({ name }) => name).sort()
}

describe('a route that is attached through a ListenerSet', () => {
  it('is rendered with the limits of the Gateway and its own, on the port of the set', () => {
    const text = rendered('Same', { complete: true })
    expect(text).toMatch(/listen\s+\S*8080/)
    expect(text).toContain('limit_req zone=shop_rl_edge_rule0;')
    expect(text).toContain('limit_req zone=shop_rl_coffee_rule0;')
  })

  it('is not rendered where the Gateway does not allow the set', () => {
    const text = rendered('None', { complete: true })
    expect(text).not.toContain('8080')
    expect(text).not.toContain('shop_rl_coffee_rule0')
  })

  it('is simulated', () => {
    expect(simulated('Same')).toEqual(['coffee', 'edge'])
    expect(simulated('None')).not.toContain('coffee')
  })

  it('has the condition of its policies for the set', () => {
    const [world] = worldsOf(shop('Same'))
    const query = { settings: DEFAULT_SETTINGS, controllerName: undefined, now: '2026-01-31T12:00:00Z' }
    const objects = world ? queryStatus(world, query).objects : []
    expect(objects.find(({ kind }) => kind === 'HTTPRoute')).toMatchObject({
      status: {
        parents: [
          {
            parentRef: { group: GROUP, kind: 'ListenerSet', name: 'set', namespace: 'shop' },
            conditions: [{ type: 'RateLimitPolicyAffected', status: 'True' }],
          },
        ],
      },
    })
  })
})
