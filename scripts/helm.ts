/** Helm, for the tests of the chart: built once from the Go module proxy into a folder outside the repository. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

/** The release that is built. */
export const HELM_VERSION = '3.22.0'

const FOLDER = join(homedir(), '.cache', 'sluice', `helm-${HELM_VERSION}`)

/** Where a program is: below one of the folders, or on the path. */
const find = (name: string, folders: readonly string[]): string | undefined =>
  [...folders, ...(process.env.PATH ?? '').split(delimiter)]
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))

/** The path of Helm, undefined where nobody has provided it. SLUICE_HELM names another one. */
export const findHelm = (): string | undefined => process.env.SLUICE_HELM ?? find('helm', [FOLDER])

/** Builds Helm where Go is; two minutes the first time. Says whether it succeeded. */
export function buildHelm(): boolean {
  const go = find('go', ['/usr/local/go/bin'])
  if (go === undefined) return false
  const { status, stderr } = spawnSync(go, ['install', `helm.sh/helm/v3/cmd/helm@v${HELM_VERSION}`], {
    env: { ...process.env, CGO_ENABLED: '0', GOBIN: FOLDER },
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (status !== 0) console.error(`Helm could not be built:\n${stderr}`)
  return status === 0
}
