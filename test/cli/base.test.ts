/** `sluice lint --base` with Git in an odd state, and with large files. Everything else: `test/fixtures/cli/compare.txtar`. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { policy } from '../files/folder.ts'
import { createRepository } from '../files/repository.ts'
import { sluice } from './run.ts'

it('reads large files of the base whole', async () => {
  const { folder, commit } = createRepository()
  const filler = (seed: number) => `# ${'filler '.repeat(20_000 + seed)}\n`
  const changed = (name: string) => policy({ name }).replace('_addr\n', '_addr$server_name\n')
  commit({ 'large.yaml': filler(1) + policy(), 'larger.yaml': filler(60_000) + policy({ name: 'tea' }) })
  commit({ 'large.yaml': filler(2) + changed('coffee'), 'larger.yaml': filler(60_001) + changed('tea') })
  const { stdout } = await sluice(['lint', '--base', 'HEAD~1', '--format', 'json'], { cwd: folder })
  const found = JSON.parse(stdout).findings.map(({ file, rule }: Record<string, string>) => `${file} ${rule}`)
  const KEY_CHANGE = 'gateway/key-change-without-zone-resize'
  expect(found).toEqual([`large.yaml ${KEY_CHANGE}`, `larger.yaml ${KEY_CHANGE}`])
})

describe('Git itself', () => {
  afterEach(() => void vi.unstubAllEnvs())

  async function problem(name: string, value: string) {
    const { folder, commit } = createRepository()
    commit({ 'a.yaml': policy() })
    vi.stubEnv(name, value)
    return { folder, ...(await sluice(['lint', '--base', 'main'], { cwd: folder })) }
  }

  it('may be missing', async () => {
    const { code, stderr } = await problem('PATH', '/nowhere')
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'sluice: Git cannot be started, and --base needs it: install git\n',
    })
  })

  it('may distrust the folder', async () => {
    const { folder, code, stderr } = await problem('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1')
    expect(code).toBe(2)
    expect(stderr).toContain(`git config --global --add safe.directory ${folder}\n`)
  })

  it('may run us as a hook', async () =>
    expect(await problem('GIT_DIR', '/nowhere/.git')).toMatchObject({ code: 0, stderr: '' }))
})
