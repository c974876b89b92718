/** Links that somebody has committed, and that lead out of the working tree: nothing is written through them. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, policy, WRONG } from '../files/folder.ts'
import { sluice } from './run.ts'

/** A working tree, a folder outside of it, and what must not change there. */
function createTree(files: Readonly<Record<string, string>> = {}) {
  const outside = createFolder({
    'a.yaml': WRONG,
    'secret.txt': 'secret\n',
    'known.json': '{"version": 1, "findings": []}\n',
  })
  const cwd = createFolder({ '.git/HEAD': 'ref: refs/heads/main\n', 'k8s/a.yaml': policy(), ...files })
  symlinkSync(join(outside, 'secret.txt'), join(cwd, 'file'))
  symlinkSync(join(outside, 'known.json'), join(cwd, 'known'))
  symlinkSync(outside, join(cwd, 'folder'))
  symlinkSync(join(outside, 'new.txt'), join(cwd, 'nowhere'))
  const state = () =>
    readdirSync(outside).map((name): [string, string] => [name, readFileSync(join(outside, name), 'utf8')])
  return { cwd, outside, state }
}

const MANIFESTS = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: edge, namespace: shop }
spec: { gatewayClassName: nginx, listeners: [{ name: http, port: 80, protocol: HTTP }] }
`

const REASON = 'a link leads out of the working tree'

describe('a committed link that leads out of the tree', () => {
  it.each([
    ['a report', 'lint k8s --output json=file'],
    ['a report in a linked folder', 'lint k8s --output json=folder/secret.txt'],
    ['a new report in a linked folder', 'lint k8s --output json=folder/new.json'],
    ['a baseline', 'lint k8s --baseline known --write-baseline'],
    ['a baseline in a linked folder', 'lint k8s --baseline folder/new.json --write-baseline'],
    ['a rendered configuration', 'render k8s --dir folder'],
    ['a rendered configuration further down', 'render k8s --dir folder/deeper'],
    ['a picture', 'simulate k8s --clients 1 --rate 1r/s --for 1s --path / --svg folder/new.svg'],
  ])('is not followed for %s', async (_, line) => {
    const { cwd, state } = createTree({ 'k8s/gateway.yaml': MANIFESTS })
    const before = state()
    const { code, stderr } = await sluice(line.split(' '), { cwd })
    expect(state()).toEqual(before)
    expect(stderr).toContain(REASON)
    expect(code).toBe(2)
  })

  it('says why, and what to name instead', async () => {
    const { cwd, outside } = createTree()
    const { stderr } = await sluice(['lint', 'k8s', '--output', 'json=folder/new.json'], { cwd })
    expect(stderr).toContain(REASON)
    expect(stderr).toContain('name the path that the link leads to')
    expect(await sluice(['lint', 'k8s', '--output', `json=${outside}/new.json`], { cwd })).toMatchObject({ code: 0 })
    expect(readdirSync(outside)).toContain('new.json')
  })

  it('is not fixed where a folder is named, and is where it is named itself', async () => {
    const { cwd, outside, state } = createTree()
    symlinkSync(join(outside, 'a.yaml'), join(cwd, 'k8s/linked.yaml'))
    const before = state()
    const refused = await sluice(['lint', '--fix', 'k8s'], { cwd })
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(REASON) })
    expect(state()).toEqual(before)
    await sluice(['lint', '--fix', 'k8s/linked.yaml'], { cwd })
    expect(state()).not.toEqual(before)
  })

  it('may lead elsewhere within the tree', async () => {
    const { cwd } = createTree({ 'other/a.yaml': WRONG })
    symlinkSync('../other/a.yaml', join(cwd, 'k8s/linked.yaml'))
    mkdirSync(join(cwd, 'reports'))
    symlinkSync('reports', join(cwd, 'out'))
    expect(await sluice(['lint', '--fix', 'k8s', '--output', 'json=out/a.json'], { cwd })).toMatchObject({ code: 0 })
    expect(readFileSync(join(cwd, 'other/a.yaml'), 'utf8')).toContain('10r/s')
    expect(readdirSync(join(cwd, 'reports'))).toEqual(['a.json'])
  })
})

it('a name in a manifest leads no rendered file out of its folder', async () => {
  const { cwd } = createTree({
    'k8s/gateway.yaml': MANIFESTS,
    'k8s/other.yaml': MANIFESTS.replace('name: edge', 'name: ../../../../escaped'),
  })
  mkdirSync(join(cwd, 'deep/out'), { recursive: true })
  await sluice(['render', '../k8s', '--dir', 'out'], { cwd: join(cwd, 'deep') })
  expect(readdirSync(cwd).sort()).toEqual(['.git', 'deep', 'file', 'folder', 'k8s', 'known', 'nowhere'])
  expect(readdirSync(join(cwd, 'deep'))).toEqual(['out'])
})
