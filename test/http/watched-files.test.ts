import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { watchFiles } from '../../src/http/watched-files.ts'
import { createFolder } from '../files/folder.ts'

const PATIENCE = { timeout: 150_000 }
let stop = () => {}
afterEach(() => stop())

function follow(path: string, known: readonly string[] | undefined) {
  const texts: (readonly string[])[] = []
  const problems: unknown[] = []
  const files = { paths: [path], every: 20 }
  stop = watchFiles(
    { ...files, onChange: (changed) => texts.push(changed), onProblem: (error) => problems.push(error) },
    known,
  )
  return { texts, problems }
}

it('tells of a file that was deleted and comes back with the text that it had', async () => {
  const path = join(createFolder({ 'a.yaml': 'one' }), 'a.yaml')
  const { texts, problems } = follow(path, ['one'])
  rmSync(path)
  await vi.waitFor(() => expect(problems.length).toBe(1), PATIENCE)
  writeFileSync(path, 'one')
  await vi.waitFor(() => expect(texts).toEqual([['one']]), PATIENCE)
})

it('tells of an empty file where there was none', async () => {
  const path = join(createFolder(), 'a.yaml')
  const { texts, problems } = follow(path, undefined)
  expect(problems).toEqual([])
  await setTimeout(100)
  writeFileSync(path, '')
  await vi.waitFor(() => expect(texts).toEqual([['']]), PATIENCE)
})

it('tells of a file that changed before anybody watched it', async () => {
  const path = join(createFolder({ 'a.yaml': 'two' }), 'a.yaml')
  const { texts } = follow(path, ['one'])
  await vi.waitFor(() => expect(texts).toEqual([['two']]), PATIENCE)
})
