/** The fields of a RateLimitPolicy by their place, and what may be written there. Pure. */
import type { Path } from './manifest-places.ts'

/** What of the CRD's schema is used. */
export type FieldSchema = {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly properties?: Readonly<Record<string, FieldSchema>>
  readonly items?: FieldSchema
}

/** Something that may be written. */
export type Proposal = {
  /** What is written. */
  readonly text: string
  /** What it is, in a few words. */
  readonly detail: string
  /** Whole sentences; empty where there are none. */
  readonly info: string
}

const METADATA: FieldSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Name of the object, unique among those of its kind in the namespace.' },
    namespace: { type: 'string', description: 'Namespace of the object.' },
    labels: { type: 'object', description: 'Labels of the object.' },
    annotations: { type: 'object', description: 'Annotations of the object.' },
  },
}

/** The field at a path; undefined where the schema has none. */
export function fieldAt(schema: FieldSchema, path: Path): FieldSchema | undefined {
  if (path[0] === 'metadata') return walk(METADATA, path.slice(1))
  return walk(schema, path)
}

const walk = (schema: FieldSchema, path: Path): FieldSchema | undefined =>
  path.reduce<FieldSchema | undefined>(
    (at, part) => (typeof part === 'number' ? at?.items : at?.properties?.[part]),
    schema,
  )

/** What values a field takes, in a few words: `info, notice, warn or error`, `integer from 400 to 599`. */
export function valuesOf({ type = '', enum: words, minimum, maximum }: FieldSchema): string {
  if (words) return words.length === 1 ? `always ${words[0]}` : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
  const from = minimum === undefined ? '' : ` from ${minimum}`
  return `${type}${from}${maximum === undefined ? '' : ` to ${maximum}`}`
}

/** One line of block style. */
type Line = {
  /** The column of its dash, or of its content where it has none. */
  readonly indent: number
  /** How wide the dash is with the spaces behind it; undefined without a dash. */
  readonly dash: number | undefined
  readonly key: string | undefined
  /** What is behind the key, or all of it. */
  readonly written: string
}

function readLine(line: string): Line {
  const [, spaces = '', dash, content = ''] = /^( *)(- +|-$)?(.*)/.exec(line) ?? []
  const [whole = '', key] = /^["']?([\w.-]+)["']?:(?= |$)/.exec(content) ?? []
  return { indent: spaces.length, dash: dash?.length, key, written: content.slice(whole.length).trimStart() }
}

/** Where a line of block style stands. */
export type BlockPlace = {
  /** The way to the mapping that the line is a member of. */
  readonly path: Path
  /** The key before the value that is being written; undefined where a key is being written. */
  readonly key: string | undefined
  /** What is written of it up to the cursor. */
  readonly written: string
}

/** The place of a cursor behind some lines of block style, by their indentation: also of what cannot be parsed yet. */
export function blockPlace(before: string): BlockPlace {
  const document = before.slice(before.lastIndexOf('\n---') + 1)
  const lines = document.split('\n').reverse()
  const { indent, dash, key, written } = readLine(lines[0] ?? '')
  const innermost: Level = { column: indent, isItem: dash !== undefined, path: dash === undefined ? [] : [0] }
  return { path: lines.slice(1).reduce(outerLevel, innermost).path, key, written }
}

/** A mapping or an item of a list, by the column in which its members or dashes are. */
type Level = { readonly column: number; readonly isItem: boolean; readonly path: Path }

/** The level around one, as far as a line above it says. */
function outerLevel(level: Level, line: string): Level {
  const { indent, dash, key } = readLine(line)
  const column = indent + (dash ?? 0)
  const isAround = level.isItem ? dash === undefined && column <= level.column : column < level.column
  const isParent = key !== undefined && isAround
  const isFirstMember = !level.isItem && dash !== undefined && column === level.column
  if (!isParent && !isFirstMember) return level
  const path = isParent ? [key, ...level.path] : level.path
  return dash === undefined ? { column, isItem: false, path } : { column: indent, isItem: true, path: [0, ...path] }
}

const KINDS: readonly Proposal[] = [
  { text: 'RateLimitPolicy', detail: 'gateway.nginx.org/v1alpha1', info: '' },
  { text: 'Gateway', detail: 'gateway.networking.k8s.io/v1', info: '' },
  { text: 'HTTPRoute', detail: 'gateway.networking.k8s.io/v1', info: '' },
  { text: 'GRPCRoute', detail: 'gateway.networking.k8s.io/v1', info: '' },
]

const API_VERSIONS: readonly Proposal[] = [...new Set(KINDS.map(({ detail }) => detail))].map((text) => ({
  text,
  detail: KINDS.filter(({ detail }) => detail === text)
    .map((kind) => kind.text)
    .join(', '),
  info: '',
}))

/** Variables that are useful in a key. Source: nginx, ngx_http_core_module. */
const VARIABLES: readonly Proposal[] = [
  { text: '$binary_remote_addr', detail: 'each client', info: 'The address of the client in 4 or 16 bytes.' },
  { text: '$remote_addr', detail: 'each client', info: 'The address of the client as text: it takes more memory.' },
  { text: '$host', detail: 'each host', info: 'The host of the request, in lower case.' },
  { text: '$server_name', detail: 'each server', info: 'The name of the server that takes the request.' },
  { text: '$uri', detail: 'each path', info: 'The path of the request, normalized, without its arguments.' },
  { text: '$request_uri', detail: 'each address', info: 'The path with the arguments, as the client wrote them.' },
  { text: '$request_method', detail: 'each method', info: 'GET, POST and so on.' },
  { text: '$remote_user', detail: 'each user', info: 'The name in Basic authentication; empty without it.' },
  { text: '$http_x_api_key', detail: 'each value of a header', info: 'The header X-Api-Key; empty without it.' },
  { text: '$cookie_session', detail: 'each value of a cookie', info: 'The cookie "session"; empty without it.' },
  { text: '$arg_key', detail: 'each value of an argument', info: 'The argument "key"; empty without it.' },
]

/** What may be written at a place of a RateLimitPolicy. */
export function proposals(schema: FieldSchema, { path, key }: BlockPlace): readonly Proposal[] {
  if (key !== undefined) return valuesAt(schema, [...path, key])
  return Object.entries(fieldAt(schema, path)?.properties ?? {}).map(([name, field]) => ({
    text: `${name}:${field.properties || field.items ? '' : ' '}`,
    detail: valuesOf(field),
    info: field.description ?? '',
  }))
}

function valuesAt(schema: FieldSchema, path: Path): readonly Proposal[] {
  const name = path.join('/')
  if (name === 'kind') return KINDS
  if (name === 'apiVersion') return API_VERSIONS
  const field = fieldAt(schema, path)
  if (!field) return []
  if (/\/rules\/0\/key$/.test(name)) return VARIABLES
  const words = field.enum ?? (field.type === 'boolean' ? ['true', 'false'] : [])
  return words.map((text) => ({ text, detail: '', info: '' }))
}
