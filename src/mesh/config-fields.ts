/**
 * The fields of the mesh's configuration: their types, the values of a new mesh, and which of them a patch may change.
 * Source: OpenAPI document and chart of NGINX Service Mesh 1.7.
 */
import type { Json, JsonObject } from '../json/member.ts'
import type { ApiNames } from '../kubernetes/api-groups.ts'
import { DESCRIPTIONS } from './config-descriptions.ts'

/** What a field holds. */
export type FieldType = {
  /** A noun: `true or false`. */
  readonly expected: string
  /** True for a list of strings; then `accepts` judges one item. */
  readonly isList?: true
  /** JSON Schema of a value, for documents about the API; of one item for a list. */
  readonly schema: JsonObject
  accepts(value: Json): boolean
}

/** One field. */
export type ConfigField = {
  /** JSON Pointer in the configuration. */
  readonly pointer: string
  readonly type: FieldType
  /** The value in a new mesh; undefined where a new mesh does not have the field, which is then optional. */
  readonly initial: Json | undefined
  readonly isPatchable: boolean
  /** What it means: a sentence or two. */
  readonly description: string
}

const boolean: FieldType = {
  expected: 'true or false',
  schema: { type: 'boolean' },
  accepts: (value) => typeof value === 'boolean',
}
const text: FieldType = {
  expected: 'a string',
  schema: { type: 'string' },
  accepts: (value) => typeof value === 'string',
}
const words = (...known: readonly string[]): FieldType => ({
  expected: `one of ${known.join(', ')}`,
  schema: { type: 'string', enum: [...known] },
  accepts: (value) => typeof value === 'string' && known.includes(value),
})
const pattern = (expected: string, regexp: RegExp): FieldType => ({
  expected,
  schema: { type: 'string', pattern: regexp.source },
  accepts: (value) => typeof value === 'string' && regexp.test(value),
})
const nonEmpty = pattern('a string that is not empty', /./s)
const ratio: FieldType = {
  expected: 'a number from 0 to 1',
  schema: { type: 'number', minimum: 0, maximum: 1 },
  accepts: (value) => typeof value === 'number' && value >= 0 && value <= 1,
}
const port: FieldType = {
  expected: 'a port from 1 to 65535',
  schema: { type: 'integer', minimum: 1, maximum: 65_535 },
  accepts: (value) => isPort(value),
}
const namespaces: FieldType = {
  ...pattern(
    'the name of a namespace: at most 63 lower-case letters, digits and hyphens',
    /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/,
  ),
  isList: true,
}
/** Whole hours from a day to 999999. */
const rootLifetime = pattern('hours from 24h to 999999h', /^(?:2[4-9]|[3-9]\d|[1-9]\d{2,5})h$/)

/** True for the number of a port. */
export const isPort = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65_535

/** The values of `mtls.mode`, which an annotation of a Pod may have too. */
export const MTLS_MODES = ['off', 'permissive', 'strict'] as const

/** What `clientMaxBodySize` accepts. Source: nginx directive client_max_body_size. */
export const BODY_SIZE = pattern('a size such as "1m" or "512k"', /^\d+[kKmMgG]?$/)

const LOAD_BALANCING = [
  ...['round_robin', 'least_conn', 'least_time', 'least_time last_byte', 'least_time last_byte inflight', 'random'],
  ...['random two', 'random two least_conn', 'random two least_time', 'random two least_time=last_byte'],
]

const PROXY_PORTS = {
  ...{ incoming: 8888, outgoing: 8889, incomingPermissive: 8890, incomingGrpc: 8891, outgoingGrpc: 8892 },
  ...{ incomingGrpcPermissive: 8893, outgoingDefaultEgress: 8894, redirectHealthPort: 8895 },
  ...{ redirectHealthPortHTTPS: 8896, metrics: 8887, plusApi: 8886, outgoingRedirect: 8900, incomingRedirect: 8901 },
  ...{ outgoingNotInKeyval: 8902, incomingNotInKeyval: 8903, incomingTcp: 8904, incomingTcpDeny: 8905 },
  ...{ outgoingTcp: 8906, incomingTcpPermissive: 8907, outgoingUdp: 8908, incomingUdp: 8909 },
}

/** The release that this follows. Where its images are is for the configuration to say. */
const RELEASE = '1.7.0'

type Row = readonly [path: string, type: FieldType, initial?: Json]

/** Fields that a patch may change. */
const PATCHABLE: readonly Row[] = [
  ['accessControlMode', words('allow', 'deny'), 'allow'],
  ['loadBalancingMethod', words(...LOAD_BALANCING), 'least_time'],
  ['nginxErrorLogLevel', words('debug', 'info', 'notice', 'warn', 'error', 'crit', 'alert', 'emerg'), 'warn'],
  ['nginxLogFormat', words('default', 'json'), 'default'],
  ['clientMaxBodySize', BODY_SIZE, '1m'],
  ['prometheusAddress', text, ''],
  ['isAutoInjectEnabled', boolean, true],
  ['enabledNamespaces', namespaces, []],
  ['injection.isAutoInjectEnabled', boolean, true],
  ['injection.enabledNamespaces', namespaces, []],
  ['injection.disabledNamespaces', namespaces, []],
  ['mtls.mode', words(...MTLS_MODES), 'permissive'],
  ['mtls.caTTL', rootLifetime, '720h'],
  ['mtls.svidTTL', pattern('hours or minutes such as "1h" or "30m"', /^[1-9]\d{0,5}[hm]$/), '1h'],
  ['mtls.caKeyType', words('ec-p256', 'ec-p384', 'rsa-2048', 'rsa-4096'), 'ec-p256'],
  ['telemetry.samplerRatio', ratio],
  ['telemetry.exporters.otlp.host', nonEmpty],
  ['telemetry.exporters.otlp.port', port],
  ['tracing.isEnabled', boolean],
  ['tracing.backend', words('zipkin', 'jaeger', 'datadog')],
  ['tracing.backendAddress', nonEmpty],
  ['tracing.sampleRate', ratio],
]

/** Fields that are set when the mesh is installed. */
const fixed = ({ meshName }: ApiNames): readonly Row[] => [
  ['environment', words('kubernetes', 'openshift'), 'kubernetes'],
  ['isUDPEnabled', boolean, false],
  ['trustDomain', nonEmpty, 'example.org'],
  ['registryKeyName', text, ''],
  ['namespace', nonEmpty, meshName],
  ['autoInjectorPort', port, 9443],
  ['api.address', text, `${meshName}-api.${meshName}.svc`],
  ['api.containerPort', port, 8443],
  ['api.port', port, 443],
  ['sidecarImage.image', nonEmpty, `${meshName}-sidecar:${RELEASE}`],
  ['sidecarImage.name', nonEmpty, `${meshName}-sidecar`],
  ['sidecarInitImage.image', nonEmpty, `${meshName}-init:${RELEASE}`],
  ['sidecarInitImage.name', nonEmpty, `${meshName}-init`],
  ...Object.entries(PROXY_PORTS).map(([name, number]): Row => [`proxy.ports.${name}`, port, number]),
  ['proxy.transparent', boolean, false],
]

const toFields = (rows: readonly Row[], isPatchable: boolean): readonly ConfigField[] =>
  rows.map(([path, type, initial]) => ({
    pointer: `/${path.replaceAll('.', '/')}`,
    type,
    initial,
    isPatchable,
    description: DESCRIPTIONS[path] ?? '',
  }))

/** Every field, in the order in which the configuration has them. */
export const configFields = (names: ApiNames): readonly ConfigField[] => [
  ...toFields(PATCHABLE, true),
  ...toFields(fixed(names), false),
]

/** Later releases have these fields twice; both copies are always equal. The second is the one that counts. */
export const COPIES: ReadonlyMap<string, string> = new Map(
  ['isAutoInjectEnabled', 'enabledNamespaces'].map((name) => [`/${name}`, `/injection/${name}`]),
)
