/** A world after changes is the world of the changed objects: no lookup and no cache remembers anything else. */
import { describe, expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import { type Audit, createAudit } from '../../src/admission/audit.ts'
import { createReviewer } from '../../src/admission/reviewer.ts'
import { createStore } from '../../src/cluster/watch/store.ts'
import { createJudge } from '../../src/engine/run.ts'
import { GATEWAY_SYSTEM } from '../../src/gateway/system.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { DEFAULT_PROJECT, DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { kindTable } from '../../src/world/kinds.ts'
import { kindObjects, noObjects, type ObjectView, objectsByKind } from '../../src/world/objects.ts'
import { createWorld, createWorldMaker, type World } from '../../src/world/world.ts'
import { casesOf } from '../support/cases.ts'
import { holdsFor } from '../support/holds.ts'
import { valuesOf } from '../support/values.ts'

const { cases, each } = casesOf(import.meta.url)

const KINDS = kindTable([GATEWAY_SYSTEM], apiNames())

/** The objects of a state, by kind and then by namespace and name. */
type State = ReadonlyMap<string, ReadonlyMap<string, ObjectView>>

const keyOf = ({ namespace, name }: ObjectView['identity']) => `${namespace}/${name}`

function changed(state: State, kind: string, key: string, after: ObjectView | undefined): State {
  const items = new Map(state.get(kind))
  if (after) items.set(key, after)
  else items.delete(key)
  return new Map(state).set(kind, items)
}

/** A world of nothing but a state; where `existed`, its objects are also those before a change. */
const worldOf = (state: State, existed = false): World =>
  createWorld(
    [GATEWAY_SYSTEM],
    objectsByKind((kind) => {
      const items = [...(state.get(kind)?.values() ?? [])]
      return kindObjects(items, { closed: true, before: existed ? kindObjects(items, { closed: true }) : undefined })
    }),
  )

type Step = { readonly object: JsonObject; readonly isDeleted: boolean }
const OBJECT = cases('any object')
const CLASS = cases<JsonObject>('class')
const STEPS = valuesOf<Step[]>({
  $list: { object: OBJECT, isDeleted: { $any: [false, true] } },
  minLength: 1,
  maxLength: 4,
})
const START = valuesOf<JsonObject[]>({ $list: OBJECT, maxLength: 14 }).map((objects) => [CLASS, ...objects])

function viewOf(one: JsonObject): { readonly kind: string; readonly view: ObjectView } {
  const kind = KINDS.recognise(one)?.kind
  if (!kind) throw new Error('the object is of no known kind')
  return { kind: kind.kind, view: kind.read(one) }
}

/** What all rules find in the policies of a state, with both compositions. */
const findingsIn = (state: State, world: World): readonly string[] =>
  (['stack', 'inherit'] as const).flatMap((composition) => {
    const judge = createJudge({ rules: RULES, settings: { ...DEFAULT_SETTINGS, composition } })
    return [...(state.get('RateLimitPolicy') ?? [])]
      .flatMap(([key, view]) =>
        judge({ kind: 'RateLimitPolicy', view, object: view.object, identity: view.identity, world }).map(
          ({ rule, message, pointer, data }) =>
            `${composition} ${key} ${rule} ${message} ${pointer} ${JSON.stringify(data)}`,
        ),
      )
      .sort()
  })

const stateOf = (objects: readonly JsonObject[]): State =>
  objects
    .map(viewOf)
    .reduce<State>((state, { kind, view }) => changed(state, kind, keyOf(view.identity), view), new Map())

/** How many objects have findings of each rule. */
const ruleCounts = (found: readonly string[]): Readonly<Record<string, number>> => {
  const pairs = new Set(found.map((text) => text.split(' ').slice(1, 3).join(' ')))
  return Object.fromEntries(
    [...new Set([...pairs].map((pair) => pair.split(' ')[1] ?? ''))].map((rule) => [
      rule,
      [...pairs].filter((pair) => pair.endsWith(` ${rule}`)).length,
    ]),
  )
}

const countsOf = (audit: Audit) => {
  const counts: Record<string, number> = {}
  for (const { rule, count } of audit.counts()) counts[rule] = (counts[rule] ?? 0) + count
  return counts
}

const REVIEWER = createReviewer(DEFAULT_PROJECT, { rules: RULES, systems: [GATEWAY_SYSTEM] })

describe('what rules find after changes, one after the other, is what they find in a new world of the same objects', () => {
  it('where the world is overlaid with each change, as in a review', () =>
    holdsFor(250)(START, STEPS, (objects, changes) => {
      let state = stateOf(objects)
      let world = worldOf(state)
      findingsIn(state, world)
      for (const { object: one, isDeleted } of changes) {
        const { kind, view } = viewOf(one)
        const before = state.get(kind)?.get(keyOf(view.identity))
        const after = isDeleted ? undefined : view
        if (!before && !after) continue
        state = changed(state, kind, keyOf(view.identity), after)
        world = world.with({ kind, before, after })
        expect(findingsIn(state, world)).toEqual(findingsIn(state, worldOf(state)))
      }
    }))

  it('where a watch makes the next state, and keeps the lookups of which nothing has changed, also for the audit', () =>
    holdsFor(150)(START, STEPS, (objects, changes) => {
      const make = createWorldMaker([GATEWAY_SYSTEM])
      const stores = new Map(KINDS.kinds.map((kind) => [kind.kind, createStore(kind)]))
      const stored = objectsByKind((kind) => stores.get(kind)?.objects() ?? noObjects(true))
      const audit = createAudit()
      const expectSame = () => {
        const audited = { objects: stored, world: make(stored), reviewer: REVIEWER, now: 0 }
        audit.update(audited)
        while (audit.judge(3, audited));
        const lists = [...stores].map(([kind, store]) => [kind, store.objects().all()] as const)
        const state = new Map(
          lists.map(([kind, views]) => [kind, new Map(views.map((view) => [keyOf(view.identity), view]))]),
        )
        const found = findingsIn(state, worldOf(state, true))
        expect(findingsIn(state, make(stored))).toEqual(found)
        expect(countsOf(audit)).toEqual(
          ruleCounts(found.filter((text) => text.startsWith(DEFAULT_SETTINGS.composition))),
        )
      }
      for (const one of objects) stores.get(viewOf(one).kind)?.put(one)
      expectSame()
      for (const { object: one, isDeleted } of changes) {
        const store = stores.get(viewOf(one).kind)
        if (isDeleted) store?.remove(one)
        else store?.put(one)
        expectSame()
      }
    }))
})

/** The rules that find something in a state: `shop/coffee gateway/location-shared`. */
const rulesIn = (state: State, world: World, composition: string): readonly string[] =>
  findingsIn(state, world)
    .filter((text) => text.startsWith(composition))
    .map((text) => text.split(' ').slice(1, 3).join(' '))

type Change = { readonly objects: readonly JsonObject[]; readonly after: JsonObject }

describe('a cached result follows what it depends on', () =>
  each<[string, string, Change, readonly string[], readonly string[]]>(
    '%s',
    (_, composition, { objects, after }, ...expected) => {
      const state = stateOf(objects)
      const { kind, view } = viewOf(after)
      const key = keyOf(view.identity)
      const world = worldOf(state)
      const before = rulesIn(state, world, composition)
      const next = world.with({ kind, before: state.get(kind)?.get(key), after: view })
      expect([before, rulesIn(changed(state, kind, key, view), next, composition)]).toEqual(expected)
    },
    'a cached result follows what it depends on',
  ))
