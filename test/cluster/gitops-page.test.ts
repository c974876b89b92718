/** What docs/gitops.md shows: kustomize builds it, an API server takes it, and the Job's command says no in time. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load, loadAll } from 'js-yaml'
import { beforeAll, describe, expect, it } from 'vitest'
import { programOf } from '../../scripts/kube-apiserver.ts'
import { type Manifest, readPage } from '../gitops/page.ts'
import { PROGRAM } from '../serving.ts'
import { useCluster } from './cluster.ts'
import { must } from './kubectl.ts'
import { limited, namespace, route } from './resources.ts'
import type { User } from './users.ts'

const page = readPage('docs/gitops.md')

type Built = Manifest & { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } }
type ConfigMap = Built & { readonly data: Readonly<Record<string, string>> }
type Job = Built & {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly args: readonly string[]
          readonly volumeMounts: readonly { readonly mountPath: string }[]
        }[]
        readonly volumes: readonly { readonly configMap: { readonly name: string } }[]
      }
    }
  }
}

const coffee = (key: string) => limited('coffee', { key }, 'shop', 'HTTPRoute/cafe')

const cluster = useCluster({
  objects: [
    namespace('shop', { 'pod-security.kubernetes.io/warn': 'restricted' }),
    route('HTTPRoute', 'cafe', 'edge', 'shop'),
    coffee('$binary_remote_addr'),
  ],
})
const { kubectl, store } = cluster

beforeAll(() => store(page.block('account.yaml')))

/** Builds the folder of the page, with a policy in it and what Flux would add to the kustomization. */
function build(key: string, patches: readonly object[] = []): readonly Built[] {
  const at = mkdtempSync(join(cluster.folder, 'limits-'))
  writeFileSync(join(at, 'limits.yaml'), JSON.stringify(coffee(key)))
  writeFileSync(join(at, 'check.yaml'), page.block('check.yaml'))
  const kustomization = { ...page.yaml<object>('kustomization.yaml'), patches }
  writeFileSync(join(at, 'kustomization.yaml'), JSON.stringify(kustomization))
  const { status, stdout, stderr } = spawnSync(programOf('kubectl'), ['kustomize', at], { encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  return JSON.parse(JSON.stringify(loadAll(stdout)))
}

function partsOf(built: readonly Built[]) {
  const [map] = built.filter((object): object is ConfigMap => object.kind === 'ConfigMap')
  const [job] = built.filter((object): object is Job => object.kind === 'Job')
  if (!map || !job) throw new Error('the kustomization makes no ConfigMap or no Job')
  return { map, job, pod: job.spec.template.spec }
}

/** Files as the kubelet mounts those of a ConfigMap: links into a hidden folder. */
function mount({ data }: ConfigMap): string {
  const at = mkdtempSync(join(cluster.folder, 'mount-'))
  mkdirSync(join(at, '..2026'))
  symlinkSync('..2026', join(at, '..data'))
  for (const [name, text] of Object.entries(data)) {
    writeFileSync(join(at, '..2026', name), text)
    symlinkSync(join('..data', name), join(at, name))
  }
  return at
}

/** Runs the Job's command as its service account. */
async function check(key: string) {
  const { map, pod } = partsOf(build(key))
  const [container] = pod.containers
  const at = container?.volumeMounts[0]?.mountPath
  const token = (await must(kubectl('create token sluice-check --namespace shop'))).trim()
  const account: User = { name: 'sluice-check', token, groups: [] }
  const args = container?.args.map((argument) => (argument === at ? mount(map) : argument)) ?? []
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd: cluster.folder,
    encoding: 'utf8',
    env: { ...process.env, KUBECONFIG: cluster.kubeconfig(account) },
  })
  return { status, stdout, stderr }
}

describe('with Argo CD', () => {
  it('the Job mounts the ConfigMap that is made of the manifests, and both come before the sync', () => {
    const { map, job, pod } = partsOf(build('$binary_remote_addr'))
    expect(pod.volumes[0]?.configMap.name).toBe(map.metadata.name)
    const hook = { 'argocd.argoproj.io/hook': 'PreSync', 'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation' }
    expect(job.metadata.annotations).toEqual(hook)
    expect(map.metadata.annotations).toEqual({ ...hook, 'argocd.argoproj.io/sync-wave': '-1' })
  })

  it('an API server takes all of it, in a namespace for restricted Pods', async () => {
    const said = await kubectl('apply --dry-run=server -f -', build('$binary_remote_addr'))
    expect(said).toMatchObject({ code: 0, stderr: '' })
  })

  it('the Job passes what changes no key, with the rights of its account', async () =>
    expect(await check('$binary_remote_addr')).toMatchObject({ status: 0, stderr: '' }))

  it('the Job stops a sync that nginx would refuse', async () => {
    const { status, stdout, stderr } = await check('$remote_user')
    expect(stdout).toContain('gateway/key-change-without-zone-resize')
    expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
  })
})

describe('with Flux', () => {
  type Flux = Manifest & {
    spec: { path: string; sourceRef: object; patches: object[]; dependsOn?: { name: string }[] }
  }
  const [first, second] = page.all('flux.yaml').map((object): Flux => JSON.parse(JSON.stringify(object)))
  const kinds = (flux: Flux | undefined) =>
    build('$remote_user', flux?.spec.patches)
      .map(({ kind }) => kind)
      .sort()

  it('the check comes without the policies, the policies without the check', () => {
    expect(kinds(first)).toEqual(['ConfigMap', 'Job'])
    expect(kinds(second)).toEqual(['RateLimitPolicy'])
  })

  it('the policies wait for the check of the same revision of the same folder', () => {
    expect(second?.spec.dependsOn).toEqual([{ name: first?.metadata.name }])
    expect(second?.spec.sourceRef).toEqual(first?.spec.sourceRef)
    expect(second?.spec.path).toBe(first?.spec.path)
  })
})

it('every block of the page is YAML', () => {
  for (const [, block = ''] of page.text.matchAll(/^```yaml\n([\s\S]*?)^```$/gm))
    expect(() => loadAll(block)).not.toThrow()
  expect(load(page.block('kustomization.yaml'))).toBeTypeOf('object')
})
