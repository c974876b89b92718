/** Objects for the tests of a cluster, and what a cluster needs before it takes them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { load } from 'js-yaml'
import { type Kubectl, must } from './kubectl.ts'

const CRDS = join(import.meta.dirname, 'crds')

/** The files of the CRDs, by the plural of their kind. */
export const CRD_FILES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(readdirSync(CRDS).map((name) => [name.replace('.yaml', ''), join(CRDS, name)])),
  ratelimitpolicies: join(import.meta.dirname, '../../schemas/ratelimitpolicy.crd.yaml'),
}

/** Applies CRDs and waits until the API server serves them. */
export async function applyCrds(kubectl: Kubectl, plurals: readonly string[] = Object.keys(CRD_FILES)): Promise<void> {
  const files = plurals.flatMap((plural) => ['-f', CRD_FILES[plural] ?? plural])
  const names = (await must(kubectl(['apply', ...files, '-o', 'name']))).trim().split('\n')
  await must(kubectl(['wait', '--for=condition=Established', '--timeout=30s', ...names]))
  for (const plural of plurals) {
    let said = ''
    const isServed = async () => {
      const { code, stderr } = await kubectl(`get ${plural} -A --request-timeout=30s`)
      said = stderr
      return code === 0
    }
    await until(() => `the API server serves ${plural}, and says: ${said}`, isServed)
  }
}

/** The CRD with another group, and a schema that accepts everything. */
export function laxCrd(vendor: string): object {
  const text = readFileSync(CRD_FILES.ratelimitpolicies ?? '', 'utf8').replaceAll(
    'gateway.nginx.org',
    `gateway.${vendor}.org`,
  )
  const crd = load(text) as { readonly spec: { readonly versions: readonly [object] } }
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  return { ...crd, spec: { ...crd.spec, versions: [{ ...crd.spec.versions[0], schema: { openAPIV3Schema } }] } }
}

/** Waits until something holds, asking half of the time at most; throws what it waited for where it never does. */
export async function until(
  what: string | (() => string),
  holds: () => boolean | Promise<boolean>,
  seconds = 240,
): Promise<void> {
  for (const last = Date.now() + seconds * 1000; Date.now() < last; ) {
    const asked = Date.now()
    if (await holds()) return
    await sleep(Math.max(50, Date.now() - asked))
  }
  throw new Error(`waited ${seconds} s in vain: ${typeof what === 'string' ? what : what()}`)
}

const namespaced = (name: string, namespace: string) => ({ metadata: { name, namespace } })

/** A namespace. */
export const namespace = (name: string, labels: Readonly<Record<string, string>> = {}) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
})

/** The account of Pods. The controller that would make it does not run here. */
export const serviceAccount = (space: string) => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  ...namespaced('default', space),
})

/** The class of the Gateways of a controller. */
export const gatewayClass = (name: string, controllerName: string) => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'GatewayClass',
  metadata: { name },
  spec: { controllerName },
})

/** A Gateway with one listener. */
export const gateway = (name: string, space = 'default') => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  ...namespaced(name, space),
  spec: { gatewayClassName: 'nginx', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
})

/** A route on a Gateway. */
export const route = (kind: 'HTTPRoute' | 'GRPCRoute', name: string, parent: string, space = 'default') => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind,
  ...namespaced(name, space),
  spec: { parentRefs: [{ name: parent }] },
})

/** What a limit may set. */
export type Limit = { readonly rate?: string; readonly key?: string; readonly zoneSize?: string | null }

/** A limit with nothing wrong. */
export const limit = (changes: Limit = {}) => ({
  rate: '10r/s',
  key: '$binary_remote_addr',
  zoneSize: '10m',
  ...changes,
})

/** A RateLimitPolicy; targets are written `Kind/name`. */
export const policy = (
  name: string,
  targets: readonly string[],
  rateLimit: Readonly<Record<string, unknown>> = {},
  space = 'default',
) => ({
  apiVersion: 'gateway.nginx.org/v1alpha1',
  kind: 'RateLimitPolicy',
  ...namespaced(name, space),
  spec: {
    targetRefs: targets.map((target) => {
      const [kind = '', targetName = ''] = target.split('/')
      return { group: 'gateway.networking.k8s.io', kind, name: targetName }
    }),
    rateLimit: { local: { rules: [limit()] }, ...rateLimit },
  },
})

/** One on the Gateway `edge` with one limit. */
export const limited = (name: string, changes: Limit, space = 'default', target = 'Gateway/edge') =>
  policy(name, [target], { local: { rules: [limit(changes)] } }, space)

/** One that the CRD takes, and nginx does not. */
export const BROKEN = limited('broken', { rate: '0r/s' })

/** A SnippetsFilter that defines one variable. */
export const snippets = (name: string, variable: string) => ({
  apiVersion: 'gateway.nginx.org/v1alpha1',
  kind: 'SnippetsFilter',
  ...namespaced(name, 'default'),
  spec: { snippets: [{ context: 'http', value: `map $host $${variable} { default x; }` }] },
})
