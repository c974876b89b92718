/** Everything that a store keeps is read as it was written, found by what it is asked for, and changed only where it is as expected. */
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Change, HistoryEntry, Store, User } from '../../src/store/store.ts'
import { createFolder } from '../files/folder.ts'
import { casesOf } from '../support/cases.ts'
import { newProxy, newWorkspace } from './values.ts'

const { each } = casesOf(import.meta.url)

function open(): Store {
  const { store } = openSqliteStore(join(createFolder(), 'state.db'))
  onTestFinished(() => store.close())
  return store
}

async function filled(...commits: readonly (readonly Change[])[]): Promise<Store> {
  const store = open()
  for (const changes of commits) await store.commit(changes)
  return store
}

const user = (name: string, more: Partial<User> = {}): User => ({
  ...{ name, roles: ['administrator', 'editor:a'], passwordHash: `hash of ${name}`, mustChangePassword: true },
  ...{ revision: 1, ...more },
})
const putUser = (value: User, expected?: number): Change => ({ put: 'user', value, expected })
const entry = (revision: number, more: Partial<HistoryEntry> = {}): HistoryEntry => ({
  ...{ workspace: 'team', name: 'a', hostname: 'h', version: 'v1', proxy: 'id-a', revision, at: 5, by: 'me' },
  ...{ action: 'changed', restoredFrom: undefined, body: { n: revision }, ...more },
})
const workspace = { name: 'team', requireIfMatch: true, revision: 2 }
const environment = { workspace: 'team', name: 'east', gateways: ['g1', 'g2'], policies: { a: [1] }, revision: 1 }
const TEAM = newWorkspace('team')

each<[what: string, changes: readonly Change[], read: readonly [keyof Store, ...unknown[]], expected: unknown]>(
  'a store reads %s',
  async (_, changes, [read, ...parameters], expected) => {
    const store = await filled(TEAM, changes)
    expect(await Reflect.apply(store[read], store, parameters)).toEqual(expected)
  },
)

each<[conflict: string, changes: readonly Change[]]>(
  'a store refuses, with the conflict %s: %j',
  async (conflict, changes) => {
    const store = await filled(TEAM)
    await expect(store.commit(changes)).rejects.toMatchObject({ conflict })
    expect(await store.user('ann')).toBeUndefined()
  },
)

it('lists go by name, after a key or a number of rows', async () => {
  const all = [...['c', 'a', 'b'].flatMap(newWorkspace), ...['c', 'a', 'b'].map((name) => putUser(user(name)))]
  const store = await filled(all)
  const names = async (list: Promise<readonly { readonly name: string }[]>) => (await list).map(({ name }) => name)
  for (const list of [store.workspaces, store.users]) {
    expect(await names(list({ limit: 2, skip: 0 }))).toEqual(['a', 'b'])
    expect(await names(list({ limit: 2, skip: 2 }))).toEqual(['c'])
    expect(await names(list({ limit: 1, after: 'a' }))).toEqual(['b'])
  }
  expect((await store.allEnvironments()).map((one) => one.workspace)).toEqual(['a', 'b', 'c'])
  expect(await store.environments('b')).toHaveLength(1)
})

it('proxies are found by workspace, name, hostname and version', async () => {
  const made = (id: string, name: string, hostname: string, version: string) =>
    newProxy(id === '5' ? 'other' : 'team', name, { id, hostname, version, addresses: [`/${id}`] })
  const store = await filled(TEAM, newWorkspace('other'), [
    ...[...made('3', 'b', '', 'v1'), ...made('1', 'a', 'x', 'v2'), ...made('2', 'a', 'x', 'v1')],
    ...[...made('4', 'a', 'w', 'v1'), ...made('5', 'a', 'x', 'v1')],
  ])
  const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id)
  expect(ids(await store.proxies('team', { limit: 9, skip: 0 }))).toEqual(['4', '2', '1', '3'])
  expect(ids(await store.proxies('team', { limit: 1, skip: 1 }))).toEqual(['2'])
  const after = { workspace: 'team', name: 'a', hostname: 'x', version: 'v1' }
  expect(ids(await store.proxies('team', { limit: 9, after }))).toEqual(['1', '3'])
  const a = { workspace: 'team', name: 'a' }
  expect(ids(await store.proxiesNamed(a)).sort()).toEqual(['1', '2', '4'])
  expect(ids(await store.proxiesNamed({ ...a, hostname: 'x' })).sort()).toEqual(['1', '2'])
  expect(ids(await store.proxiesNamed({ ...a, version: 'v1' })).sort()).toEqual(['2', '4'])
  expect(ids(await store.proxiesNamed({ ...a, hostname: 'x', version: 'v1' }))).toEqual(['2'])
  expect(await store.proxyHeads('other')).toEqual([
    { id: '5', workspace: 'other', name: 'a', hostname: 'x', version: 'v1', environment: 'default', revision: 1 },
  ])
  expect(ids(await store.proxyHeads())).toEqual(['3', '1', '2', '4', '5'])
  expect(await store.historicIds(a)).toEqual(['4', '2', '1'])
  expect(await store.historicIds({ ...a, hostname: 'x', version: 'v2' })).toEqual(['1'])
  const second = { ...a, hostname: 'x', version: 'v1' }
  const here = { same: '2', isHistoric: true }
  expect(await store.occupantsOf(second, ['/none', '/2'], '')).toEqual({ ...here, holder: '2' })
  expect(await store.occupantsOf(second, ['/2'], '2')).toEqual({ ...here, holder: undefined })
  const nowhere = { same: undefined, holder: undefined, isHistoric: false }
  expect(await store.occupantsOf({ ...second, version: 'v3' }, [], '')).toEqual(nowhere)
  expect([await store.hasForeignProxy(['x'], 'team'), await store.hasForeignProxy(['w'], 'team')]).toEqual([
    true,
    false,
  ])
  await store.commit(newProxy('other', 'b', { id: '6', hostname: 'w', addresses: ['/6'] }))
  expect(await store.hasForeignProxy(['w'], 'team')).toBe(true)
  await store.commit([{ remove: 'proxy', id: '6', expected: 1 }])
  expect(await store.hasForeignProxy(['w'], 'team')).toBe(false)
})

it('proxies are listed by the state that is shown: CONFIGURING where no gateway serves them', async () => {
  const made = (id: string, more: object) =>
    newProxy('team', id, { id, addresses: [`/${id}`], state: 'SUCCESS', ...more })
  const store = await filled(
    TEAM,
    [{ put: 'environment', value: environment, expected: undefined }],
    [
      ...[...made('a', {}), ...made('b', { state: 'FAILED' }), ...made('c', { addresses: [] })],
      ...made('d', { environment: 'east' }),
    ],
  )
  const listed = async (more: object, served = ['default']) => {
    const list = { served, by: 'state', isDescending: true, ...more } as const
    const ids = (await store.proxies('team', { limit: 9, skip: 0 }, list)).map(({ id }) => id)
    expect(await store.proxyTotal('team', list)).toBe(ids.length)
    return ids.join('')
  }
  expect([await listed({}), await listed({}, [])]).toEqual(['abdc', 'dcba'])
  expect([await listed({ state: 'SUCCESS' }), await listed({ state: 'CONFIGURING' })]).toEqual(['a', 'dc'])
  expect(await listed({ state: 'SUCCESS' }, ['default', 'east'])).toBe('da')
  expect([await listed({ name: '%*' }), await listed({ hostname: '*_*' })]).toEqual(['', ''])
})

it('history is read from the newest, and events from the oldest', async () => {
  const event = { put: 'event', value: { at: 0, type: 't', workspace: 'team', data: {} } } as const
  const history = [1, 2, 3].map((revision): Change => ({ put: 'history', value: entry(revision) }))
  const store = await filled([...history, { put: 'history', value: entry(1, { proxy: 'id-b' }) }, event, event, event])
  const revisions = async (range: Parameters<Store['history']>[1]) =>
    (await store.history('id-a', range)).map(({ revision }) => revision)
  expect(await revisions({ limit: 2 })).toEqual([3, 2])
  expect(await revisions({ before: 3, limit: 9 })).toEqual([2, 1])
  expect((await store.events(1, 1)).map(({ id }) => id)).toEqual([2])
  expect(await store.eventRange()).toEqual({ oldest: 1, newest: 3 })
})

it('what is asked again and again is read again after a change', async () => {
  const store = await filled(TEAM, [putUser(user('ann'))])
  const ask = async () => [
    (await store.user('ann'))?.revision,
    (await store.workspace('team'))?.revision,
    (await store.environment('team', 'default'))?.revision,
  ]
  expect(await ask()).toEqual([1, 1, 1])
  await store.commit([putUser(user('ann', { revision: 2 }), 1)])
  expect(await ask()).toEqual([2, 1, 1])
  await store.commit([{ put: 'workspace', value: workspace, expected: 1 }])
  expect(await ask()).toEqual([2, 2, 1])
  await store.commit([{ put: 'environment', value: { ...environment, name: 'default', revision: 5 }, expected: 1 }])
  expect(await ask()).toEqual([2, 2, 5])
  await store.commit([{ remove: 'environment', workspace: 'team', name: 'default', expected: 5 }])
  expect(await ask()).toEqual([2, 2, undefined])
  // It keeps a thousand answers and begins again then.
  for (let number = 0; number < 1_001; number += 1) expect(await store.user(`user ${number}`)).toBeUndefined()
  expect(await ask()).toEqual([2, 2, undefined])
})
