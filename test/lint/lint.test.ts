import { describe, expect, it } from 'vitest'
import { lint } from '../../src/lint/lint.ts'

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
  it.each([
    { name: '${APP}-limits' },
    { name: '${app}-limits' },
    { rate: '${RATE}' },
    { rate: '${RATE:=10r/s}' },
    { rate: '${rate}r/s' },
    { code: '"${CODE}"' },
    { key: '$host${SUFFIX}' },
  ])('is not judged: %j', (parts) => expect(rulesIn(policy(parts))).toEqual([]))

  it.each([
    [{ key: '${uri}' }, 'gateway/key-syntax'],
    [{ rate: '${}' }, 'gateway/rate-syntax'],
    [{ rate: '$RATE' }, 'gateway/rate-syntax'],
    [{ name: '${APP}', rate: '0r/s' }, 'gateway/rate-zero'],
  ])('is distinguished from a mistake: %j', (parts, rule) => expect(rulesIn(policy(parts))).toEqual([rule]))
})

describe('a text that cannot be read', () =>
  it.each([
    ['apiVersion: networking.istio.io/v1\nkind: Gateway\nspec: [a', []],
    ['apiVersion: kuadrant.io/v1\nkind: RateLimitPolicy\nspec: [a', []],
    ['apiVersion: apps/v1\nkind: Deployment\nspec: [a', []],
    ['apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nspec: [a', ['document/syntax']],
    ['apiVersion: gateway.nginx.com/v1alpha1\nkind: RateLimitPolicy\nspec: [a', ['document/syntax']],
    ['kind: RateLimitPolicy\nspec: [a', ['document/syntax']],
  ])('is a finding where it would be judged: %j', (text, rules) => expect(rulesIn(text)).toEqual(rules)))
