/** The store in an SQLite file: what is acknowledged stays, whatever happens, and nothing is half. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { KEPT_ENTRIES } from '../../src/store/sqlite/audit.ts'
import { KEPT_EVENTS } from '../../src/store/sqlite/changes.ts'
import { MIGRATIONS } from '../../src/store/sqlite/migrations.ts'
import { lockStateFile, StateFileError } from '../../src/store/sqlite/open.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { createThreadWriter } from '../../src/store/sqlite/writer.ts'
import { StoreConflict, StoreUnavailable } from '../../src/store/store.ts'
import { createFolder } from '../files/folder.ts'
import { mountSmall } from './small-disk.ts'
import { newProxy, newWorkspace, proxyValue } from './values.ts'

const newFile = () => join(createFolder(), 'state.db')

function openStore(file = newFile(), migrations?: readonly string[], onThread = false) {
  const opened = openSqliteStore(file, { migrations, onThread })
  onTestFinished(() => opened.store.close().catch(() => {}))
  return { ...opened.store, database: opened.database, file }
}

const open = openStore

const conflictOf = async (commit: Promise<void>) =>
  await commit.then(
    () => 'none',
    (error: unknown) => (error instanceof StoreConflict ? error.conflict : error),
  )

const WHERE = [
  { where: 'here', onThread: false },
  { where: 'on its thread', onThread: true },
]

describe.each(WHERE)('a commit $where', ({ onThread }) => {
  const open = () => openStore(newFile(), undefined, onThread)

  it('is applied whole or not at all', async () => {
    const store = open()
    await store.commit(newWorkspace('team'))
    await store.commit(newProxy('team', 'a'))
    const half = [...newProxy('team', 'b'), ...newProxy('team', 'a', { id: 'other' })]
    expect(await conflictOf(store.commit(half))).toBe('revision')
    expect((await store.proxyHeads()).map(({ name }) => name)).toEqual(['a'])
    expect(await store.events(0, 10)).toHaveLength(1)
  })

  it('says which expectation does not hold', async () => {
    const store = open()
    await store.commit(newWorkspace('team'))
    await store.commit(newProxy('team', 'a'))
    const value = proxyValue('team', 'a', { revision: 3 })
    expect(await conflictOf(store.commit([{ put: 'proxy', value, expected: 2 }]))).toBe('revision')
    expect(await conflictOf(store.commit(newWorkspace('team')))).toBe('revision')
    expect(await conflictOf(store.commit(newProxy('team', 'b', { addresses: ['/a'] })))).toBe('address')
    expect(await conflictOf(store.commit(newProxy('nobody', 'b')))).toBe('missing-parent')
    expect(await conflictOf(store.commit([{ remove: 'workspace', name: 'team', expected: 1 }]))).toBe('in-use')
    const environment = { remove: 'environment', workspace: 'team', name: 'default', expected: 1 } as const
    expect(await conflictOf(store.commit([environment]))).toBe('in-use')
    expect(await conflictOf(store.commit([{ remove: 'proxy', id: 'id-a', expected: 2 }]))).toBe('revision')
  })

  it('does not keep those that wait with it from being applied', async () => {
    const store = open()
    await store.commit(newWorkspace('team'))
    const all = ['a', 'b', 'a', 'c'].map((name, index) =>
      conflictOf(store.commit(newProxy('team', name, { id: `${index}`, addresses: [] }))),
    )
    expect(await Promise.all(all)).toEqual(['none', 'none', 'revision', 'none'])
    expect((await store.proxyHeads()).map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  })

  it('frees the addresses of a proxy that moves or goes', async () => {
    const store = open()
    await store.commit(newWorkspace('team'))
    await store.commit(newProxy('team', 'a'))
    const moved = proxyValue('team', 'a', { revision: 2, addresses: ['/new'] })
    await store.commit([{ put: 'proxy', value: moved, expected: 1 }])
    await store.commit(newProxy('team', 'b', { addresses: ['/a'] }))
    await store.commit([{ remove: 'proxy', id: 'id-a', expected: 2 }])
    const moving = { workspace: 'team', name: 'c', hostname: '', version: 'v1' }
    expect(await store.occupantsOf(moving, ['/new', '/a'], '')).toMatchObject({ holder: 'id-b' })
  })

  it('keeps the newest entries of the audit log', async () => {
    const store = open()
    const oldest =
      "INSERT INTO audit (id, at, by, request, kind, workspace, name, action) VALUES (7, 0, '', '', '', '', '', '')"
    store.database.exec(`${oldest}; UPDATE sqlite_sequence SET seq = ${KEPT_ENTRIES + 6} WHERE name = 'audit'`)
    await store.commit([{ author: { by: 'ann', request: 'r', at: 5 } }, ...newWorkspace('team').slice(0, 1)])
    expect((await store.audit({}, { skip: 0, limit: 9 })).map(({ id }) => id)).toEqual([KEPT_ENTRIES + 7])
  })

  it('keeps the newest events', async () => {
    const store = open()
    await store.commit(newWorkspace('team'))
    const event = { put: 'event', value: { at: 0, type: 'x', workspace: 'team', data: {} } } as const
    await store.commit(Array.from({ length: KEPT_EVENTS + 5 }, () => event))
    expect(await store.eventRange()).toEqual({ oldest: 6, newest: KEPT_EVENTS + 5 })
  })
})

describe('kill -9', () => {
  it('amid a thousand writes loses none that was acknowledged, and leaves none half', async () => {
    const file = newFile()
    for (const count of [100, 400, 1000]) {
      rmSync(file, { force: true })
      for (const end of ['-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
      const child = spawn(process.execPath, [resolve('test/store/writer.ts'), file], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const acknowledged: string[] = []
      const lines = createInterface(child.stdout)
      lines.on('line', (line) => {
        acknowledged.push(line)
        if (acknowledged.length === count) child.kill('SIGKILL')
      })
      await Promise.all([once(child, 'exit'), once(lines, 'close')])
      expect(acknowledged.length).toBeGreaterThanOrEqual(count)
      const store = openSqliteStore(file)
      const heads = await store.store.proxyHeads()
      const names = new Set(heads.map(({ name }) => name))
      expect(acknowledged.filter((name) => !names.has(name))).toEqual([])
      for (const { id, name, ...identity } of heads) {
        expect(await store.store.historyAt(id, 1)).toMatchObject({ name, body: { name } })
        expect(await store.store.occupantsOf({ ...identity, name }, [`/${name}`], '')).toMatchObject({ holder: id })
      }
      expect((await store.store.eventRange()).newest).toBe(heads.length)
      expect(store.database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
      await store.store.close()
    }
  })
})

it('says that the store cannot be written where its thread cannot start, and tries again', async () => {
  const writer = createThreadWriter(join(createFolder(), 'nowhere', 'state.db'))
  for (const _ of [1, 2])
    expect(await writer.commit([[], []])).toEqual(Array(2).fill({ reason: expect.any(StoreUnavailable) }))
  await writer.end()
})

describe.runIf(process.getuid?.() === 0).each(WHERE)('a full disk, written $where', ({ onThread }) => {
  it('refuses a commit, keeps what is there, and goes on when there is space again', async () => {
    const disk = mountSmall(2)
    const store = open(join(disk, 'state.db'), undefined, onThread)
    await store.commit(newWorkspace('team'))
    const names: string[] = []
    let refusal: unknown
    for (let number = 0; refusal === undefined && number < 10_000; number += 1) {
      const name = `p${number}`
      refusal = await store.commit(newProxy('team', name)).then(
        () => void names.push(name),
        (error: unknown) => error,
      )
    }
    expect(refusal).toBeInstanceOf(StoreUnavailable)
    expect(refusal).toMatchObject({ isFull: true })
    expect((await store.proxyHeads()).map(({ name }) => name)).toEqual(names)
    const ballast = join(disk, 'ballast')
    expect(existsSync(ballast)).toBe(true)
    rmSync(ballast)
    await store.commit(newProxy('team', 'last'))
    await store.close()
    const again = open(join(disk, 'state.db'))
    expect((await again.proxyHeads()).map(({ name }) => name)).toEqual([...names, 'last'])
  })
})

describe('the file', () => {
  const SECOND = 'CREATE TABLE notes (text TEXT)'

  it('of an older version is migrated, with a copy beside it', async () => {
    const old = open(newFile(), MIGRATIONS)
    await old.commit(newWorkspace('team'))
    await old.close()
    const migrated = open(old.file, [...MIGRATIONS, SECOND])
    expect(await migrated.workspace('team')).toMatchObject({ name: 'team' })
    expect(migrated.database.prepare('PRAGMA user_version').get()).toEqual({ user_version: MIGRATIONS.length + 1 })
    const copy = open(`${old.file}.v${MIGRATIONS.length}`, MIGRATIONS)
    expect(await copy.workspace('team')).toMatchObject({ name: 'team' })
  })

  it('of the first version gives each hostname to the workspace whose proxy was first', async () => {
    const old = open(newFile(), MIGRATIONS.slice(0, 1))
    for (const name of ['team', 'others']) await old.commit(newWorkspace(name))
    const at = (hostname: string, path: string) => ({ hostname, addresses: [`${hostname}${path}`] })
    await old.commit(newProxy('others', 'a', at('shop.example', '/a')))
    await old.commit(newProxy('team', 'b', at('shop.example', '/b')))
    await old.commit(newProxy('team', 'c', at('*.shop.example', '/c')))
    await old.commit(newProxy('team', 'd', at('', '/d')))
    await old.close()
    const migrated = open(old.file)
    const claim = { pathPrefixes: undefined, isAssigned: false }
    expect(await migrated.claimsOf('others')).toEqual([{ hostname: 'shop.example', workspace: 'others', ...claim }])
    const body = { gateways: [], policies: {} }
    expect(await migrated.environmentHistory({ workspace: 'team', name: 'default' }, { limit: 2 })).toEqual([
      expect.objectContaining({ revision: 1, action: 'created', by: '(upgrade)', restoredFrom: undefined, body }),
    ])
    expect(await migrated.claimsOf('team')).toEqual([{ hostname: '*.shop.example', workspace: 'team', ...claim }])
    // It falls to the next one.
    const removal = { remove: 'proxy', id: 'id-a', expected: 1 } as const
    await migrated.commit([removal, { unclaim: 'shop.example', workspace: 'others', ifUnused: true }])
    expect((await migrated.claimsOf('team')).map(({ hostname }) => hostname)).toEqual([
      '*.shop.example',
      'shop.example',
    ])
  })

  it('of the third version has tokens of its users then, and an id that stays', async () => {
    const old = open(newFile(), MIGRATIONS.slice(0, 3))
    const ann = { name: 'ann', roles: ['administrator'], passwordHash: 'h', mustChangePassword: false, revision: 1 }
    await old.commit([{ put: 'user', value: ann, expected: undefined }])
    await old.close()
    const migrated = open(old.file)
    const value = { name: 't', hash: 'h', roles: [], createdBy: 'ann', createdAt: 1, expires: 2, lastUsed: undefined }
    await migrated.commit([{ put: 'token', value }])
    expect(await migrated.tokenByHash('h')).toEqual(value)
    expect(await conflictOf(migrated.commit([{ remove: 'user', name: 'ann', expected: 1 }]))).toBe('in-use')
    const id = await migrated.serverId()
    await migrated.close()
    expect(await open(old.file).serverId()).toBe(id)
  })

  it('of this version is not copied, and waits for the disk at each commit', async () => {
    const old = open()
    await old.commit(newWorkspace('team'))
    await old.close()
    const again = open(old.file)
    expect(readdirSync(dirname(old.file)).filter((name) => name.includes('.v'))).toEqual([])
    const pragmas = ['journal_mode', 'synchronous', 'foreign_keys'].map((name) =>
      Object.values(again.database.prepare(`PRAGMA ${name}`).get() ?? {}),
    )
    expect(pragmas).toEqual([['wal'], [2], [1]])
  })

  it('has one lock, whatever links lead to it', () => {
    const { file } = open()
    const link = join(createFolder(), 'link.db')
    symlinkSync(file, link)
    for (const path of [file, link])
      for (const use of [open, lockStateFile])
        expect(() => use(path)).toThrow(new StateFileError(`${path} is in use by another process`))
  })

  it('needs a Node with SQLite', () => {
    const { getBuiltinModule } = process
    onTestFinished(() => void Object.assign(process, { getBuiltinModule }))
    Object.assign(process, { getBuiltinModule: undefined })
    expect(() => open()).toThrow(
      /^this Node \(.*\) has no SQLite built in: the management API needs Node 22.13 or newer$/,
    )
  })

  it('stays as it is where a migration fails', async () => {
    const old = open()
    await old.commit(newWorkspace('team'))
    await old.close()
    expect(() => open(old.file, [...MIGRATIONS, SECOND, 'CREATE nonsense'])).toThrow()
    const again = open(old.file)
    expect(await again.workspace('team')).toMatchObject({ name: 'team' })
    expect(again.database.prepare('PRAGMA user_version').get()).toEqual({ user_version: MIGRATIONS.length })
  })

  it('of a newer version is refused and not touched', async () => {
    const newer = open(newFile(), [...MIGRATIONS, SECOND])
    await newer.commit(newWorkspace('team'))
    await newer.close()
    const [bytes, { mtimeMs }] = [readFileSync(newer.file), statSync(newer.file)]
    expect(() => open(newer.file)).toThrow(/newer version/)
    expect(readFileSync(newer.file)).toEqual(bytes)
    expect(statSync(newer.file).mtimeMs).toBe(mtimeMs)
  })

  it('is refused where another process uses it, or it is something else', () => {
    const { file } = open()
    expect(() => open(file)).toThrow(StateFileError)
    const folder = createFolder({ 'text.db': 'This is not a database. '.repeat(100), 'folder.db/': '' })
    expect(() => open(join(folder, 'text.db'))).toThrow('is not a state file')
    const inside = join(folder, 'folder.db')
    for (const use of [open, lockStateFile]) {
      expect(() => use(inside)).toThrow(
        new StateFileError(`${inside} is a folder, and a file is needed, such as ${inside}/state.db`),
      )
      expect(() => use('/dev/null')).toThrow(new StateFileError('/dev/null is not a file: choose another path'))
    }
    expect([inside, '/dev/null'].filter((path) => existsSync(`${path}.lock`))).toEqual([])
    expect(() => open(join(folder, 'missing', 'state.db'))).toThrow('is its folder there')
    const other = new DatabaseSync(join(folder, 'other.db'))
    other.exec('CREATE TABLE notes (text TEXT)')
    other.close()
    expect(() => open(join(folder, 'other.db'))).toThrow('another program')
  })

  it.runIf(process.getuid?.() === 0)('that cannot be written is refused, and not touched', async () => {
    const { file, close } = open()
    await close()
    const mount = (...args: readonly string[]) => spawnSync('mount', args).status === 0
    if (!mount('--bind', file, file) || !mount('-o', 'remount,bind,ro', file)) return
    onTestFinished(() => void spawnSync('umount', ['-l', file]))
    const [bytes, others] = [readFileSync(file), readdirSync(dirname(file))]
    expect(() => open(file)).toThrow(
      new StateFileError(`${file}: it cannot be written: may this user write it, and in its folder?`),
    )
    expect([readFileSync(file), readdirSync(dirname(file))]).toEqual([bytes, others])
  })

  it('can be read by its owner only', () => {
    const { file } = open()
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })
})
