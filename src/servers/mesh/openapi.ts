/** The API as OpenAPI documents, of which an API server makes its own. */

import { isObject, type JsonObject } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { withValue } from '../../mesh/config.ts'
import { COPIES, configFields } from '../../mesh/config-fields.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { PORT_PARTS } from './inject-form.ts'
import { ALL_OPERATIONS, API_VERSION, basePath, type Operation, pathOf, TEXTS } from './operations.ts'

/** What this is, and how much one may rely on it. */
const infoOf = (version: string): JsonObject => ({
  title: 'Service mesh management API',
  version,
  description: 'This API is beta: its objects may change, and automation should not rely on it.',
})

/** `/openapi/v3`: where the document of the only version is. */
export function openApiIndex(names: ApiNames): JsonObject {
  const base = basePath(names)
  const hash = fingerprint(JSON.stringify(openApiV3(names, '')))
  return { paths: { [base.slice(1)]: { serverRelativeURL: `/openapi/v3${base}?hash=${hash}` } } }
}

/** OpenAPI 3.0. */
export const openApiV3 = (names: ApiNames, version: string): JsonObject => ({
  openapi: '3.0.0',
  info: infoOf(version),
  paths: pathsOf(names, (operation) => ({
    ...(operation.changesConfig ? { parameters: [{ ...DRY_RUN, schema: { type: 'string', enum: ['All'] } }] } : {}),
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
    ...(operation.takes ? { consumes: [operation.takes] } : {}),
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
    const path = pathOf(operation, names)
    const before = paths[path]
    const described = { operationId: `${id}${API_VERSION}`, summary, tags: [names.meshGroup], ...describe(operation) }
    paths = { ...paths, [path]: { ...(isObject(before) ? before : {}), [method]: described } }
  }
  return paths
}

/** Of operations that change the configuration. */
const DRY_RUN = {
  name: 'dryRun',
  in: 'query',
  description: 'with All, nothing is stored',
} as const

const FORM: JsonObject = {
  type: 'object',
  required: ['file'],
  properties: {
    file: { type: 'string', format: 'binary' },
    ...Object.fromEntries(PORT_PARTS.map((name) => [name, TEXTS])),
  },
}

const bodyOf = ({ takes = 'application/json' }: Operation, to: string): JsonObject => ({
  [takes]: { schema: takes === 'multipart/form-data' ? FORM : { $ref: `${to}MeshPatch` } },
})

function parametersOf(operation: Operation): readonly JsonObject[] {
  const query = operation.changesConfig ? [{ ...DRY_RUN, type: 'string', enum: ['All'] }] : []
  const { takes } = operation
  if (takes === undefined) return query
  if (takes === 'application/json')
    // OpenAPI 2.0 cannot say that a body is an object or a list.
    return [{ name: 'body', in: 'body', required: true, schema: {} }, ...query]
  const ports = PORT_PARTS.map((name) => ({ name, in: 'formData', ...TEXTS, collectionFormat: 'multi' }))
  return [{ name: 'file', in: 'formData', type: 'file', required: true }, ...ports]
}

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
  return { MeshConfig: configSchema(names, false), MeshOperation: operation, ...patch }
}

/** The fields of the configuration, or those that a patch may change. */
function configSchema(names: ApiNames, isPatch: boolean): JsonObject {
  let root: JsonObject = { type: 'object' }
  for (const { pointer, type, isPatchable, initial } of configFields(names)) {
    if (isPatch && !isPatchable) continue
    const items = type.isList ? { type: 'array', items: type.schema } : type.schema
    const shown = isPatch || initial === undefined || COPIES.has(pointer) ? items : { ...items, default: initial }
    const [name = '', ...inner] = pointer.split('/').reverse()
    const parents = inner.reverse().slice(1)
    let at = ''
    for (const parent of parents) {
      at += `/properties/${parent}`
      root = withValue(root, `${at}/type`, 'object')
    }
    root = withValue(root, `${at}/properties/${name}`, shown)
  }
  return root
}
