/** The OpenAPI 3.1 document of the management API, made of the table of operations. The server validates against it. */
import { IF_NONE_MATCH_OF_READS, JSON_PATCH, type Operation, PATCH_TYPES, PATH_PARAMETERS } from './operation.ts'
import { DESCRIBED } from './operations.ts'
import { SCHEMAS, type Schema } from './schemas.ts'

const PROBLEM = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }

/** What can be wrong with any request. */
const ALWAYS: Readonly<Record<number, string>> = {
  400: 'The request is not accepted: errors says why.',
  401: 'The user is unknown.',
  403: 'The user may not do this.',
  429: 'Too many wrong passwords.',
  500: 'A fault in sluice.',
  503: 'Too much at once, or the store cannot be written.',
}

const PROBLEMS: Readonly<Record<number, string>> = {
  404: 'There is no such thing.',
  409: 'It is in conflict with what is there.',
  412: 'It was changed meanwhile.',
  422: 'The Idempotency-Key was used for another request.',
  428: 'The workspace demands If-Match.',
  413: 'The body is too large.',
  415: 'The body is not JSON, or not a patch: Accept-Patch has the types.',
  507: 'No space is left for the store.',
}

/** What a change can also run into. */
const OF_CHANGES = [413, 415, 507]

const HEADERS: Readonly<Record<string, string>> = {
  ETag: 'The version, for If-Match, and what is shown of it, for If-None-Match.',
  Location: 'Where it can be read.',
  'Set-Cookie': 'The cookie of the session: HttpOnly, Secure, SameSite=Strict.',
}

const text = { schema: { type: 'string' } }

function responsesOf({ success, problems, method, body }: Operation): Schema {
  const statuses = [...problems, ...(method === 'get' ? [] : [507]), ...(body.length > 0 ? OF_CHANGES : [])]
  const described = { ...ALWAYS, ...Object.fromEntries(statuses.map((status) => [status, PROBLEMS[status]])) }
  const failures = Object.entries(described).map(([status, description]) => [status, { description, content: PROBLEM }])
  const successes = Object.entries(success).map(([status, { description, schema, type, headers = [] }]) => [
    status,
    {
      description,
      ...(headers.length > 0
        ? { headers: Object.fromEntries(headers.map((name) => [name, { description: HEADERS[name], ...text }])) }
        : {}),
      ...(schema ? { content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } } } : {}),
      ...(type ? { content: { [type]: text } } : {}),
    },
  ])
  const known = isConditional(method, success) ? [['304', { description: 'It has a tag of If-None-Match.' }]] : []
  return Object.fromEntries([...successes, ...known, ...failures])
}

/** True for a read that has an entity tag. */
const isConditional = (method: Operation['method'], success: Operation['success']): boolean =>
  method === 'get' && (success[200]?.headers ?? []).includes('ETag')

/** What a body must be. */
const bodySchema = (names: readonly string[]): Schema => {
  const refs = names.map((name) => ({ $ref: `#/components/schemas/${name}` }))
  return refs.length === 1 ? (refs[0] ?? {}) : { anyOf: refs }
}

const contentOf = (method: Operation['method'], body: readonly string[]): Schema =>
  method === 'patch'
    ? Object.fromEntries(
        PATCH_TYPES.map((type) => [type, { schema: bodySchema([type === JSON_PATCH ? 'JsonPatch' : 'MergePatch']) }]),
      )
    : { 'application/json': { schema: bodySchema(body) } }

/** The names in the braces of a path. */
const pathNames = (path: string): readonly string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

function operationObject(operation: Operation): Schema {
  const { id, summary, path, method, parameters, body, needs, success } = operation
  const inPath = pathNames(path).map((name) => ({ name, in: 'path', required: true, schema: PATH_PARAMETERS[name] }))
  const all = isConditional(method, success) ? [...parameters, IF_NONE_MATCH_OF_READS] : parameters
  return {
    operationId: id,
    summary,
    ...(needs === 'nothing' ? { security: [] } : {}),
    parameters: [...inPath, ...all.map((parameter) => ({ ...parameter, required: false }))],
    ...(body.length > 0 ? { requestBody: { required: true, content: contentOf(method, body) } } : {}),
    responses: responsesOf(operation),
  }
}

const SECURITY = {
  basic: { type: 'http', scheme: 'basic', description: 'A user of this server.' },
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Where the server takes tokens.' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-sluice-session',
    description:
      'Of POST /session; without the prefix __Host- over plain HTTP. Changes need the header x-csrf-token, too.',
  },
}

/** Describes the API for a server with this version and base path. */
export function openApiDocument({
  version,
  basePath,
}: {
  readonly version: string
  readonly basePath: string
}): Schema {
  const paths: Record<string, Record<string, Schema>> = {}
  for (const operation of DESCRIBED) {
    const operations = paths[operation.path] ?? {}
    operations[operation.method] = operationObject(operation)
    paths[operation.path] = operations
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'sluice: management of API proxies and their rate limit policies',
      version,
      description: 'A change is stored when it is answered; the status of a proxy says when it is in force.',
    },
    servers: [{ url: basePath === '' ? '/' : basePath }],
    paths,
    // Either.
    security: Object.keys(SECURITY).map((name) => ({ [name]: [] })),
    components: { schemas: SCHEMAS, securitySchemes: SECURITY },
  }
}
