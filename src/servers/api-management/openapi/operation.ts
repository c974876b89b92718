/** What an operation of the API is, and what several have in common: parameters and responses. */
import type { Need } from '../access/access.ts'
import { HOSTNAME, NAME, type Schema, VERSION } from './schemas.ts'

/** A parameter. */
type Parameter = {
  readonly name: string
  readonly in: 'query' | 'header'
  readonly description: string
  readonly schema: Schema
}

type Success = {
  readonly description: string
  /** The name of the schema of its JSON. */
  readonly schema?: string
  /** Where it is no JSON. */
  readonly type?: string
  readonly headers?: readonly string[]
}

/** One operation. */
export type Operation = {
  readonly id: string
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** As OpenAPI writes it: `/services/workspaces/{workspace}`. */
  readonly path: string
  readonly summary: string
  /** What the user must be allowed to, in the workspace of the path where there is one. */
  readonly needs: Need
  /** True where people alone may: no token of this server. */
  readonly ofPeople?: true
  readonly parameters: readonly Parameter[]
  /** Names of the schemas of which the body, of `patch` what it makes, must meet one; none: there is no body. */
  readonly body: readonly string[]
  readonly success: Readonly<Record<number, Success>>
  /** Statuses of its problems, beside those that every operation has. */
  readonly problems: readonly number[]
  /** True where it writes its response itself: a stream, or a text. Default: it is planned, and its changes are committed. */
  readonly direct?: true
  /** Its name in metrics; default: its id. `none`: it is not described, as it is part of the description. */
  readonly counted?: string
}

/** The media types of patches. */
export const JSON_PATCH = 'application/json-patch+json'
export const PATCH_TYPES = ['application/merge-patch+json', JSON_PATCH]

export const query = (name: string, schema: Schema, description: string): Parameter => ({
  name,
  in: 'query',
  schema,
  description,
})
export const header = (name: string, schema: Schema, description: string): Parameter => ({
  name,
  in: 'header',
  schema,
  description,
})

export const IF_MATCH = header('If-Match', { type: 'string' }, 'The ETag of the version that is changed.')
export const IF_NONE_MATCH = header('If-None-Match', { type: 'string' }, '"*": only where there is nothing yet.')
export const IF_NONE_MATCH_OF_READS = header(
  'If-None-Match',
  { type: 'string' },
  'ETags of what you have: where it is one of them, 304 without a body.',
)
/** The name of a header. */
export const IDEMPOTENCY_KEY = 'Idempotency-Key'
export const IDEMPOTENCY = header(
  IDEMPOTENCY_KEY,
  { type: 'string', minLength: 1, maxLength: 255 },
  'A repeated request with the same key, within a day, changes nothing and gets the same response.',
)
export const DRY_RUN = query('dryRun', { type: 'boolean', default: false }, 'Judge, but store nothing: 200.')
const PAGES = [
  query('page', { type: 'integer', minimum: 1, maximum: 1_000_000, default: 1 }, 'Number of the page.'),
  query('pageSize', { type: 'integer', minimum: 1, maximum: 100, default: 20 }, 'Items of a page.'),
]
const TOKEN = query('pageToken', { type: 'string' }, 'The nextPageToken of the page before, instead of page.')
/** Other names of `pageSize` and `pageToken`. */
const LIMITED = [
  query('limit', { type: 'integer', minimum: 1, maximum: 100, default: 20 }, 'The same as pageSize.'),
  query('after', { type: 'string' }, 'The same as pageToken.'),
]
/** What every list has. */
const PAGED = [...PAGES, TOKEN, ...LIMITED]
/** For lists with an order of their own. */
export const IN_ORDER = PAGED.slice(1)
const filter = (what: string): Schema => ({ type: 'string', pattern: `^[${what}]{1,255}$` })
const BY_NAME = query(
  'name',
  filter('A-Za-z0-9._*-'),
  'Only those of this name; "*" stands for any characters, and then case does not matter.',
)
const sortedBy = (columns: readonly string[]) =>
  query('sort', { enum: columns.flatMap((one) => [one, `-${one}`]), default: columns[0] }, '"-": from the last one.')
/** For lists of what has a name. */
export const NAMED_LIST = [...PAGED, BY_NAME, sortedBy(['name'])]
/** For a list that is short. */
export const SHORT_LIST = [
  query('limit', { type: 'integer', minimum: 1, maximum: 100 }, 'Items of a page; default: all.'),
  query('after', { type: 'string' }, 'The nextPageToken of the page before.'),
  ...NAMED_LIST.slice(PAGED.length),
]
/** The states of a proxy. */
export const STATES = ['CONFIGURING', 'SUCCESS', 'FAILED'] as const
/** By what proxies are sorted. */
export const SORTS = ['name', 'hostname', 'version', 'environment', 'state'] as const
export const PROXY_LIST = [
  ...PAGED,
  BY_NAME,
  query(
    'hostname',
    { anyOf: [filter('A-Za-z0-9.*-'), { const: '' }] },
    'Only those of this hostname, with "*" as for name; empty: those without one.',
  ),
  query('version', VERSION, 'Only those of this version.'),
  query('environment', NAME, 'Only those of this environment.'),
  query('state', { enum: STATES }, 'Only those in this state.'),
  sortedBy(SORTS),
]
export const WHICH = [
  query('hostname', { anyOf: [HOSTNAME, { const: '' }] }, 'Its hostname; empty: the one without.'),
  query('version', VERSION, 'Its version.'),
]

export const shown = (schema: string, description = 'What was asked for.'): Operation['success'] => ({
  200: { description, schema, headers: ['ETag'] },
})
export const made = (schema: string): Operation['success'] => ({
  201: { description: 'It was created.', schema, headers: ['Location', 'ETag'] },
})
export const REMOVED: Operation['success'] = { 204: { description: 'It was deleted.' } }
export const ACCEPTED: Operation['success'] = {
  200: { description: 'With dryRun: what would be stored.', schema: 'Proxy' },
  202: { description: 'Stored; status says when it is in force.', schema: 'Proxy', headers: ['Location', 'ETag'] },
}

export const DRY_ENVIRONMENT = shown('Environment', 'With dryRun: what would be stored; or it was changed.')

/** What path parameters are; those of names are checked by what is there: any other name is not found. */
export const PATH_PARAMETERS: Readonly<Record<string, Schema>> = {
  workspace: NAME,
  proxy: NAME,
  environment: NAME,
  user: NAME,
  token: NAME,
  revision: { type: 'integer', minimum: 1 },
}
