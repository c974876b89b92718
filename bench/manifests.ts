/** Manifests for the benchmarks: policies, and what else lies in a repository. */
import type { Random } from './random.ts'

/** How a generated policy turns out. */
export type Flavour = 'clean' | 'warning' | 'mistake' | 'fixable'

type Policy = { target: string; settings: string[]; limits: Record<string, string | number | boolean>[] }

const KEYS = [
  '$binary_remote_addr',
  '$binary_remote_addr',
  '$binary_remote_addr$server_name',
  '$remote_user$binary_remote_addr',
]

/** What a schema finds as well as a linter: fair to both. */
const MISTAKES: readonly ((policy: Policy) => void)[] = [
  ({ limits: [limit] }) => Object.assign(limit ?? {}, { rate: '10R/S' }),
  ({ limits: [limit] }) => Object.assign(limit ?? {}, { zoneSize: '10M' }),
  ({ limits: [limit] }) => Object.assign(limit ?? {}, { burst: -1 }),
  (policy) => policy.settings.push('rejectCode: 302'),
  (policy) => {
    policy.target = 'Service'
  },
]

/** What `lint --fix` fixes. */
const FIXABLE = MISTAKES.slice(0, 2)

/** What only somebody who knows nginx finds. */
const WARNINGS: readonly ((policy: Policy) => void)[] = [
  // Alone: a limit beside it that counts by address would cure it.
  (policy) => policy.limits.splice(0, policy.limits.length, { ...policy.limits[0], key: '$request_uri' }),
  ({ limits: [limit] }) => Object.assign(limit ?? {}, { burst: 20, delay: 20, noDelay: false }),
  ({ limits: [limit] }) => Object.assign(limit ?? {}, { key: 'everybody' }),
  ({ limits: [limit] }) => Object.assign(limit ?? {}, { key: '$request_id' }),
  (policy) => policy.settings.push('rejectCode: 444'),
]

/** One RateLimitPolicy of about 500 bytes. `serial` names it and its target, so no two meet. */
export function policyManifest(random: Random, serial: number, flavour: Flavour): string {
  const name = `${random.pick(['basket', 'catalogue', 'search', 'login', 'reviews', 'images'])}-${serial}`
  const policy: Policy = {
    target: random.pick(['HTTPRoute', 'HTTPRoute', 'GRPCRoute']),
    settings: [],
    limits: Array.from({ length: 1 + random.below(2) }, () => limitOf(random)),
  }
  if (flavour === 'mistake') random.pick(MISTAKES)(policy)
  if (flavour === 'fixable') random.pick(FIXABLE)(policy)
  if (flavour === 'warning') random.pick(WARNINGS)(policy)
  const limits = policy.limits.flatMap((limit) =>
    Object.entries(limit).map(([field, value], index) => `      ${index === 0 ? '-' : ' '} ${field}: ${value}`),
  )
  return `apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata:
  name: ${name}
  namespace: team-${serial % 40}
  labels:
    app.kubernetes.io/name: ${name}
    app.kubernetes.io/managed-by: platform
spec:
  targetRefs:
  - group: gateway.networking.k8s.io
    kind: ${policy.target}
    name: ${name}
  rateLimit:
${policy.settings.map((line) => `    ${line}\n`).join('')}    local:
      rules:
${limits.join('\n')}
`
}

const limitOf = (random: Random): Policy['limits'][number] => ({
  key: random.pick(KEYS),
  rate: `${10 + random.below(200)}r/s`,
  burst: 20 + random.below(100),
  ...(random.below(3) === 0 ? { noDelay: true } : {}),
  zoneSize: random.pick(['10m', '5m', '2048k']),
})

/** A manifest that no rule looks at, of the size that such manifests have. */
export function unrelatedManifest(random: Random, serial: number): string {
  const name = `${random.pick(['api', 'worker', 'web', 'cache', 'mailer'])}-${serial}`
  return random.pick([deployment, deployment, service, configMap])(random, name, `team-${serial % 40}`)
}

const head = (apiVersion: string, kind: string, name: string, namespace: string): string => `apiVersion: ${apiVersion}
kind: ${kind}
metadata:
  name: ${name}
  namespace: ${namespace}
  labels:
    app.kubernetes.io/name: ${name}
`

function deployment(random: Random, name: string, namespace: string): string {
  const environment = Array.from(
    { length: 4 + random.below(12) },
    (_, index) => `        - name: SETTING_${index}\n          value: "${random.below(1e9)}"\n`,
  )
  return `${head('apps/v1', 'Deployment', name, namespace)}spec:
  replicas: ${1 + random.below(5)}
  selector:
    matchLabels:
      app.kubernetes.io/name: ${name}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: ${name}
    spec:
      containers:
      - name: main
        image: store.example/${name}:${random.below(100)}.${random.below(100)}
        ports:
        - name: http
          containerPort: 8080
        env:
${environment.join('')}        resources:
          requests:
            cpu: 100m
            memory: 128Mi
          limits:
            memory: 256Mi
        readinessProbe:
          httpGet:
            path: /ready
            port: http
        livenessProbe:
          httpGet:
            path: /alive
            port: http
`
}

function service(_: Random, name: string, namespace: string): string {
  return `${head('v1', 'Service', name, namespace)}spec:
  selector:
    app.kubernetes.io/name: ${name}
  ports:
  - name: http
    port: 80
    targetPort: http
`
}

function configMap(random: Random, name: string, namespace: string): string {
  const lines = Array.from(
    { length: 10 + random.below(60) },
    (_, index) => `    option.${index} = ${random.below(1e9).toString(36)}\n`,
  )
  return `${head('v1', 'ConfigMap', name, namespace)}data:
  settings.conf: |
${lines.join('')}`
}
