/** Repositories with kustomizations, and what the lint finds in them. */
import { policy } from '../files/folder.ts'
import { sluice } from './run.ts'

type Finding = {
  readonly file: string
  readonly line: number
  readonly rule: string
  readonly message: string
  readonly builds?: readonly string[]
}

/** `file:line rule`, and the builds where there are several. */
export async function lint(cwd: string, ...argv: readonly string[]) {
  const { code, stdout, stderr } = await sluice(['lint', '--format', 'json', ...argv], { cwd })
  const findings: readonly Finding[] = JSON.parse(stdout).findings
  const found = findings.map(({ file, line, rule, builds }) =>
    [`${file}:${line}`, rule, ...(builds ? [`in ${builds.join(' and ')}`] : [])].join(' '),
  )
  return { code, stderr, found }
}

export const bare = (rate = '10r/s') => policy({ namespace: '', rate })
export const patch = (limits: string) => `apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata:
  name: coffee
spec:
  rateLimit:
    local:
      rules:
      - key: $binary_remote_addr
        zoneSize: 10m
        ${limits}
`

/** A base of which two overlays are built. */
export const shop = (base: string, eu: string, us = eu) => ({
  'base/kustomization.yaml': 'resources: [policy.yaml]\n',
  'base/policy.yaml': base,
  'overlays/eu/kustomization.yaml': `namespace: eu\nresources: [../../base]\n${eu}`,
  'overlays/us/kustomization.yaml': `namespace: us\nresources: [../../base]\n${us}`,
})

export const PATCHED = 'patches:\n- path: rate.yaml\n'
