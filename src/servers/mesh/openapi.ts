/** The API as OpenAPI documents, of which an API server makes its own. */

import { isObject, type JsonObject } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { withValue } from '../../mesh/config.ts'
import { DESCRIPTIONS } from '../../mesh/config-descriptions.ts'
import { COPIES, configFields } from '../../mesh/config-fields.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { PORT_PARTS } from './inject-form.ts'
import { ALL_OPERATIONS, API_VERSION, basePath, OBJECT_PATCHES, type Operation, pathOf, TEXTS } from './operations.ts'

/** What this is, and how much one may rely on it. */
const infoOf = (version: string): JsonObject => ({
  title: 'Service mesh management API',
  version,
  description: 'This API is beta: its objects may change, and automation should not rely on it.',
})

/** `/openapi/v3`: where the document of the only version is. */
export function openApiIndex(names: ApiNames, v3: JsonObject): JsonObject {
  const base = basePath(names)
  const hash = fingerprint(JSON.stringify(v3))
  return { paths: { [base.slice(1)]: { serverRelativeURL: `/openapi/v3${base}?hash=${hash}` } } }
}

/** OpenAPI 3.0. */
export const openApiV3 = (names: ApiNames, version: string): JsonObject => ({
  openapi: '3.0.0',
  info: infoOf(version),
  paths: pathsOf(names, (operation) => ({
    ...kindOf(operation, names),
    parameters: [
      ...queryParameters(operation).map(({ type, enum: values, ...one }) => ({
        ...one,
        schema: { type, ...(values ? { enum: values } : {}) },
      })),
      ...(operation.isOfObject ? [{ ...PATH_NAME, schema: { type: 'string' } }] : []),
    ],
    ...(operation.takes
      ? { requestBody: { required: true, content: bodyOf(operation, '#/components/schemas/') } }
      : {}),
    responses: {
      200: {
        description: 'OK',
        content: { [operation.gives]: { schema: operation.result('#/components/schemas/') } },
      },
      default: { description: 'an error', content: { 'application/json': { schema: ERROR } } },
    },
  })),
  components: { schemas: schemasOf(names, '#/components/schemas/') },
})

/** OpenAPI 2.0, which kubectl and older API servers read. */
export const openApiV2 = (names: ApiNames, version: string): JsonObject => ({
  swagger: '2.0',
  info: infoOf(version),
  paths: pathsOf(names, (operation) => ({
    ...kindOf(operation, names),
    ...(operation.takes ? { consumes: operation.takes } : {}),
    produces: [operation.gives],
    parameters: parametersOf(operation),
    responses: {
      200: { description: 'OK', schema: operation.result('#/definitions/') },
      default: { description: 'an error', schema: ERROR },
    },
  })),
  definitions: schemasOf(names, '#/definitions/'),
})

function pathsOf(names: ApiNames, describe: (operation: Operation) => JsonObject): JsonObject {
  let paths: JsonObject = {}
  for (const operation of ALL_OPERATIONS) {
    const { id, method, summary } = operation
    const path = pathOf(operation, names, '{name}')
    const before = paths[path]
    const described = { operationId: `${id}${API_VERSION}`, summary, tags: [names.meshGroup], ...describe(operation) }
    paths = { ...paths, [path]: { ...(isObject(before) ? before : {}), [method]: described } }
  }
  return paths
}

/** What an operation is about, by which kubectl finds what it takes. Source: Kubernetes, OpenAPI extensions. */
function kindOf({ resource, isOfObject, method }: Operation, names: ApiNames): JsonObject {
  const listed = ALL_OPERATIONS.find((one) => one.resource === resource && one.listed)?.listed
  if (!listed) return {}
  const action = isOfObject ? method : (ACTIONS[method] ?? method)
  return { 'x-kubernetes-action': action, 'x-kubernetes-group-version-kind': gvk(listed.kind, names) }
}

const ACTIONS: Readonly<Record<string, string>> = { get: 'list', post: 'post' }

const gvk = (kind: string, { meshGroup }: ApiNames): JsonObject => ({ group: meshGroup, version: API_VERSION, kind })

type QueryParameter = {
  readonly name: string
  readonly in: 'query'
  readonly description: string
  readonly type: 'string' | 'integer' | 'boolean'
  readonly enum?: readonly string[]
}

const inQuery = (
  name: string,
  type: QueryParameter['type'],
  description: string,
  values?: readonly string[],
): QueryParameter => ({ name, in: 'query', description, type, ...(values ? { enum: values } : {}) })

/** The options of an operation in its query. */
function queryParameters({ id, isOfObject, changesConfig, listed }: Operation): readonly QueryParameter[] {
  if (id === 'clear')
    return [
      DRY_RUN,
      inQuery('undo', 'boolean', 'take it back'),
      inQuery('force', 'boolean', 'undo: whatever came since'),
    ]
  if (isOfObject && changesConfig) return [DRY_RUN, ...PATCH_OPTIONS]
  if (changesConfig) return [DRY_RUN]
  return listed && id !== 'inject' ? [inQuery('limit', 'integer', 'with it, the response is a list of Kubernetes')] : []
}

const DRY_RUN = inQuery('dryRun', 'string', 'with All, nothing is stored', ['All'])

const PATCH_OPTIONS: readonly QueryParameter[] = [
  inQuery('fieldManager', 'string', 'who changes it; not kept'),
  inQuery('fieldValidation', 'string', 'what becomes of unknown fields; default: Warn', ['Strict', 'Warn', 'Ignore']),
]

const FORM: JsonObject = {
  type: 'object',
  required: ['file'],
  properties: {
    file: { type: 'string', format: 'binary' },
    ...Object.fromEntries(PORT_PARTS.map((name) => [name, TEXTS])),
  },
}

function bodyOf({ takes = [], isOfObject }: Operation, to: string): JsonObject {
  const schemaOf = (type: string): JsonObject => {
    if (type === 'multipart/form-data') return FORM
    return isOfObject
      ? type === OBJECT_PATCHES.json
        ? { type: 'array', items: { type: 'object' } }
        : { type: 'object' }
      : { $ref: `${to}MeshPatch` }
  }
  return Object.fromEntries(takes.map((type) => [type, { schema: schemaOf(type) }]))
}

function parametersOf(operation: Operation): readonly JsonObject[] {
  const query = [...queryParameters(operation), ...(operation.isOfObject ? [{ ...PATH_NAME, type: 'string' }] : [])]
  const { takes } = operation
  if (takes === undefined) return query
  if (!takes.includes('multipart/form-data'))
    // OpenAPI 2.0 cannot say that a body is an object or a list.
    return [{ name: 'body', in: 'body', required: true, schema: {} }, ...query]
  const ports = PORT_PARTS.map((name) => ({ name, in: 'formData', ...TEXTS, collectionFormat: 'multi' }))
  return [{ name: 'file', in: 'formData', type: 'file', required: true }, ...ports]
}

const PATH_NAME = { name: 'name', in: 'path', required: true, description: 'the name of the object' } as const

const ERROR: JsonObject = {
  type: 'object',
  required: ['message', 'code'],
  properties: {
    message: { type: 'string' },
    code: { type: 'integer' },
    details: { type: 'array', items: { type: 'object', properties: { description: { type: 'string' } } } },
  },
}

function schemasOf(names: ApiNames, to: string): JsonObject {
  const operation = {
    type: 'object',
    required: ['op', 'field'],
    additionalProperties: false,
    properties: {
      op: { type: 'string', enum: ['add', 'remove', 'replace'] },
      field: { ...configSchema(names, true), minProperties: 1, description: 'the fields to change' },
    },
  }
  const list = { type: 'array', minItems: 1, items: { $ref: `${to}MeshOperation` } }
  const patch = to.startsWith('#/components') ? { MeshPatch: { oneOf: [{ $ref: `${to}MeshOperation` }, list] } } : {}
  const config = {
    ...ofObject('MeshConfig', names),
    description: CONFIG_IS,
    ...objectSchema(configSchema(names, false)),
  }
  const service = { ...ofObject('MeshService', names), ...objectSchema(SERVICE) }
  return { MeshConfig: config, MeshService: service, MeshOperation: operation, ...patch }
}

const CONFIG_IS = 'The configuration of the service mesh. There is one, with the name "mesh".'

const ofObject = (kind: string, names: ApiNames): JsonObject => ({
  type: 'object',
  'x-kubernetes-group-version-kind': [gvk(kind, names)],
})

/** A schema with what every object has. The bare form, without these members, fits it as well. */
const objectSchema = ({ properties, ...schema }: JsonObject): JsonObject => ({
  ...schema,
  properties: { ...OBJECT_FIELDS, ...(isObject(properties) ? properties : {}) },
})

const OBJECT_FIELDS: JsonObject = {
  apiVersion: { type: 'string', description: 'The group and version of this API.' },
  kind: { type: 'string', description: 'The kind of the object.' },
  metadata: {
    type: 'object',
    description: 'What identifies the object. Labels and annotations are not kept.',
    properties: {
      name: { type: 'string', description: 'The name of the object.' },
      resourceVersion: {
        type: 'string',
        description: 'The version of the object: a patch that names another one is refused with 409.',
      },
    },
  },
}

const SERVICE: JsonObject = {
  type: 'object',
  description: 'A Service whose Pods carry the sidecar. The name of the object is NAME.NAMESPACE.',
  properties: {
    name: { type: 'string', description: 'The name of the Service.' },
    namespace: { type: 'string', description: 'The namespace of the Service.' },
    serviceIP: { type: 'string', description: 'The address of the Service; None for a headless one.' },
    addresses: { ...TEXTS, description: 'The addresses of its Pods with the sidecar.' },
    ports: {
      type: 'array',
      description: 'The ports of the Service.',
      items: {
        type: 'object',
        properties: {
          port: { type: 'integer', description: 'The number of the port.' },
          protocol: { type: 'string', description: 'http, grpc, tcp or udp, by the name of the port.' },
        },
      },
    },
  },
}

/** The fields of the configuration, or those that a patch may change. */
function configSchema(names: ApiNames, isPatch: boolean): JsonObject {
  let root: JsonObject = { type: 'object' }
  for (const { pointer, type, isPatchable, initial, description } of configFields(names)) {
    if (isPatch && !isPatchable) continue
    const items = { description, ...(type.isList ? { type: 'array', items: type.schema } : type.schema) }
    const shown = isPatch || initial === undefined || COPIES.has(pointer) ? items : { ...items, default: initial }
    const [name = '', ...inner] = pointer.split('/').reverse()
    const parents = inner.reverse().slice(1)
    let at = ''
    for (const parent of parents) {
      at += `/properties/${parent}`
      root = withValue(root, `${at}/type`, 'object')
      const about = DESCRIPTIONS[at.replaceAll('/properties/', '.').slice(1)]
      if (about !== undefined) root = withValue(root, `${at}/description`, about)
    }
    root = withValue(root, `${at}/properties/${name}`, shown)
  }
  return root
}
