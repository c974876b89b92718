/** What kubectl prints, judged: and that a build that fails does not pass unnoticed. */
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { programOf } from '../../scripts/kube-apiserver.ts'
import { sluice } from '../cli/run.ts'
import { createFolder, policy, WRONG } from '../files/folder.ts'

const kubectl = programOf('kubectl')
const hasKubectl = spawnSync(kubectl, ['version', '--client']).status === 0
if (!hasKubectl) console.log('no kubectl: the tests of its pipe are left out')

const build = (folder: string) => spawnSync(kubectl, ['kustomize', folder], { encoding: 'utf8' })

const lint = (stdin: string, ...flags: readonly string[]) => sluice(['lint', '-', ...flags], { stdin })

describe.runIf(hasKubectl || process.env.CI)('kubectl kustomize … | sluice lint -', () => {
  it('fails with --require-policies where kubectl has failed', async () => {
    const { status, stdout } = build('/nonexistent')
    expect([status === 0, stdout]).toEqual([false, ''])
    expect((await lint(stdout)).code).toBe(0)
    expect((await lint(stdout, '--require-policies')).code).toBe(2)
  })

  it('judges what is built, and finds conflicts where nothing names a namespace', async () => {
    const unnamed = (name: string) =>
      policy({ name, namespace: '' }).replace('rateLimit:', 'rateLimit:\n    rejectCode: 429')
    const folder = createFolder({
      'kustomization.yaml': 'resources: [a.yaml, b.yaml]\n',
      'a.yaml': unnamed('a'),
      'b.yaml': unnamed('b'),
      'wrong/kustomization.yaml': 'resources: [a.yaml]\n',
      'wrong/a.yaml': WRONG,
    })
    const wrong = build(`${folder}/wrong`)
    expect(wrong.stderr).toBe('')
    expect((await lint(wrong.stdout, '--require-policies')).code).toBe(1)
    const { code, stdout } = await lint(build(folder).stdout, '--require-policies', '--max-warnings', '0')
    expect([code, stdout.match(/gateway\/[\w-]+/g)]).toEqual([1, ['gateway/conflict']])
  })

  it('refuses to build what gateway/duplicate-object reports', () => {
    const folder = createFolder({
      'kustomization.yaml': 'resources: [a.yaml, b.yaml]\n',
      'a.yaml': policy(),
      'b.yaml': policy(),
    })
    expect(build(folder).stderr).toMatch(/may not add resource with an already registered id/)
  })
})
