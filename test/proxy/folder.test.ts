/** The folder of a driver: what it writes it reads again, and what another has left there, whole or not. */
import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder, openFolder } from '../../src/proxy/folder.ts'
import { createFolder } from '../files/folder.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

const MASTER = { pid: 7, started: 'boot:1' }
const file = (name: string, text: string) => ({ name, text })

each<[string, object]>('the state in %s', (text, state) =>
  expect(openFolder(createFolder({ 'state.json': text })).state()).toEqual(state),
)

each<[string, readonly (readonly [string, string])[] | undefined]>('the forms in %s', (text, forms) => {
  const folder = openFolder(createFolder({ 'a.forms.json': text }))
  expect([folder.forms('a'), folder.forms('b')]).toEqual([forms && new Map(forms), undefined])
})

test('what is there and cannot be read is a failure of the folder', () => {
  const path = createFolder()
  mkdirSync(join(path, 'state.json'))
  expect(() => openFolder(path).state()).toThrow(
    expect.objectContaining({ kind: 'folder', message: `${join(path, 'state.json')} cannot be read` }),
  )
})

test('a state is written beside and renamed, for its owner alone', () => {
  const path = createFolder()
  const folder = openFolder(path)
  expect(folder.state()).toEqual({})
  folder.saveState({ master: MASTER, accepted: 'b' })
  expect(openFolder(path).state()).toEqual({ master: MASTER, accepted: 'b' })
  expect(readdirSync(path)).toEqual(['state.json'])
  expect(statSync(join(path, 'state.json')).mode & 0o777).toBe(0o600)
  mkdirSync(join(path, 'a.forms.json'))
  expect(() => folder.complete('a', new Map())).toThrow(expect.objectContaining({ kind: 'folder' }))
  expect(readdirSync(path)).toEqual(['a.forms.json', 'state.json'])
})

test('a slot holds the files that were staged last, and no others', () => {
  const path = createFolder()
  const folder = openFolder(path)
  const first = [file('nginx.conf', '1'), file('zones/tea.conf', '2'), file('zones/milk.conf', '3')]
  expect(folder.holds('a', [])).toBe(true)
  folder.stage('a', first)
  folder.complete('a', new Map([['tea', 'x']]))
  for (const one of [folder, openFolder(path)]) {
    expect([one.holds('a', first), one.holds('b', first), one.forms('a')]).toEqual([
      true,
      false,
      new Map([['tea', 'x']]),
    ])
    expect(one.holds('a', first.slice(1))).toBe(false)
    expect(one.holds('a', [...first.slice(1), file('nginx.conf', '')])).toBe(false)
  }
  expect(statSync(join(path, 'a/zones/tea.conf')).mode & 0o777).toBe(0o600)
  const next = openFolder(path)
  // A file that is the same is not written again.
  writeFileSync(join(path, 'a/nginx.conf'), 'kept')
  folder.stage('a', [file('nginx.conf', '1'), file('zones/tea.conf', '4')])
  expect(readFileSync(join(path, 'a/nginx.conf'), 'utf8')).toBe('kept')
  expect(readdirSync(path, { recursive: true }).sort()).toEqual(['a', 'a/nginx.conf', 'a/zones', 'a/zones/tea.conf'])
  expect(folder.forms('a')).toBeUndefined()
  next.stage('a', first)
  expect(readFileSync(join(path, 'a/zones/milk.conf'), 'utf8')).toBe('3')
})

test('a slot whose files could not all be written gets them the next time', () => {
  const path = createFolder({ 'a/nginx.conf': '1', 'a/b/c': '' })
  const folder = openFolder(path)
  expect(() => folder.stage('a', [file('nginx.conf', '2'), file('b', '')])).toThrow(/EISDIR|b: expected a file/)
  folder.stage('a', [file('nginx.conf', '1')])
  expect(readFileSync(join(path, 'a/nginx.conf'), 'utf8')).toBe('1')
})

test('a link says which slot nginx reads, also where a link was left half made', () => {
  const path = createFolder({ 'conf.new': '' })
  const folder = openFolder(path)
  for (const slot of ['a', 'b'] as const) {
    folder.point(slot)
    expect(readlinkSync(join(path, 'conf'))).toBe(slot)
    expect(folder.mainFile(slot)).toBe(join(path, slot, 'nginx.conf'))
  }
  expect(readdirSync(path)).toEqual(['conf'])
  expect([folder.path, folder.errorLog, folder.pidFile]).toEqual([
    path,
    join(path, 'error.log'),
    join(path, 'nginx.pid'),
  ])
})

test('a folder is made with those above it, unless it is there', () => {
  const path = join(createFolder(), 'a/b/c')
  for (const _ of [1, 2]) makeFolder(path)
  expect(readdirSync(path)).toEqual([])
  writeFileSync(join(path, 'file'), '')
  expect(() => makeFolder(join(path, 'file/below'))).toThrow(/ENOTDIR/)
})
