/** What a watch holds, as lookups get it. */
import { expect, it } from 'vitest'
import { createSnapshots } from '../../src/cluster/watch/snapshot.ts'
import { readIdentity, readMetadata } from '../../src/kubernetes/metadata.ts'
import type { Kind } from '../../src/world/system.ts'
import { cup } from '../registry/tea.ts'

/** Counts how often each object is read. */
function createKind() {
  const reads: string[] = []
  const kind: Kind = {
    kind: 'Cup',
    group: 'tea.example.com',
    read(object) {
      const identity = readIdentity('Cup', readMetadata(object))
      reads.push(identity.name ?? '')
      return { object, identity }
    },
  }
  return { kind, reads }
}

it('finds every object, and says of others that they are absent', () => {
  const snapshot = createSnapshots(createKind().kind)({ objects: [cup('blue'), cup('red')], known: true })
  expect(snapshot.all().map(({ identity }) => identity.name)).toEqual(['blue', 'red'])
  expect(snapshot.in('shop')).toHaveLength(2)
  expect(snapshot.in('elsewhere')).toEqual([])
  const stateOf = (name: string) => snapshot.index().get('Cup', 'shop', name).state
  expect([stateOf('red'), stateOf('green')]).toEqual(['found', 'absent'])
})

it('knows nothing where objects may be missing', () => {
  const snapshot = createSnapshots(createKind().kind)({ objects: [cup('blue')], known: false })
  expect(snapshot.all()).toEqual([])
  expect(snapshot.index().get('Cup', 'shop', 'blue').state).toBe('unknown')
})

it('reads an object once, in whatever list it is', () => {
  const { kind, reads } = createKind()
  const snapshots = createSnapshots(kind)
  const [blue, red] = [cup('blue'), cup('red')]
  for (const objects of [[blue], [red, blue], [blue, red]]) {
    const snapshot = snapshots({ objects, known: true })
    expect(snapshot.all()).toHaveLength(objects.length)
    expect(snapshot.in('shop')).toHaveLength(objects.length)
  }
  expect(reads).toEqual(['blue', 'red'])
})

it('keeps the list of a namespace in which nothing has changed', () => {
  const snapshots = createSnapshots(createKind().kind)
  const other = { ...cup('green'), metadata: { name: 'green', namespace: 'bar' } }
  const blue = cup('blue')
  const before = snapshots({ objects: [blue], known: true }).in('shop')
  expect(snapshots({ objects: [blue, other], known: true }).in('shop')).toBe(before)
  expect(snapshots({ objects: [cup('red'), blue, other], known: true }).in('shop')).not.toBe(before)
})
