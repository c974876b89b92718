/** Processes that want the lock of one folder: exactly one gets it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { takeLock } from '../../src/proxy/lock.ts'
import { identify } from '../../src/proxy/processes.ts'
import { createFolder } from '../files/folder.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

const LOCK = new URL('../../src/proxy/lock.ts', import.meta.url).href

/** Takes the lock as soon as the file "go" is there, says what came of it, and holds it until its input ends. */
const PROGRAM = `
const { takeLock } = await import(${JSON.stringify(LOCK)})
const { existsSync } = await import('node:fs')
console.log('ready')
while (!existsSync(process.argv[1] + '/go'));
await takeLock(process.argv[1]).then(() => console.log('taken'), ({ kind }) => console.log(kind))
process.stdin.resume()
`

const OWN = identify(process.pid) ?? { pid: 0, started: '' }

let folder = ''
const children: ChildProcess[] = []

beforeEach(() => {
  folder = createFolder()
})

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

function contend(): { readonly child: ChildProcess; said(): string } {
  const args = ['--input-type=module', '-e', PROGRAM, folder]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  return { child, said: () => said }
}

test.each(['no lock', 'a stale lock'])('six processes at once, and %s', async (before) => {
  if (before !== 'no lock') writeFileSync(join(folder, 'lock'), '{"pid":4194304,"started":"x:1"}')
  const all = Array.from({ length: 6 }, contend)
  await expect.poll(() => all.filter(({ said }) => said().includes('ready')).length).toBe(6)
  writeFileSync(join(folder, 'go'), '')
  const outcomes = () => all.flatMap(({ said }) => said().split('\n')).filter((word) => /taken|locked/.test(word))
  await expect.poll(() => outcomes().length).toBe(6)
  expect(outcomes().sort()).toEqual(['locked', 'locked', 'locked', 'locked', 'locked', 'taken'])
  expect(readdirSync(folder).sort()).toEqual(['go', 'lock'])
})

test('the lock of a killed process is taken over, and given back', async () => {
  writeFileSync(join(folder, 'go'), '')
  const { child, said } = contend()
  await expect.poll(said).toContain('taken')
  await expect(takeLock(folder)).rejects.toMatchObject({ kind: 'locked' })
  child.kill('SIGKILL')
  await once(child, 'exit')
  const unlock = await takeLock(folder)
  await expect(takeLock(folder)).rejects.toMatchObject({ kind: 'locked' })
  unlock()
  expect(existsSync(join(folder, 'lock'))).toBe(false)
})

each<[string]>('a lock that says %j is of no process that runs', async (text) => {
  writeFileSync(join(folder, 'lock'), text.replace('PID', `${process.pid}`).replace('STARTED', OWN.started))
  const unlock = await takeLock(folder)
  expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe(JSON.stringify(OWN))
  unlock()
  expect(readdirSync(folder)).toEqual([])
})

test('a lock that another one has taken meanwhile is not given back', async () => {
  const unlock = await takeLock(folder)
  const words = `${folder} is in use by process ${process.pid}`
  await expect(takeLock(folder)).rejects.toThrow(words)
  expect(readdirSync(folder)).toEqual(['lock'])
  writeFileSync(join(folder, 'lock'), 'of another one')
  unlock()
  expect(readFileSync(join(folder, 'lock'), 'utf8')).toBe('of another one')
})

test('a folder that is not there is a failure of the folder', () =>
  expect(takeLock(join(folder, 'missing'))).rejects.toMatchObject({ kind: 'folder' }))
