/**
 * Where the data plane ends: what the mesh's configuration and a Pod ask for, and the sidecar that `sluice render --sidecar`
 * writes for the open source nginx does not do. The one table of it; tests prove each row with nginx.
 */
import { isObject, type Json, type JsonObject } from '../json/member.ts'
import { escapeToken, fieldPath, parentPointer } from '../json/pointer.ts'
import type { ApiNames } from '../kubernetes/api-groups.ts'
import { initialConfig, jsonAt, withValue } from './config.ts'
import { configFields } from './config-fields.ts'
import type { InjectionPlan } from './inject/plan.ts'
import { type Container, listOf } from './inject/pod.ts'
import type { MeshKeys } from './inject/settings.ts'
import { readAt, type Workload } from './inject/workload.ts'
import { balancingOf } from './sidecar/values.ts'

/** Something that is asked for and not done. */
export type NotEnforced = {
  /** JSON Pointer of what asks for it, in the configuration or in the Pod's document. */
  readonly pointer: string
  /** `mtls.mode`, `spec.containers[0].livenessProbe`. */
  readonly field: string
  /** The value, or what it asks for: `"strict"`, `an HTTP probe`. */
  readonly value: string
  /** What happens instead: a clause. */
  readonly instead: string
  /** An imperative without a full stop: what makes the configuration say what happens. */
  readonly remedy: string
}

/** One line for people. */
export const describeNotEnforced = ({
  field,
  value,
  instead,
}: Pick<NotEnforced, 'field' | 'value' | 'instead'>): string =>
  `${field} is ${value}, which the rendered sidecar does not do: ${instead}`

type Row = {
  readonly pointer: string
  asks(value: Json): boolean
  readonly instead: string | ((value: Json) => string)
  /** What to write instead; undefined: the field is removed. */
  readonly other?: Json | ((value: Json) => Json)
  /** True where it is asked for also of a sidecar that passes everything on as it is. */
  readonly isOfTransparent?: true
}

const NO_TRACE = 'no span is sent, and no request gets a header of a trace'

const ROWS: readonly Row[] = [
  {
    pointer: '/mtls/mode',
    asks: (value) => value === 'strict',
    instead: 'requests without a certificate are answered as any other, and nothing is encrypted',
    other: 'off',
  },
  {
    pointer: '/mtls/mode',
    asks: (value) => value === 'permissive',
    instead: 'nothing is encrypted, and a connection with TLS is answered with 400',
    other: 'off',
  },
  {
    pointer: '/accessControlMode',
    asks: (value) => value === 'deny',
    instead: 'every caller is answered',
    other: 'allow',
  },
  {
    pointer: '/loadBalancingMethod',
    asks: (value) => typeof value === 'string' && balancingOf(value).isReplaced,
    instead: (value) => `it is part of NGINX Plus, and "${balancingOf(String(value)).directive}" takes its place`,
    other: (value) => balancingOf(String(value)).directive ?? 'round_robin',
  },
  {
    pointer: '/isUDPEnabled',
    asks: (value) => value === true,
    instead: 'nothing takes the datagrams at proxy.ports.incomingUdp and outgoingUdp, which are lost',
    other: false,
    isOfTransparent: true,
  },
  {
    pointer: '/prometheusAddress',
    asks: (value) => typeof value === 'string' && value !== '',
    instead: 'there are no metrics at proxy.ports.metrics',
    other: '',
  },
  { pointer: '/tracing/isEnabled', asks: (value) => value === true, instead: NO_TRACE, other: false },
  { pointer: '/telemetry/exporters/otlp/host', asks: (value) => typeof value === 'string', instead: NO_TRACE },
]

/** The same of a part of a configuration, which is completed as in a new mesh. */
export const notEnforcedWhole = (config: JsonObject, names: ApiNames): readonly NotEnforced[] =>
  notEnforced(
    configFields(names).reduce((whole, { pointer }) => {
      const value = jsonAt(config, pointer)
      return value === undefined ? whole : withValue(whole, pointer, value)
    }, initialConfig(names)),
  )

/** What a configuration asks for and the sidecar does not do. A field that is missing asks for nothing. Never throws. */
export function notEnforced(config: JsonObject): readonly NotEnforced[] {
  const isTransparent = jsonAt(config, '/proxy/transparent') === true
  return ROWS.flatMap(({ pointer, asks, instead, other, isOfTransparent = false }): readonly NotEnforced[] => {
    const value = jsonAt(config, pointer)
    if (value === undefined || !asks(value) || (isTransparent && !isOfTransparent)) return []
    const field = fieldPath(pointer)
    const better = typeof other === 'function' ? other(value) : other
    return [
      {
        ...{ pointer, field, value: JSON.stringify(value) },
        instead: typeof instead === 'string' ? instead : instead(value),
        remedy: better === undefined ? `Remove ${field}` : `Set ${field} to ${JSON.stringify(better)}`,
      },
    ]
  })
}

/** A Pod that gets the sidecar. */
export type MeshPod = {
  readonly workload: Workload
  readonly plan: InjectionPlan
  readonly keys: MeshKeys
  /** What is known of the mesh's configuration. */
  readonly config: JsonObject
}

/** The same for a Pod. */
export const notEnforcedIn = (pod: MeshPod): readonly NotEnforced[] => [
  ...annotationRows(pod),
  ...pod.plan.view.containers.flatMap((container) => tcpRows(container, pod)),
  ...probeRows(pod),
]

function annotationRows({ workload, keys, config }: MeshPod): readonly NotEnforced[] {
  const base = `${workload.pod}/metadata/annotations`
  const written = readAt(workload, base)
  const annotations = isObject(written) ? written : {}
  const row = (key: string, rest: Pick<NotEnforced, 'value' | 'instead'>): NotEnforced => {
    const pointer = `${base}/${escapeToken(key)}`
    return { pointer, field: fieldPath(pointer), remedy: 'Remove the annotation', ...rest }
  }
  const [mode, size] = [annotations[keys.mtlsMode], annotations[keys.clientMaxBodySize]]
  const sizeOfMesh = jsonAt(config, '/clientMaxBodySize')
  // What the configuration asks for too is said there.
  const modes = ROWS.filter(({ pointer, asks }) => pointer === '/mtls/mode' && mode !== undefined && asks(mode))
  return [
    ...(mode === jsonAt(config, '/mtls/mode') ? [] : modes).map(({ instead }) =>
      row(keys.mtlsMode, { value: JSON.stringify(mode), instead: String(instead) }),
    ),
    ...(size !== undefined && sizeOfMesh !== undefined && size !== sizeOfMesh
      ? [row(keys.clientMaxBodySize, { value: JSON.stringify(size), instead: 'clientMaxBodySize of the mesh counts' })]
      : []),
  ]
}

/** Ports that are no HTTP by their names, as the names of the ports of Services say it. */
const tcpRows = ({ object, pointer }: Container, { plan: { view }, keys }: MeshPod): readonly NotEnforced[] =>
  listOf(object.ports).flatMap((port, index): readonly NotEnforced[] => {
    const name = isObject(port) && typeof port.name === 'string' ? port.name : ''
    const number = isObject(port) ? Number(port.containerPort) : Number.NaN
    if (!/^tcp(?:-|$)/.test(name) || view.ignoreIncoming.includes(number)) return []
    const at = `${pointer}/ports/${index}`
    return [
      {
        ...{ pointer: `${at}/name`, field: fieldPath(at), value: `TCP by its name ${JSON.stringify(name)}` },
        instead: 'what is no HTTP is answered with 400',
        remedy: `Name ${number} in the annotation ${keys.ignorePorts('incoming')}`,
      },
    ]
  })

/** Probes by HTTP, which injection sends to ports of the sidecar. */
const probeRows = ({ plan: { operations } }: MeshPod): readonly NotEnforced[] =>
  operations
    .filter(({ path }) => path.endsWith('/httpGet/path'))
    .map(({ path }) => {
      const pointer = parentPointer(path)
      return {
        ...{ pointer, field: fieldPath(parentPointer(pointer)), value: 'a probe by HTTP' },
        instead: 'nothing listens at the port of the sidecar to which injection sends it, so that it fails',
        remedy: 'Use exec in place of httpGet',
      }
    })
