/** Objects of which the shapes are made. */

const GATEWAY_API = 'gateway.networking.k8s.io'

export const target = (name: string) => ({ group: GATEWAY_API, kind: 'HTTPRoute', name })
export const LIMIT = { key: '$binary_remote_addr', rate: '10r/s', zoneSize: '10m' }

type Parts = {
  readonly name?: string
  readonly targets?: readonly object[]
  readonly settings?: object
  readonly limits?: readonly object[]
  readonly metadata?: object
  readonly more?: object
}

export const policy = ({
  name = 'coffee',
  targets = [target('coffee')],
  settings,
  limits = [LIMIT],
  ...parts
}: Parts = {}) => ({
  apiVersion: 'gateway.nginx.org/v1alpha1',
  kind: 'RateLimitPolicy',
  metadata: { name, namespace: 'shop', ...parts.metadata },
  spec: { targetRefs: targets, rateLimit: { ...settings, local: { rules: limits } } },
  ...parts.more,
})

export const gatewayApi = (kind: string, name: string, spec: object) => ({
  apiVersion: `${GATEWAY_API}/v1`,
  kind,
  metadata: { name, namespace: 'shop' },
  spec,
})
export const gateway = (listeners: readonly object[]) =>
  gatewayApi('Gateway', 'gw', { gatewayClassName: 'nginx', listeners })
export const route = (parents: readonly object[], hostnames: readonly string[], rules: readonly object[] = []) =>
  gatewayApi('HTTPRoute', 'coffee', { parentRefs: parents, hostnames, rules })

export const many = <Item>(size: number, make: (index: number) => Item): readonly Item[] =>
  Array.from({ length: size }, (_, index) => make(index))

/** Numbers of one length: what is said of a name depends on its length. */
export const sixDigits = (index: number): string => String(100_000 + index)
export const numbered = (size: number, value: unknown) =>
  Object.fromEntries(many(size, (index) => [`f${sixDigits(index)}`, value]))

let used = 0
/** A number that was never used before, as results are cached by text. */
export const fresh = (): string => sixDigits(used++)
