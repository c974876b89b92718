/** Variables that keys use and that nginx itself does not define: those of the product, and stand-ins for all others. */
import { lookUpVariable } from '../../nginx/variables.ts'
import type { PolicyView } from '../objects/policy.ts'
import { block, comment, directive, type Node, SPACE } from './nodes.ts'

const map = (source: string, variable: string, ...rows: readonly string[]): Node =>
  block(`map ${source} $${variable}`, rows.map(directive))

/** What NGINX Gateway Fabric defines at http, by the names that keys may use. */
const OF_THE_GATEWAY: Readonly<Record<string, Node>> = {
  gw_api_compliant_host: map('$http_host', 'gw_api_compliant_host', '"" $host', 'default $http_host'),
  connection_upgrade: map('$http_upgrade', 'connection_upgrade', '"" close', 'default upgrade'),
  connection_keepalive: map('$http_upgrade', 'connection_keepalive', '"" ""', 'default upgrade'),
  request_uri_path: map('$request_uri', 'request_uri_path', '"~^([^?]*)" $1'),
}

/** Variables that the locations themselves need. */
const NEEDED = ['gw_api_compliant_host', 'connection_upgrade']

/** What the configuration around knows of variables. */
export type KnownVariables = {
  readonly nginxVersion: string
  readonly plus: boolean
  /** Without `$`, lower-cased: defined by settings of the project, or by snippets in sight. */
  readonly defined: ReadonlySet<string>
}

/** The maps for the variables of some policies' keys. What nobody defines is left to nginx to refuse. */
export function variableNodes(policies: readonly PolicyView[], known: KnownVariables): readonly Node[] {
  const parts = policies.flatMap(({ limits }) => limits.flatMap(({ key }) => key.value?.parts ?? []))
  const names = new Set(parts.flatMap((part) => (part.type === 'variable' ? [part.name] : [])))
  const platform = { nginxVersion: known.nginxVersion, plus: known.plus, variables: [] }
  const unknown = [...names].filter((name) => !lookUpVariable(name, platform).known).sort()
  const product = Object.keys(OF_THE_GATEWAY).filter((name) => NEEDED.includes(name) || unknown.includes(name))
  const standIns = unknown.filter((name) => !product.includes(name) && known.defined.has(name))
  return [
    ...product.flatMap((name) => [SPACE, OF_THE_GATEWAY[name] ?? SPACE]),
    ...standIns.flatMap((name) => [
      SPACE,
      comment(`A stand-in: $${name} is defined elsewhere. It is empty here, so a limit by it alone limits nobody.`),
      map('$remote_addr', name, 'default ""'),
    ]),
  ]
}
