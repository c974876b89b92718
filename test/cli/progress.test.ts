import { expect, it } from 'vitest'
import { createFolder, policy } from '../files/folder.ts'
import { sluice } from './run.ts'

it('shows how far a long run is, and takes it away again', async () => {
  let time = 0
  const now = () => {
    time += 600
    return time
  }
  const files = Object.fromEntries(
    Array.from({ length: 9 }, (_, index) => [`${index}.yaml`, policy({ name: `p${index}` })]),
  )
  const { stderr } = await sluice(['lint'], { cwd: createFolder(files), columns: 80, now })
  expect(stderr).toContain('\rreading 2 files …\x1b[K')
  expect(stderr).toContain('\rjudging ')
  expect(stderr.endsWith('\r\x1b[K')).toBe(true)
  expect((await sluice(['lint'], { cwd: createFolder(files), now })).stderr).toBe('')
})
