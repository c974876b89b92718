/** Lint, status, effective, render and simulate agree on which policies take part, win and lose; an oracle says who does. */
import { describe, expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import { createJudge } from '../../src/engine/run.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { queryEffective } from '../../src/queries/effective.ts'
import { queryRender } from '../../src/queries/render.ts'
import { queryStatus } from '../../src/queries/status.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../src/settings/settings.ts'
import { simulateLogText } from '../../src/simulate/log-text.ts'
import { prepareSimulation } from '../../src/simulate/simulate.ts'
import { subjectsIn } from '../subjects.ts'
import { holdsFor } from '../support/holds.ts'
import { type Contender, type Verdict, verdicts } from './conflict-oracle.ts'
import { source, worldsOf } from './manifests.ts'
import { type RandomPolicy, randomPolicies, SURROUNDINGS } from './random-worlds.ts'

type Mode = Settings['conflict']

/** A random world, and what the oracle says of it. */
type Scene = {
  readonly policies: readonly RandomPolicy[]
  readonly objects: readonly JsonObject[]
  readonly settings: Settings
  /** The policies that the API server accepts. */
  readonly oracle: ReadonlyMap<string, Verdict>
}

const sceneOf = (policies: readonly RandomPolicy[], conflict: Mode): Scene => ({
  policies,
  objects: [...SURROUNDINGS, ...policies.map(({ object }) => object)],
  settings: { ...DEFAULT_SETTINGS, conflict },
  oracle: verdicts(
    policies.filter(({ judge }) => judge !== 'api-server'),
    conflict,
  ),
})

const everyWorld = (check: (scene: Scene) => void) =>
  describe.each(['same-field', 'any-field'] as const)('conflict: %s', (mode) =>
    it('in random worlds', () => holdsFor(250)(randomPolicies, (policies) => check(sceneOf(policies, mode)))),
  )

/** Policies that are accepted whatever the order of targets, in order of precedence. */
function acceptedOn(target: string, { policies, oracle }: Scene): readonly RandomPolicy[] {
  const seconds = ({ created }: Contender) =>
    created === undefined ? Infinity : Math.floor(Date.parse(created) / 1000)
  return policies
    .filter(({ name, targets }) => targets.includes(target) && oracle.get(name)?.fate === 'accepted')
    .sort((a, b) => (seconds(a) === seconds(b) ? (a.name < b.name ? -1 : 1) : seconds(a) - seconds(b)))
}

const isLimiting = ({ judge }: RandomPolicy) => judge === 'nobody' || judge === 'drops'

/** Why a policy is preferred, from the side of the other one. */
function reasonOf(winner: RandomPolicy | undefined, loser: RandomPolicy): string {
  if (winner?.created === undefined) return 'first by name'
  if (loser.created === undefined) return 'the only one with a creation time'
  const seconds = (text: string) => Math.floor(Date.parse(text) / 1000)
  return seconds(winner.created) === seconds(loser.created) ? 'same age, first by name' : 'older'
}

describe('lint reports a conflict for exactly the policies that lose', () => {
  const judges = (settings: Settings) =>
    createJudge({ rules: RULES.filter(({ id }) => id.startsWith('gateway/conflict')), settings })
  everyWorld(({ policies, objects, settings, oracle }) => {
    const judge = judges(settings)
    for (const subject of subjectsIn([source(objects)], { closedWorld: true, settings })) {
      const policy = policies.find(({ name }) => name === subject.identity.name)
      if (!policy) continue
      const found = judge(subject).filter(({ message }) => message !== 'strict')
      const verdict = oracle.get(policy.name)
      const expected = { conflicted: 'gateway/conflict', depends: 'gateway/conflict-chain', accepted: undefined }
      expect([...new Set(found.map(({ rule }) => rule))]).toEqual([expected[verdict?.fate ?? 'accepted'] ?? []].flat())
      const told = found.filter(({ rule }) => rule === 'gateway/conflict')
      expect(new Set(told.map(({ data }) => data.preferred))).toEqual(
        new Set([...(verdict?.winners ?? [])].flatMap(([, names]) => names)),
      )
      for (const { data } of told) {
        expect(verdict?.winners.get(`${data.kind}/${data.name}`)).toContain(data.preferred)
        const winner = policies.find(({ name }) => name === data.preferred)
        if (data.reason !== undefined) expect(data.reason).toBe(reasonOf(winner, policy))
      }
    }
  })
})

const STATES: Readonly<Record<Verdict['fate'], string>> = {
  accepted: 'True Accepted',
  conflicted: 'False Conflicted',
  depends: 'Unknown Conflicted',
}

function stateOf({ judge }: RandomPolicy, targetName: string, { fate }: Pick<Verdict, 'fate'>): string {
  if (judge === 'api-server') return 'False Invalid'
  return targetName === 'gone' ? 'False TargetNotFound' : STATES[fate]
}

/** A message names a winner on the very target that it is about. */
function expectWinner(message: string, winners: readonly string[], target: { kind: string; name: string }): void {
  const [, winner, where] = /RateLimitPolicy shop\/(\S+), which .* on (\w+ \w+)$/.exec(message) ?? []
  expect(winners).toContain(winner)
  expect(where).toBe(`${target.kind} ${target.name}`)
}

describe('status has the condition of every policy on each of its targets', () =>
  everyWorld(({ policies, objects, settings, oracle }) => {
    const [world] = worldsOf(objects, { settings })
    if (!world) throw new Error('there is no world')
    const result = queryStatus(world, { settings, controllerName: undefined, now: '2026-01-31T12:00:00Z' })
    for (const policy of policies) {
      const verdict = oracle.get(policy.name) ?? { fate: 'accepted', winners: new Map<string, readonly string[]>() }
      const { ancestors = [] } = result.policies.find(({ name }) => name === policy.name) ?? {}
      for (const { ancestorRef, conditions } of ancestors) {
        expect(conditions.map(({ status, reason }) => `${status} ${reason}`)).toEqual([
          stateOf(policy, ancestorRef.name, verdict),
        ])
        const winners = verdict.winners.get(`${ancestorRef.kind}/${ancestorRef.name}`)
        if (verdict.fate === 'conflicted' && winners) expectWinner(conditions[0]?.message ?? '', winners, ancestorRef)
      }
    }
  }))

const PATHS = { 'HTTPRoute/coffee': ['edge'], 'HTTPRoute/tea': ['edge', 'inner'], 'GRPCRoute/chat': ['inner'] } as const

describe('effective lists the limits of the policies that are accepted', () =>
  everyWorld((scene) => {
    const { policies, objects, settings, oracle } = scene
    const worlds = worldsOf(objects, { settings })
    for (const [target, gateways] of Object.entries(PATHS)) {
      const result = queryEffective(target, worlds, { settings, world: undefined, namespace: undefined })
      if (!result.ok) throw new Error(result.problem)
      const { requestPaths } = result.value
      expect(requestPaths.map(({ gateway }) => gateway?.name)).toEqual(gateways)
      for (const { gateway, limits, conflicts } of requestPaths) {
        const levels = [`Gateway/${gateway?.name}`, target].map((level) => acceptedOn(level, scene).filter(isLimiting))
        expect(limits.map(({ policy }) => policy.name)).toEqual(levels.flat().map(({ name }) => name))
        const here = policies.filter(
          ({ targets }) => targets.includes(target) || targets.includes(`Gateway/${gateway?.name}`),
        )
        const lost = here.filter(({ name }) => (oracle.get(name)?.fate ?? 'accepted') !== 'accepted')
        expect(new Set(conflicts.map(({ rejected }) => rejected.name))).toEqual(new Set(lost.map(({ name }) => name)))
      }
    }
  }))

const BEHIND = {
  edge: ['Gateway/edge', 'HTTPRoute/coffee', 'HTTPRoute/tea'],
  inner: ['Gateway/inner', 'HTTPRoute/tea', 'GRPCRoute/chat'],
} as const

const HOW = {
  ...{ complete: false, files: false, address: '', ports: new Map(), portOffset: 0, addresses: new Map() },
  ...{ certificates: undefined, socketDir: '/var/run' },
}

describe('render has the zones of the policies that are accepted, also of those that nginx rejects', () =>
  everyWorld((scene) => {
    const result = queryRender([source(scene.objects)], {
      ...{ settings: scene.settings, closedWorld: true, how: HOW },
      ...{ gateway: undefined, several: true, world: undefined, namespace: undefined },
    })
    if (!result.ok) throw new Error(result.problem)
    for (const [name, targets] of Object.entries(BEHIND)) {
      const text = result.value.gateways
        .find((one) => one.name === name)
        ?.files.map((file) => file.text)
        .join('')
      const zones = [...(text ?? '').matchAll(/^limit_req_zone .* zone=shop_rl_(\S+)_rule0:/gm)].map(
        ([, policy]) => policy,
      )
      const accepted = targets.flatMap((target) => acceptedOn(target, scene)).filter(({ judge }) => judge !== 'later')
      expect(new Set(zones)).toEqual(new Set(accepted.map(({ name: policy }) => policy)))
    }
  }))

describe('simulate has the limits of the policies that are accepted', () => {
  const line = '192.0.2.1 - - [31/Jan/2026:12:00:00 +0000] "GET /tea HTTP/1.1" 200 5 "-" "-"\n'
  everyWorld((scene) => {
    const { objects, settings } = scene
    const prepared = prepareSimulation(
      {
        ...{ sources: [source(objects)], old: undefined, closedWorld: true, settings },
        ...{ route: undefined, gateway: 'edge', namespace: undefined, world: undefined, anywhere: false },
      },
      { constants: new Map(), top: 1 },
    )
    if (!prepared.ok) throw new Error(prepared.problem)
    const result = simulateLogText(prepared.value, { text: line })
    if (!result.ok) throw new Error(result.problem)
    const limiting = BEHIND.edge.flatMap((target) => acceptedOn(target, scene)).filter(isLimiting)
    expect(new Set(result.value.report.policies.map(({ name }) => name))).toEqual(
      new Set(limiting.map(({ name }) => name)),
    )
  })
})
