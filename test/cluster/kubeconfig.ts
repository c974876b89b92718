/** Kubeconfigs for users of a test's API server. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { User } from './users.ts'

/** Where a kubeconfig leads, and as whom. */
export type Way = {
  readonly folder: string
  readonly url: string
  readonly user: User
  /** Who vouches for the server; the API server signs its own certificate, which is in its folder. */
  readonly authority?: string
}

/** Writes a kubeconfig and gives its path. */
export function writeKubeconfig({
  folder,
  url,
  user,
  authority = readFileSync(join(folder, 'apiserver.crt'), 'utf8'),
}: Way): string {
  const path = join(folder, `${user.name}-${new URL(url).port}.kubeconfig`)
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority-data': btoa(authority) } }],
    users: [{ name: user.name, user: { token: user.token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: user.name } }],
    'current-context': 'test',
  }
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 })
  return path
}
