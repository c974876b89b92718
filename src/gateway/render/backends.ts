/** Where requests of a rule go. Source: Gateway API, backendRefs; nginx, upstream. */
import { asList, asNumber, asText, isObject, type JsonObject, member } from '../../json/member.ts'
import { block, comment, directive, type Node, SPACE } from './nodes.ts'

/** A Service that a rule passes requests on to. */
type Backend = { readonly namespace: string; readonly name: string; readonly port: number; readonly weight: number }

/** Addresses by `[NAMESPACE/]SERVICE[:PORT]`. */
export type Addresses = ReadonlyMap<string, string>

/** Makes upstreams, each of them once. */
export type Upstreams = {
  /** The name of the upstream of a rule, or why it has none. */
  of(rule: JsonObject, namespace: string, title: string): { readonly name: string } | { readonly problem: string }
  nodes(): readonly Node[]
  /** The names under which addresses may be given for the backends so far: `NAMESPACE/SERVICE:PORT`. */
  readonly backends: ReadonlySet<string>
  /** The given names that were of use. */
  readonly used: ReadonlySet<string>
  /** The backends for which no address was given, and their ports on this machine. */
  readonly local: ReadonlyMap<string, number>
}

/** Begins with no upstream; `addresses` are those that the user gives. */
export function createUpstreams(addresses: Addresses): Upstreams {
  const made = new Map<string, readonly Node[]>()
  const backends = new Set<string>()
  const used = new Set<string>()
  const local = new Map<string, number>()
  const addressOf = ({ namespace, name, port }: Backend): string => {
    const full = `${namespace}/${name}`
    backends.add(`${full}:${port}`)
    for (const key of [`${full}:${port}`, full, `${name}:${port}`, name]) {
      const address = addresses.get(key)
      if (address === undefined) continue
      used.add(key)
      return address
    }
    local.set(`${full}:${port}`, port)
    return `127.0.0.1:${port}`
  }
  return {
    backends,
    used,
    local,
    of(rule, namespace, title) {
      const refs = (member(rule, '', 'backendRefs', asList).value ?? []).filter(isObject)
      const all = refs.flatMap((ref) => readBackend(ref, namespace) ?? [])
      const [only, ...others] = all.filter(({ weight }) => weight > 0)
      if (!only)
        return { problem: refs.length === 0 ? 'it has no backend' : 'none of its backends is a Service that counts' }
      const servers = [only, ...others].map((backend) => ({ backend, address: addressOf(backend) }))
      const name = others.length === 0 ? `${only.namespace}_${only.name}_${only.port}` : title.replace(/[^\w.-]+/g, '_')
      made.set(name, [
        ...servers.map(({ backend }) => comment(`Service ${backend.namespace}/${backend.name}, port ${backend.port}`)),
        block(
          `upstream ${name}`,
          servers.map(({ backend, address }) =>
            directive(`server ${address}${others.length === 0 ? '' : ` weight=${backend.weight}`}`),
          ),
        ),
      ])
      return { name }
    },
    nodes: () => [...made].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, nodes]) => [SPACE, ...nodes]),
  }
}

const NAME = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/

function readBackend(ref: JsonObject, own: string): Backend | undefined {
  const kind = member(ref, '', 'kind', asText).value ?? 'Service'
  const group = member(ref, '', 'group', asText).value ?? ''
  const name = member(ref, '', 'name', asText).value ?? ''
  const namespace = member(ref, '', 'namespace', asText).value ?? own
  const port = member(ref, '', 'port', asNumber).value ?? 0
  const weight = member(ref, '', 'weight', asNumber).value ?? 1
  const isPort = Number.isInteger(port) && port > 0 && port <= 65_535
  if (kind !== 'Service' || group !== '' || !NAME.test(name) || !NAME.test(namespace) || !isPort) return undefined
  return { namespace, name, port, weight: Number.isInteger(weight) ? weight : 1 }
}
