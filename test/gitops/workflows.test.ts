/** The workflows of this repository, and what they hold fast to. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findActionlint } from '../../scripts/actionlint.ts'
import { hasSchemas, objectionsOf } from './schema.ts'
import { ROOT } from './shell.ts'

const FOLDER = join(ROOT, '.github/workflows')
const NAMES = readdirSync(FOLDER)

const actionlint = findActionlint()
if (actionlint === undefined) console.log('no actionlint: the workflows are not held against it')

describe('the workflows', () => {
  it.runIf(actionlint !== undefined || process.env.CI)(
    'are what actionlint takes, inputs and outputs of our action included',
    () => {
      const { stdout, stderr } = spawnSync(actionlint ?? '', ['-no-color'], { cwd: ROOT, encoding: 'utf8' })
      expect(stdout + stderr).toBe('')
    },
  )

  it.runIf(hasSchemas).each(NAMES)('%s is a workflow by the schema', (name) => {
    expect(objectionsOf('github-workflows', join(FOLDER, name))).toBe('')
  })

  it.each(NAMES)('%s names other actions by commit and has no right that it does not name', (name) => {
    const text = readFileSync(join(FOLDER, name), 'utf8')
    const used = [...text.matchAll(/uses: (\S+)(.*)/g)].map(([, action = '', comment = '']) => ({ action, comment }))
    expect(used.length).toBeGreaterThan(0)
    for (const { action, comment } of used.filter((one) => one.action !== './')) {
      expect(action).toMatch(/@[0-9a-f]{40}$/)
      expect(comment).toMatch(/^ # v\d+\.\d+\.\d+$/)
    }
    expect(text).toContain('\npermissions: {}\n')
  })

  it('run what everybody runs', () => {
    expect(readFileSync(join(FOLDER, 'ci.yml'), 'utf8')).toContain('- run: .ci/run\n')
  })
})
