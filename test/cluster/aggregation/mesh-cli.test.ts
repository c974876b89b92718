/** `sluice mesh` and kubectl as clients of the API of the mesh, through a real API server. */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { programOf } from '../../../scripts/kube-apiserver.ts'
import { meshRemoval } from '../../../scripts/manifests/mesh-chart.ts'
import { isObject } from '../../../src/json/member.ts'
import { createFolder } from '../../files/folder.ts'
import { freePort } from '../../free-ports.ts'
import { runCommands } from '../../in-shell.ts'
import { PROGRAM } from '../../serving.ts'
import { useCluster } from '../cluster.ts'
import { must, type Said } from '../kubectl.ts'
import { until } from '../resources.ts'
import { ADMIN, ROBOT } from '../users.ts'
import { BASE, NAMESPACE, runInjectedPod, useMesh, WEB } from './mesh-servers.ts'

const cluster = useCluster()
const { kubectl, store } = cluster
useMesh(cluster, 1)

beforeAll(async () => {
  await store(WEB)
  await runInjectedPod(kubectl, 'web-1', '10.1.0.1')
  await until('the Pod is known', async () => (await sluice(['services'])).stdout.includes('10.1.0.1'))
})

const PAGE = resolve('docs/mesh.md')
const TRANSCRIPT = /(<!-- kubectl: .*-->\n```console\n)([\s\S]*?)(```\n<!-- end of kubectl -->)/

/** Runs `sluice` as somebody. */
const run = (words: readonly string[], { user = ADMIN, input = '', cwd = process.cwd() } = {}): Promise<Said> =>
  new Promise((done, failed) => {
    const KUBECONFIG = cluster.kubeconfig(user)
    const env = { PATH: process.env.PATH, HOME: '/nonexistent', KUBECONFIG }
    const child = spawn(process.execPath, [PROGRAM, ...words], { cwd, env })
    const texts = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (texts.stdout += chunk))
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (texts.stderr += chunk))
    child.once('error', failed)
    child.once('close', (code) => done({ code: code ?? -1, ...texts }))
    child.stdin.once('error', () => undefined).end(input)
  })

const sluice: typeof run = (words, options) => run(['mesh', ...words], options)

const stored = async () => JSON.parse(await must(kubectl(`get --raw ${BASE}/config`)))

describe('sluice mesh config', () => {
  it('prints the configuration as YAML, and as JSON what the API sends', async () => {
    const { code, stdout } = await sluice(['config'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^mtls:\n {2}mode: permissive$/m)
    expect(JSON.parse((await sluice(['config', '--format', 'json'])).stdout)).toEqual(await stored())
  })

  it('says what would change, and changes nothing with --dry-run', async () => {
    const said = await sluice(['config', '--set', 'mtls.mode=strict', '--dry-run'])
    expect(said).toMatchObject({ code: 0, stdout: 'mtls.mode: "permissive" -> "strict"\n' })
    expect(await stored()).toMatchObject({ mtls: { mode: 'permissive' } })
  })

  it('changes several fields at once, or none of them', async () => {
    const off = ['--set', 'injection.isAutoInjectEnabled=false', '--add', 'injection.enabledNamespaces=prod,test']
    const { code, stdout } = await sluice(['config', ...off])
    expect(code).toBe(0)
    expect(stdout).toContain('injection.isAutoInjectEnabled: true -> false\n')
    expect(stdout).toContain('injection.enabledNamespaces: [] -> ["prod","test"]\n')
    expect(await stored()).toMatchObject({ injection: { enabledNamespaces: ['prod', 'test'] } })
    const one = await sluice(['config', '--remove', 'injection.enabledNamespaces=prod'])
    expect(one.stdout).toContain('["prod","test"] -> ["test"]')
    const wrong = await sluice(['config', '--set', 'mtls.mode=strict', '--set', 'mtls.caTTL=often'])
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(wrong.stderr).toMatch(
      /^sluice: the configuration stays as it is\nsluice: --set mtls\.caTTL=often: expected /,
    )
    expect(await stored()).toMatchObject({ mtls: { mode: 'permissive' } })
    const same = await sluice(['config', '--set', 'mtls.mode=permissive'])
    expect(same.stdout).toBe('nothing changes: the configuration is so already\n')
    const all = await sluice(['config', '--remove', 'injection'])
    expect(all.stdout).toContain('injection.isAutoInjectEnabled: false -> true\n')
    expect(await stored()).toMatchObject({ injection: { isAutoInjectEnabled: true, enabledNamespaces: [] } })
  })

  it.each([
    ['', []],
    [', with --dry-run', ['--dry-run']],
  ])('says what to send first, in the words of the flags%s', async (_, flags) => {
    const { code, stderr } = await sluice(['config', '--add', 'injection.enabledNamespaces=prod', ...flags])
    expect(code).toBe(2)
    expect(stderr).toContain('sluice: --add injection.enabledNamespaces=prod: namespaces cannot be enabled one by one')
    expect(stderr).toContain('isAutoInjectEnabled')
  })
})

it('sluice mesh services lists what is in the mesh', async () => {
  const { stdout } = await sluice(['services'])
  expect(stdout).toMatch(/^NAMESPACE {2}NAME {2}IP {4,}PORTS {6,}ADDRESSES\nshop +web +\S+ +8080\/http +10\.1\.0\.1\n$/)
  expect(JSON.parse((await sluice(['services', '--format', 'json'])).stdout)).toMatchObject([{ name: 'web' }])
})

it('sluice mesh version lists the versions of components, and of sluice', async () => {
  const { stdout } = await sluice(['version'])
  expect(stdout).toMatch(/^COMPONENT +VERSIONS\n/)
  expect(stdout).toMatch(/^nginx-mesh-sidecar +.*1\.6\.0/m)
  expect(stdout).toMatch(/^sluice +\d+\.\d+\.\d+$/m)
})

it('sluice mesh inject prints what kubectl can apply', async () => {
  const pod =
    'apiVersion: v1\nkind: Pod\nmetadata:\n  name: é\nspec:\n  containers:\n  - name: web\n    image: web:1 # ü\n'
  const { code, stdout } = await sluice(['inject', '-f', '-', '--ignore-incoming-ports', '8080,9090'], {
    input: pod.replace('name: é', 'name: one'),
  })
  expect(code).toBe(0)
  expect(stdout).toContain('image: web:1 # ü')
  expect(stdout).toContain('nginx-mesh-sidecar')
  expect(await must(kubectl('create --dry-run=server -n shop -f -', stdout))).toContain('pod/one created')
  const wrong = await sluice(['inject', '-f', '-', '--ignore-incoming-ports', '80-90'], { input: pod })
  expect(wrong.code).toBe(2)
  expect(wrong.stderr).toContain('ignoreIncomingPorts: "80-90" is not a port from 1 to 65535')
})

describe('what goes wrong', () => {
  it('without a role says which one allows it', async () => {
    const { code, stderr } = await sluice(['version'], { user: ROBOT })
    expect(code).toBe(2)
    expect(stderr).toBe(
      'sluice: version.nsm.nginx.com is forbidden: User "robot" cannot list resource "version" in API group "nsm.nginx.com" at the cluster scope; the ClusterRole nginx-mesh-api-operator allows it: bind it to your user or group\n',
    )
  })

  it('where the API is not installed says how to install it', async () => {
    const folder = cluster.folder
    writeFileSync(join(folder, 'other.yaml'), 'apiGroups: { vendor: other }\n')
    const { code, stderr } = await sluice(['config', '--config', join(folder, 'other.yaml')])
    expect(code).toBe(2)
    expect(stderr).toMatch(/is the API of the mesh installed\? "kubectl get apiservice v1alpha1\./)
  })

  it('where nobody answers names the reason', async () => {
    const { code, stderr } = await sluice([
      'config',
      '--kubeconfig',
      cluster.kubeconfig(ADMIN, `https://127.0.0.1:${await freePort()}`),
    ])
    expect(code).toBe(2)
    expect(stderr).toMatch(/^sluice: the cluster cannot be asked: .*refused/)
  })
})

it('sluice lint --cluster judges what the cluster stores for the mesh, with mesh: true', async () => {
  const folder = createFolder()
  writeFileSync(join(folder, 'sluice.config.yaml'), 'mesh: true\n')
  const rules = [{ apiGroups: ['nginx.nsm.com'], resources: ['config'], verbs: ['list'] }]
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'misspelt' },
    rules,
  }
  await store([role])
  const { code, stdout } = await run(['lint', '--cluster', '-A', '--format', 'json'], { cwd: folder })
  const findings: readonly { rule: string; object: { name: string } }[] = JSON.parse(stdout).findings
  expect(findings.filter(({ object }) => object.name === 'misspelt').map(({ rule }) => rule)).toContain(
    'mesh/group-spelling',
  )
  expect(code).toBe(1)
})

describe('sluice mesh remove', () => {
  it('changes nothing where nobody can be asked', async () => {
    const { code, stdout, stderr } = await sluice(['remove'])
    expect(code).toBe(2)
    expect(stdout).toMatch(/^1 workload has the sidecar\.\n/)
    expect(stderr).toBe('sluice: nothing was changed, as nobody can be asked here: write --yes to agree\n')
    expect(await stored()).toMatchObject({ proxy: { transparent: false } })
  })

  it('runs with the command line of the Job that the chart has, and the rights of its user', async () => {
    const objects = meshRemoval({ namespace: NAMESPACE, image: 'sluice:test' })
    await store(objects)
    const job = objects.find(({ kind }) => kind === 'Job')
    const { template } = isObject(job?.spec) ? job.spec : {}
    const { serviceAccountName, containers } = JSON.parse(JSON.stringify(template)).spec
    const token = (await must(kubectl(`create token ${serviceAccountName} -n ${NAMESPACE}`))).trim()
    const words: readonly string[] = containers[0].args
    const { folder } = cluster
    writeFileSync(join(folder, 'sluice.config.yaml'), '{}\n')
    const here = words.slice(1).map((word) => word.replace('/etc/sluice/', `${folder}/`))
    const said = await sluice(here, { user: { name: serviceAccountName, token, groups: [] } })
    expect(said).toMatchObject({ code: 0, stderr: '' })
    expect(said.stdout).toContain('Every sidecar passes traffic on as it is')
    expect(said.stdout).toContain('  # pod/web-1 in shop: create it anew without the sidecar\n')
    expect(await stored()).toMatchObject({ proxy: { transparent: true } })
  })
})

/** `SLUICE_RECORD=1` writes it anew. */
it('the transcript with kubectl in docs/mesh.md is what the programs print', async () => {
  const page = readFileSync(PAGE, 'utf8')
  const shown = TRANSCRIPT.exec(page)?.[2] ?? ''
  const folder = createFolder()
  for (const [, name = '', text = ''] of page.matchAll(/<!-- file: (\S+) -->\n```yaml\n([\s\S]*?)```/g))
    writeFileSync(join(folder, name), text)
  const kubeconfig = cluster.kubeconfig(ADMIN)
  const programs = join(folder, '.bin')
  mkdirSync(programs)
  const program = (name: string, line: string): void => {
    writeFileSync(join(programs, name), `#!/bin/sh\nKUBECONFIG=${kubeconfig} exec ${line} "$@"\n`)
    chmodSync(join(programs, name), 0o755)
  }
  program('kubectl', programOf('kubectl'))
  program('sluice', `${process.execPath} ${PROGRAM}`)
  const port = String(await freePort())
  const commands = shown.split('\n').flatMap((line) => (line.startsWith('$ ') ? [line.slice(2)] : []))
  const here = commands.map((command) => command.replaceAll('8001', port))
  const said = await runCommands(here, folder, `${programs}${delimiter}${process.env.PATH}`)
  const transcript = commands.map((command, index) => `$ ${command}\n${said[index] ?? ''}`).join('')
  if (process.env.SLUICE_RECORD)
    writeFileSync(
      PAGE,
      page.replace(TRANSCRIPT, (_, head, _old, tail) => head + transcript + tail),
    )
  else expect(transcript).toBe(shown)
  expect(transcript).toContain('"mode":"strict"')
})
