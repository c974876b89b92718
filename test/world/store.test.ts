/** What a watch holds, as lookups get it. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createStore, type Store } from '../../src/cluster/watch/store.ts'
import { isObject } from '../../src/json/member.ts'
import { readIdentity, readMetadata, sharedNamespace } from '../../src/kubernetes/metadata.ts'
import { type Grouping, type KindObjects, kindObjects } from '../../src/world/objects.ts'
import type { Kind } from '../../src/world/system.ts'
import { cup } from '../registry/tea.ts'
import { holdsFor } from '../support/holds.ts'

/** Counts how often each object is read. */
function createKind() {
  const reads: string[] = []
  const kind: Pick<Kind, 'kind' | 'read'> = {
    kind: 'Cup',
    read(object) {
      const identity = readIdentity('Cup', readMetadata(object))
      reads.push(identity.name ?? '')
      return { object, identity }
    },
  }
  return { kind, reads }
}

/** A cup that stands beside others of any namespace, and in cupboards of its own. */
const placed = (namespace: string, name: string, refers: readonly string[] = []) => ({
  ...cup(name),
  metadata: { name, namespace },
  spec: { refers },
})

const referred = ({ object: { spec } }: { readonly object: { readonly [key: string]: unknown } }): readonly string[] =>
  isObject(spec) && Array.isArray(spec.refers) ? spec.refers.filter((one) => typeof one === 'string') : []

const BESIDE: Grouping = {
  isOwn: false,
  keysOf: (view) => referred(view).map((name) => ({ kind: 'Cup', namespace: name === 'green' ? 'bar' : 'shop', name })),
}
const IN_CUPBOARD: Grouping = {
  isOwn: true,
  keysOf: (view) => referred(view).map((name) => ({ kind: 'Cupboard', namespace: view.identity.namespace, name })),
}

const namesOf = (views: ReturnType<KindObjects['all']>) => views.map(({ identity }) => identity.name)

it('finds every object, and says of others that they are absent', () => {
  const store = createStore(createKind().kind)
  store.fill([cup('blue'), cup('red')])
  const objects = store.objects()
  expect(namesOf(objects.all())).toEqual(['blue', 'red'])
  expect(objects.in('shop')).toHaveLength(2)
  expect(objects.in('elsewhere')).toEqual([])
  const stateOf = (name: string) => objects.index().get('Cup', 'shop', name).state
  expect([stateOf('red'), stateOf('green')]).toEqual(['found', 'absent'])
})

it('reads an object once, and only those of a namespace for what is in it', () => {
  const { kind, reads } = createKind()
  const store = createStore(kind)
  store.fill([placed('bar', 'green'), cup('red'), placed('shop', 'blue', ['x'])])
  const ask = () => {
    const objects = store.objects()
    return [
      objects.in('shop'),
      objects.by(IN_CUPBOARD).at('Cupboard', 'shop', 'x'),
      objects.index().get('Cup', 'shop', 'red'),
    ]
  }
  expect(ask()).toHaveLength(3)
  store.put(placed('bar', 'yellow'))
  ask()
  expect(reads).toEqual(['blue', 'red'])
  expect(namesOf(store.objects().all())).toEqual(['green', 'yellow', 'blue', 'red'])
  expect(reads.toSorted()).toEqual(['blue', 'green', 'red', 'yellow'])
})

it('keeps its value and each list until something in it changes', () => {
  const store = createStore(createKind().kind)
  store.put(placed('shop', 'blue', ['x']))
  const before = store.objects()
  const listsOf = (objects: KindObjects) => [objects.in('shop'), objects.by(IN_CUPBOARD).at('Cupboard', 'shop', 'x')]
  const [inShop, inCupboard] = listsOf(before)
  expect(store.objects()).toBe(before)
  store.put(placed('bar', 'green', ['x']))
  const after = store.objects()
  expect(after).not.toBe(before)
  expect(listsOf(after)[0]).toBe(inShop)
  store.put(placed('shop', 'red', ['y']))
  expect(listsOf(store.objects())[0]).not.toBe(inShop)
  expect(listsOf(store.objects())[1]).toBe(inCupboard)
  store.remove(placed('shop', 'blue'))
  expect(namesOf(store.objects().in('shop'))).toEqual(['red'])
  expect(listsOf(store.objects())[1]).toBeUndefined()
  expect(store.size()).toBe(2)
})

const NAMESPACES = ['shop', 'bar', 'cafe']
const NAMES = ['blue', 'green', 'red']

/** Everything that lookups can ask. */
function answersOf(objects: KindObjects) {
  const index = objects.index()
  const places = [...NAMESPACES, '', undefined, sharedNamespace('x')]
  const asked = places.flatMap((namespace) => NAMES.map((name) => ({ namespace, name })))
  return {
    all: objects.all(),
    isEmpty: objects.isEmpty,
    unique: index.unique,
    in: places.map((namespace) => objects.in(namespace)),
    known: places.map((namespace) => [
      index.allKnownIn(namespace),
      namespace === undefined || index.ownKnownIn(namespace),
      index.namesIn('Cup', namespace),
    ]),
    namespacesOf: NAMES.map((name) => index.namespacesOf('Cup', name)),
    found: asked.map(({ namespace, name }) =>
      ['Cup', 'Cupboard'].map((kind) => [
        index.get(kind, namespace, name),
        index.has(kind, namespace, name),
        index.isAmbiguous(kind, namespace, name),
      ]),
    ),
    by: asked.map(({ namespace, name }) => [
      objects.by(BESIDE).at('Cup', namespace, name),
      objects.by(IN_CUPBOARD).at('Cupboard', namespace, name),
    ]),
  }
}

it('answers after any changes as the objects of a list do', () => {
  const one = fc
    .record({ namespace: fc.constantFrom(...NAMESPACES), name: fc.constantFrom(...NAMES), refers: fc.subarray(NAMES) })
    .map(({ namespace, name, refers }) => placed(namespace, name, refers))
  const change = fc.oneof(
    { weight: 6, arbitrary: one.map((object) => (store: Store) => store.put(object)) },
    { weight: 3, arbitrary: one.map((object) => (store: Store) => store.remove(object)) },
    { weight: 1, arbitrary: fc.array(one, { maxLength: 6 }).map((objects) => (store: Store) => store.fill(objects)) },
    { weight: 2, arbitrary: fc.constant((store: Store) => void store.objects().by(BESIDE).at('Cup', 'shop', 'blue')) },
    { weight: 2, arbitrary: fc.constant((store: Store) => void store.objects().in('shop')) },
  )
  holdsFor(300)(fc.array(change, { maxLength: 30 }), fc.boolean(), (changes, asksAlways) => {
    const store = createStore(createKind().kind)
    for (const [position, apply] of changes.entries()) {
      apply(store)
      if (!asksAlways && position < changes.length - 1) continue
      const objects = store.objects()
      const list = kindObjects(objects.all(), { closed: true })
      expect(answersOf(objects)).toEqual(answersOf(list))
      expect(objects.before && answersOf(objects.before)).toEqual(answersOf(list))
    }
  })
})
