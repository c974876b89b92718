import { describe, expect } from 'vitest'
import { lint } from '../../src/lint/lint.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

const rulesIn = (text: string) => lint([{ file: 'a.yaml', text }]).report.findings.map(({ rule }) => rule)

const policy = ({ name = 'coffee', key = '$binary_remote_addr', rate = '10r/s', code = '429' }) => `
apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata: { name: "${name}", namespace: shop }
spec:
  targetRefs:
  - { group: gateway.networking.k8s.io, kind: HTTPRoute, name: coffee }
  rateLimit:
    rejectCode: ${code}
    local:
      rules:
      - { key: "${key}", rate: "${rate}", zoneSize: 10m }
`

describe('a value that is filled in before it reaches a cluster', () => {
  each<[{ name?: string; rate?: string; code?: string; key?: string }]>('is not judged: %j', (parts) =>
    expect(rulesIn(policy(parts))).toEqual([]),
  )

  each<[{ key?: string; rate?: string; name?: string }, string]>('is distinguished from a mistake: %j', (parts, rule) =>
    expect(rulesIn(policy(parts))).toEqual([rule]),
  )
})

describe('a text that cannot be read', () =>
  each<[string, readonly string[]]>('is a finding where it would be judged: %j', (text, rules) =>
    expect(rulesIn(text)).toEqual(rules),
  ))
