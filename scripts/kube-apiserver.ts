/**
 * The control plane of the tests: etcd as the distribution ships it, kube-apiserver and kubectl built once from the Go
 * module proxy into a folder outside the repository. KUBEBUILDER_ASSETS names a folder with ready ones, as elsewhere.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The release that is built; the module of `scripts/kube-apiserver/` pins everything below it. */
export const KUBERNETES_VERSION = '1.36.3'

const MODULE = fileURLToPath(new URL('kube-apiserver', import.meta.url))
const ASSETS = process.env.KUBEBUILDER_ASSETS ?? join(homedir(), '.cache', 'sluice', `kubernetes-${KUBERNETES_VERSION}`)

/** Where a program is, or its name alone where nobody has provided it. */
export const programOf = (name: string): string => find(name) ?? name

/** The path of a program, or undefined. */
function find(name: string): string | undefined {
  const folders = [ASSETS, ...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin']
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/** The programs that are built. */
const BUILT = ['kube-apiserver', 'kubectl'] as const

export const hasEtcd = (): boolean => find('etcd') !== undefined
export const hasBuiltPrograms = (): boolean => BUILT.every((name) => find(name) !== undefined)

/** True where every program of the control plane is there. */
export const hasControlPlane = (): boolean => hasEtcd() && hasBuiltPrograms()

/** The Go tool, where there is one. */
const goTool = (): string | undefined => find('go') ?? ['/usr/local/go/bin/go'].find((path) => existsSync(path))

/** Builds what is missing of kube-apiserver and kubectl; some minutes the first time. Says whether it succeeded. */
export function buildControlPlane(): boolean {
  const missing = BUILT.filter((name) => find(name) === undefined)
  const go = goTool()
  return go !== undefined && process.env.KUBEBUILDER_ASSETS === undefined && buildAll(go, missing)
}

function buildAll(go: string, names: readonly string[]): boolean {
  // Beside the repository's own packages the Go tool would take our folder for a part of something else.
  const folder = mkdtempSync(join(tmpdir(), 'sluice-go-'))
  try {
    cpSync(MODULE, folder, { recursive: true })
    mkdirSync(ASSETS, { recursive: true })
    return names.every((name) => buildOne(go, folder, name))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function buildOne(go: string, folder: string, name: string): boolean {
  const version = 'k8s.io/component-base/version'
  const [major, minor] = KUBERNETES_VERSION.split('.')
  const flags = [`gitVersion=v${KUBERNETES_VERSION}`, `gitMajor=${major}`, `gitMinor=${minor}`]
  const linker = ['-s -w', ...flags.map((flag) => `-X ${version}.${flag}`)].join(' ')
  const beside = join(ASSETS, `.${name}.${process.pid}`)
  const { status, stderr } = spawnSync(go, ['build', '-trimpath', `-ldflags=${linker}`, '-o', beside, `./${name}`], {
    cwd: folder,
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly' },
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (status !== 0) console.error(`${name} could not be built:\n${stderr}`)
  else renameSync(beside, join(ASSETS, name))
  return status === 0
}

/** What `npm run test:cluster` does first. */
function main(): number {
  if (hasControlPlane()) return 0
  if (!hasEtcd()) console.error('missing for the tests: etcd (install the package etcd-server)')
  else if (goTool() === undefined) console.error('missing for the tests: Go, or a folder named by KUBEBUILDER_ASSETS')
  else {
    console.log(`building kube-apiserver and kubectl ${KUBERNETES_VERSION}, once: some minutes`)
    buildControlPlane()
  }
  return hasControlPlane() ? 0 : 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main()
