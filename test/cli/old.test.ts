/** `sluice lint --old`: another folder as the version before the change. */
import { describe, expect, it } from 'vitest'
import { createFolder, policy } from '../files/folder.ts'
import { sluice } from './run.ts'

const changed = (parts: Parameters<typeof policy>[0] = {}): string =>
  policy(parts).replace('key: $binary_remote_addr\n', 'key: $binary_remote_addr$server_name\n')

async function findingsIn(cwd: string, argv: readonly string[], stdin = ''): Promise<readonly string[]> {
  const { stdout } = await sluice(['lint', ...argv, '--format', 'json'], { cwd, stdin })
  return JSON.parse(stdout).findings.map(({ file, rule }: Record<string, string>) => `${file} ${rule}`)
}

const KEY_CHANGE = 'gateway/key-change-without-zone-resize'

describe('an old folder', () => {
  it('is the version before the change', async () => {
    const cwd = createFolder({ 'before/a.yaml': policy(), 'k8s/b.yaml': changed() })
    expect(await findingsIn(cwd, ['k8s'])).toEqual([])
    expect(await findingsIn(cwd, ['k8s', '--old', 'before'])).toEqual([`k8s/b.yaml ${KEY_CHANGE}`])
  })

  it('may be a file, and there may be several', async () => {
    const cwd = createFolder({
      'one.yaml': policy(),
      'two.yaml': policy({ name: 'tea' }),
      'k8s/all.yaml': `${changed()}---\n${changed({ name: 'tea' })}`,
    })
    expect(await findingsIn(cwd, ['k8s', '--old', 'one.yaml'])).toHaveLength(1)
    expect(await findingsIn(cwd, ['k8s', '--old', 'one.yaml', '--old', 'two.yaml'])).toHaveLength(2)
    expect(await findingsIn(cwd, ['-', '--old', 'one.yaml'], changed())).toEqual([`<stdin> ${KEY_CHANGE}`])
  })

  it('has the worlds of the folder that is judged', async () => {
    const worlds = 'worlds:\n- { name: eu, paths: [k8s/eu] }\n- { name: us, paths: [k8s/us] }\n'
    const cwd = createFolder({
      'sluice.config.yaml': worlds,
      'before/eu/a.yaml': policy(),
      'before/us/a.yaml': changed(),
      'k8s/eu/b.yaml': changed(),
      'k8s/us/b.yaml': policy(),
    })
    expect(await findingsIn(cwd, ['k8s', '--old', 'before'])).toEqual([
      `k8s/eu/b.yaml ${KEY_CHANGE}`,
      `k8s/us/b.yaml ${KEY_CHANGE}`,
    ])
  })

  it('keeps apart what stands at other places, where an identity appears twice', async () => {
    const cwd = createFolder({
      'before/eu/a.yaml': policy(),
      'before/us/a.yaml': policy(),
      'k8s/eu/a.yaml': changed(),
      'k8s/us/moved.yaml': changed(),
    })
    expect(await findingsIn(cwd, ['k8s', '--old', 'before'])).toEqual([`k8s/eu/a.yaml ${KEY_CHANGE}`])
  })

  it('has to be there', async () => {
    const cwd = createFolder({ 'a.yaml': policy() })
    expect(await sluice(['lint', '--old', 'before'], { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'sluice: --old before: no such file or folder\n',
    })
    const { code, stderr } = await sluice(['lint', '--old', '.', '--base', 'main'], { cwd })
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'sluice: use either --base or --old, not both\n' })
  })

  it('reports what in it cannot be read', async () => {
    const cwd = createFolder({ 'a.yaml': policy() })
    const { symlinkSync, mkdirSync } = await import('node:fs')
    mkdirSync(`${cwd}/before`)
    symlinkSync('nowhere', `${cwd}/before/lost.yaml`)
    const { code, stderr } = await sluice(['lint', 'a.yaml', '--old', 'before'], { cwd })
    expect(code).toBe(0)
    expect(stderr).toContain('a symbolic link that leads nowhere, so its objects count as new')
  })
})
