/** Real folders for tests. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

type Files = Readonly<Record<string, string | Uint8Array>>

/** Makes a folder with files by their paths; a path that ends in `/` is a folder. It is removed after the test, or as `ends` says. */
export function createFolder(files: Files = {}, ends: (run: () => void) => void = onTestFinished): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-test-')))
  ends(() => rmSync(folder, { recursive: true, force: true }))
  writeFiles(folder, files)
  return folder
}

/** Writes files by their paths into a folder. */
export function writeFiles(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path)
    mkdirSync(path.endsWith('/') ? file : dirname(file), { recursive: true })
    if (!path.endsWith('/')) writeFileSync(file, content)
  }
}

/** A policy, as text. */
export const policy = ({ name = 'coffee', namespace = 'shop', rate = '10r/s' } = {}): string =>
  `apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata:
  name: ${name}
${namespace === '' ? '' : `  namespace: ${namespace}\n`}spec:
  targetRefs:
  - group: gateway.networking.k8s.io
    kind: HTTPRoute
    name: coffee
  rateLimit:
    local:
      rules:
      - key: $binary_remote_addr
        rate: ${rate}
        burst: 20
        noDelay: true
        zoneSize: 10m
`

/** A policy with one error, at `rate`. */
export const WRONG = policy({ rate: '10R/S' })
