/** What the sidecar's nginx takes from the mesh's configuration. */
import type { JsonObject } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { initialConfig, jsonAt, typeFaults } from '../config.ts'
import { configFields } from '../config-fields.ts'
import { isCountable } from '../meanings.ts'

/** The values; each is one that its field allows. */
export type SidecarValues = {
  readonly transparent: boolean
  /** A size of nginx; `0` is no limit. */
  readonly bodySize: string
  readonly logLevel: string
  readonly logFormat: string
  readonly loadBalancing: string
  readonly ports: {
    readonly incoming: number
    readonly outgoing: number
    readonly incomingGrpc: number
    readonly outgoingGrpc: number
  }
}

/** Reads a configuration; a field that is missing or wrong is as in a new mesh. */
export function sidecarValues(config: JsonObject, names: ApiNames): SidecarValues {
  const initial = initialConfig(names)
  const fields = new Map(configFields(names).map((field) => [field.pointer, field]))
  const read = (pointer: string) => {
    const [value, field] = [jsonAt(config, pointer), fields.get(pointer)]
    const isRight = value !== undefined && field !== undefined && typeFaults(field, value).length === 0
    return isRight ? value : jsonAt(initial, pointer)
  }
  const text = (pointer: string): string => String(read(pointer))
  const port = (name: string): number => Number(read(`/proxy/ports/${name}`))
  return {
    transparent: read('/proxy/transparent') === true,
    bodySize: fitting(text('/clientMaxBodySize')),
    logLevel: text('/nginxErrorLogLevel'),
    logFormat: text('/nginxLogFormat'),
    loadBalancing: text('/loadBalancingMethod'),
    ports: {
      incoming: port('incoming'),
      outgoing: port('outgoing'),
      incomingGrpc: port('incomingGrpc'),
      outgoingGrpc: port('outgoingGrpc'),
    },
  }
}

/** nginx refuses a size of more than 63 bits, which no body reaches. */
const fitting = (size: string): string => (isCountable(size) ? size : '0')

/** What an upstream has: a directive, none for the round robin of nginx; and whether that is another method. */
export type Balancing = { readonly directive: string | undefined; readonly isReplaced: boolean }

/** A method of the mesh in the open source nginx; source: nginx, ngx_http_upstream_module. `least_time` is part of NGINX Plus; `least_conn` comes closest, as slow servers keep their connections for longer. */
export function balancingOf(method: string): Balancing {
  const [kind, count, inner = ''] = method.split(' ')
  const isReplaced = method.includes('least_time')
  if (kind === 'round_robin') return { directive: undefined, isReplaced }
  if (kind !== 'random') return { directive: 'least_conn', isReplaced }
  if (count === undefined) return { directive: 'random', isReplaced }
  return { directive: inner === '' ? 'random two' : 'random two least_conn', isReplaced }
}
