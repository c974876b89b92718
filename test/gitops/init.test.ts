/** What `sluice init` writes is what actionlint, the schema of workflows and pre-commit take, and its hook runs. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findActionlint } from '../../scripts/actionlint.ts'
import { hasPreCommit, PRE_COMMIT_PATH } from '../../scripts/pre-commit.ts'
import { sluice } from '../cli/run.ts'
import { createFolder, policy, WRONG } from '../files/folder.ts'
import { gitIn } from '../files/repository.ts'
import { hasSchemas, objectionsOf } from './schema.ts'
import { ROOT } from './shell.ts'

const actionlint = findActionlint()
const isAsked = process.env.CI !== undefined

async function init(...argv: readonly string[]): Promise<string> {
  const folder = createFolder({ '.git/': '', 'package.json': '{"private":true}\n' })
  expect(await sluice(['init', ...argv], { cwd: folder })).toMatchObject({ code: 0, stderr: '' })
  return folder
}

describe.each([['--workflow'], ['--workflow=your-org/sluice@v0']])('the workflow of sluice init %s', (flag) => {
  it.runIf(actionlint !== undefined || isAsked)('is what actionlint takes', async () => {
    const file = join(await init(flag), '.github/workflows/sluice.yml')
    const { stdout, stderr } = spawnSync(actionlint ?? '', ['-no-color', file], { encoding: 'utf8' })
    expect(stdout + stderr).toBe('')
  })

  it.runIf(hasSchemas)('is a workflow by the schema', async () =>
    expect(objectionsOf('github-workflows', join(await init(flag), '.github/workflows/sluice.yml'))).toBe(''),
  )
})

describe.runIf(hasPreCommit() || isAsked)('the hook', () => {
  const preCommit = (cwd: string, ...parameters: readonly string[]) => {
    const env = {
      ...process.env,
      PYTHONPATH: PRE_COMMIT_PATH,
      PRE_COMMIT_HOME: join(cwd, '.cache'),
      PRE_COMMIT_COLOR: 'never',
    }
    return spawnSync('python3', ['-m', 'pre_commit', ...parameters], { cwd, encoding: 'utf8', env })
  }

  it.each([['--hook'], ['--hook=https://git.example.org/platform/sluice']])('%s is a configuration', async (flag) => {
    const { status, stdout, stderr } = preCommit(await init(flag), 'validate-config', '.pre-commit-config.yaml')
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  it('lints what is committed, with the sluice of package.json', async () => {
    const cwd = await init('--hook')
    mkdirSync(join(cwd, 'node_modules/.bin'), { recursive: true })
    const program = join(cwd, 'node_modules/.bin/sluice')
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${ROOT}/dist/cli.js' "$@"\n`)
    chmodSync(program, 0o755)
    writeFileSync(join(cwd, '.gitignore'), 'node_modules\n.cache\n')
    const git = gitIn(cwd)
    git('init', '-q', '.')
    writeFileSync(join(cwd, 'coffee.yaml'), WRONG)
    git('add', '.')
    const wrong = preCommit(cwd, 'run')
    expect(wrong.stdout).toContain('gateway/rate-syntax')
    expect(wrong.status).toBe(1)
    writeFileSync(join(cwd, 'coffee.yaml'), policy())
    git('add', '.')
    expect(preCommit(cwd, 'run')).toMatchObject({ status: 0, stdout: expect.stringContaining('Passed') })
  })
})
