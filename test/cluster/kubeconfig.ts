/** Kubeconfigs for users of a test's API server. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { User } from './users.ts'

/** Writes a kubeconfig and gives its path. The API server signs its own certificate, which is in its folder. */
export function writeKubeconfig({ folder, url, user }: { folder: string; url: string; user: User }): string {
  const path = join(folder, `${user.name}-${new URL(url).port}.kubeconfig`)
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority': join(folder, 'apiserver.crt') } }],
    users: [{ name: user.name, user: { token: user.token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: user.name } }],
    'current-context': 'test',
  }
  writeFileSync(path, JSON.stringify(config), { mode: 0o600 })
  return path
}
