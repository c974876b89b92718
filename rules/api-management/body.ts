/** Bodies for the examples of rules: each rule writes only the part that matters to it. */

type Parts = {
  /** Items of `limits`, as flow mappings; an empty list writes no `limits`. */
  readonly limits?: readonly string[]
  /** Lines of `action` before `limits`. */
  readonly action?: readonly string[]
  readonly metadata?: string
  /** Lines of `policies` beside `rate-limit`. */
  readonly beside?: readonly string[]
  /** Lines of the body beside `proxyConfig`. */
  readonly top?: readonly string[]
  /** Further items of `rate-limit`, as flow mappings. */
  readonly others?: readonly string[]
}

/** The limit that most examples have. */
export const LIMIT = '{ rate: 10r/s, rateLimitBy: client.ip, zoneSize: 10M }'

/** The body of the proxy `coffee` with one policy; the parts replace its defaults. */
export function body({
  limits = [LIMIT],
  action = ['returnCode: 429'],
  metadata = '{ appliedOn: inbound, context: proxy }',
  beside = [],
  top = [],
  others = [],
}: Parts): string {
  const lines = [
    'name: coffee',
    'version: v1',
    ...top,
    'proxyConfig:',
    '  hostname: shop.example',
    '  policies:',
    ...beside.map((line) => `    ${line}`),
    '    rate-limit:',
    `    - systemMetadata: ${metadata}`,
    '      action:',
    ...action.map((line) => `        ${line}`),
    ...(limits.length > 0 ? ['        limits:', ...limits.map((limit) => `        - ${limit}`)] : []),
    ...others.map((policy) => `    - ${policy}`),
  ]
  return `${lines.join('\n')}\n`
}
