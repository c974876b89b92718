/**
 * The fields of a body: the one place that says which there are, with type, bounds, default and meaning. The shape that lint
 * checks, the stored form, the OpenAPI document, the form of the page and the tests of bounds are made of it. Plain data that
 * imports nothing. Source: specification of the API management rate limit policy, "Resources and their fields", "Endpoints";
 * API Connectivity Manager, "Publish an API Proxy", "API Key Authentication".
 */

/** Where a field has no effect, with the reason. */
type Without = {
  readonly view?: string
  readonly openApi?: string
  readonly page?: string
  readonly nginx?: string
}

type Common = {
  /** A sentence: what it means. */
  readonly description: string
  /** True where the object cannot do without it. */
  readonly isRequired?: true
  /** True for what is accepted, and no longer offered. */
  readonly isDeprecated?: true
  readonly without?: Without
  /** Who says what is wrong with it and with what is in it, where both do; else the document. */
  readonly saidBy?: 'publication'
}

/** What applies where a field is absent; `isStored`: the stored form has it written out. */
type Default<Value> =
  | { readonly default?: Value; readonly isStored?: never }
  | { readonly default: Value; readonly isStored: true }

/** Good values with different meanings: two of them, unless there is only one. */
type Examples<Value> = readonly [Value, ...Value[]]

export type IntegerField = Common &
  Default<number> & {
    readonly type: 'integer'
    readonly minimum: number
    readonly maximum: number
    readonly examples: Examples<number>
  }

type StringField = Common &
  Default<string> & {
    readonly type: 'string'
    readonly enum?: readonly string[]
    /** True for what is never shown to anybody. */
    readonly isSecret?: true
    /** True where the case of a word does not matter. */
    readonly isAnyCase?: true
    /** As JSON Schema has it. Where only a reader can decide, the pattern accepts more than it: `render/forms.ts`. */
    readonly pattern?: string
    readonly minLength?: number
    readonly maxLength?: number
    readonly examples: Examples<string>
  }

type BooleanField = Common & Default<boolean> & { readonly type: 'boolean' }
export type ObjectField = Common & {
  readonly isStored?: never
  readonly type: 'object'
  readonly fields: Fields
  /** True where a field that is not declared is an error; elsewhere it is kept, and without effect. */
  readonly isClosed?: true
}
type ListField = Common & {
  readonly isStored?: never
  readonly type: 'list'
  readonly items: Field
  readonly minItems?: number
}
/** `any`: kept as it is. */
export type AnyField = Common & { readonly isStored?: never; readonly type: 'any' }

/** A field with a value of its own. */
export type ValueField = IntegerField | StringField | BooleanField
/** One field. */
export type Field = ValueField | ObjectField | ListField | AnyField
/** The fields of an object, in the order in which they are named to people. */
export type Fields = { readonly [name: string]: Field }

const IN_JSON = 'The page changes it in the tab JSON.'

/** The statuses that `limit_req_status` takes. */
const STATUS = { type: 'integer', minimum: 400, maximum: 599, default: 429, examples: [429, 503] } as const
/** A count of requests; the largest is `LARGEST_COUNT` of nginx/rejections.ts. */
const COUNT = { type: 'integer', minimum: 1, maximum: 2_147_483_647 } as const
const NAME = { type: 'string', minLength: 1, pattern: '^[A-Za-z0-9](?:[A-Za-z0-9._\\-]*[A-Za-z0-9])?$' } as const

/** What happens to requests above the rate. */
export const THROTTLE = {
  burst: { ...COUNT, examples: [20, 10], description: 'Requests above the limit that are not rejected.' },
  delay: { ...COUNT, examples: [5, 2], description: 'So many of the burst pass at once; the others wait.' },
  noDelay: { type: 'boolean', default: false, description: 'True: all requests of the burst pass at once.' },
} as const satisfies Fields

/** One limit of a policy. */
export const LIMIT = {
  rate: {
    type: 'string',
    pattern: '^0*[1-9][0-9]*r/s$',
    default: '10r/s',
    isStored: true,
    examples: ['10r/s', '25r/s'],
    description: 'Requests per second.',
  },
  rateLimitBy: {
    type: 'string',
    enum: ['uri', 'consumer', 'client.ip'],
    default: 'client.ip',
    isStored: true,
    examples: ['client.ip', 'uri'],
    description: 'What requests are counted by: path, authenticated client, or address.',
  },
  zoneSize: {
    type: 'string',
    pattern: '^0*[1-9][0-9]*M$',
    default: '10M',
    isStored: true,
    examples: ['10M', '12M'],
    description: 'Shared memory that has the state of all keys.',
  },
  throttle: {
    type: 'object',
    isClosed: true,
    fields: THROTTLE,
    description: 'What happens to requests above the rate.',
  },
} as const satisfies Fields

/** What a policy does. */
export const ACTION = {
  returnCode: { ...STATUS, isStored: true, description: 'The status of a rejected request.' },
  grpcStatusCode: { ...STATUS, description: 'A status of HTTP, not one of gRPC.' },
  limits: {
    type: 'list',
    isRequired: true,
    minItems: 1,
    items: { type: 'object', isClosed: true, fields: LIMIT, description: 'One limit.' },
    description: 'The limits: a request has to satisfy all of them.',
  },
  dryRun: {
    type: 'boolean',
    default: false,
    description: 'True: its limits only count, and reject and delay nothing.',
  },
  rateLimitHeaders: {
    type: 'boolean',
    default: false,
    description: 'True: a rejected client gets Retry-After, RateLimit-Policy and RateLimit.',
  },
  throttle: {
    type: 'object',
    isClosed: true,
    isDeprecated: true,
    fields: THROTTLE,
    description: 'For every limit that has none.',
  },
} as const satisfies Fields

const CHOSEN = 'The page chooses it by what the policy is added to.'
const ALL_REQUESTS = 'It says what the policy is added to, and not what it does.'

/** To what a policy is applied. */
export const METADATA = {
  appliedOn: {
    type: 'string',
    enum: ['inbound'],
    default: 'inbound',
    examples: ['inbound'],
    description: 'A limit counts requests as they come in.',
    without: { page: CHOSEN, nginx: ALL_REQUESTS },
  },
  context: {
    type: 'string',
    enum: ['proxy', 'global'],
    default: 'proxy',
    examples: ['proxy', 'global'],
    description: 'One proxy, or all of an environment.',
    without: { page: CHOSEN, nginx: ALL_REQUESTS },
  },
} as const satisfies Fields

/** A rate limit policy. */
export const RATE_LIMIT = {
  systemMetadata: { type: 'object', isClosed: true, fields: METADATA, description: 'To what the policy is applied.' },
  action: { type: 'object', isRequired: true, isClosed: true, fields: ACTION, description: 'What the policy does.' },
  metadata: {
    type: 'any',
    description: 'Labels; kept, without effect.',
    without: { view: 'Nothing reads it.', page: IN_JSON, nginx: 'Labels mean nothing to it.' },
  },
} as const satisfies Fields

/** The header of the correlation id; `correlation-header.ts` decides. */
export const HTTP_HEADER_NAME = {
  type: 'string',
  pattern: '^[A-Za-z0-9\\-]+$',
  maxLength: 40,
  default: 'x-correlation-id',
  examples: ['x-request-id', 'x-trace'],
  description: 'The header that has the id of each request.',
} as const satisfies Field

/** A policy with the header of the correlation id. */
export const CORRELATION = {
  action: { type: 'object', fields: { httpHeaderName: HTTP_HEADER_NAME }, description: 'What the policy does.' },
} as const satisfies Fields

/** A policy by which clients send a key. */
const KEY = { page: IN_JSON }

export const API_KEY = {
  action: {
    type: 'object',
    description: 'Where a client sends its key.',
    fields: {
      suppliedIn: {
        type: 'string',
        enum: ['HEADER', 'QUERY'],
        isAnyCase: true,
        default: 'HEADER',
        examples: ['HEADER', 'QUERY'],
        description: 'In a header, or in the query.',
        without: KEY,
      },
      apiKeyName: {
        type: 'string',
        default: 'apikey',
        examples: ['apikey', 'x-key'],
        description: 'The name of the header or of the parameter.',
        without: KEY,
      },
      credentialForward: {
        type: 'boolean',
        default: false,
        description: 'True: the backend gets the key, too.',
        without: KEY,
      },
    },
  },
  data: {
    type: 'list',
    description: 'The clients.',
    items: {
      type: 'object',
      description: 'One client.',
      fields: {
        clientID: {
          type: 'string',
          isRequired: true,
          examples: ['mobile-app', 'web-app'],
          description: 'Its id, by which limits count consumers.',
          without: KEY,
        },
        apiKey: {
          type: 'string',
          isSecret: true,
          examples: ['b7Qm2Xw9', 'k3Tz8Pd1'],
          description: 'Its key: never shown; where a proxy is replaced, an absent one stays as it is.',
          without: KEY,
        },
      },
    },
  },
} as const satisfies Fields

/** The policies of a proxy, or of an environment. */
export const POLICIES = {
  'rate-limit': {
    type: 'list',
    items: { type: 'object', isClosed: true, fields: RATE_LIMIT, description: 'A rate limit policy.' },
    description: 'Rate limit policies.',
  },
  'request-correlation-id': {
    type: 'list',
    items: { type: 'object', fields: CORRELATION, description: 'A policy about the correlation id.' },
    description: 'The header of the correlation id: the first policy that names one.',
  },
  'apikey-authn': {
    type: 'list',
    items: { type: 'object', fields: API_KEY, description: 'A policy about the keys of clients.' },
    description: 'Keys of clients. A request without one gets 401.',
    saidBy: 'publication',
  },
} as const satisfies Fields

const LABEL = {
  type: 'string',
  default: 'default',
  examples: ['default'],
  description: 'The label.targetName of the backend that serves it.',
  without: { page: IN_JSON },
} as const

/** Where HTTP requests come in. */
export const INGRESS = {
  basePath: {
    type: 'string',
    pattern: '^/',
    default: '/',
    examples: ['/shop', '/store'],
    description: 'What the paths of its requests begin with, behind the version.',
  },
  basePathVersionAppendRule: {
    type: 'string',
    enum: ['PREFIX', 'NONE'],
    isAnyCase: true,
    default: 'PREFIX',
    examples: ['PREFIX', 'NONE'],
    description: 'Whether the version comes before the base path.',
    saidBy: 'publication',
    without: { page: IN_JSON },
  },
  stripBasePathVersion: {
    type: 'boolean',
    default: false,
    description: 'True: backends get paths without version and base path.',
    saidBy: 'publication',
    without: { page: IN_JSON },
  },
  routes: {
    type: 'list',
    description: 'Paths that have a backend of their own.',
    items: {
      type: 'object',
      description: 'A route.',
      saidBy: 'publication',
      fields: {
        uri: {
          type: 'string',
          pattern: '^/',
          examples: ['/orders/{id}', '/menu'],
          description: 'A path below the base path, with parameters in braces.',
          without: { page: IN_JSON },
        },
        targetBackendServiceLabel: LABEL,
      },
    },
  },
} as const satisfies Fields

/** Where gRPC requests come in. */
const GRPC_INGRESS = {
  service: {
    type: 'string',
    isRequired: true,
    minLength: 1,
    examples: ['shop.orders.v1.Orders', 'shop.menu.v1.Menu'],
    description: 'The full name of the gRPC service.',
    without: { page: IN_JSON },
  },
  routes: {
    type: 'list',
    description: 'Methods that have a backend of their own.',
    items: {
      type: 'object',
      description: 'A route.',
      saidBy: 'publication',
      fields: {
        method: {
          type: 'string',
          examples: ['Place', 'Cancel'],
          description: 'The name of a gRPC method.',
          without: { page: IN_JSON },
        },
        targetBackendServiceLabel: LABEL,
      },
    },
  },
} as const satisfies Fields

/** How a backend is reached. */
export const LISTENER = {
  enableTLS: { type: 'boolean', default: false, description: 'True: by TLS.', without: { page: IN_JSON } },
  port: {
    type: 'integer',
    minimum: 1,
    maximum: 65_535,
    examples: [8080, 9090],
    description: 'Its port; 80, or 443 with TLS, where it is absent.',
    without: { page: IN_JSON },
  },
  transportProtocol: {
    type: 'string',
    enum: ['HTTP', 'GRPC'],
    isAnyCase: true,
    default: 'HTTP',
    examples: ['HTTP', 'GRPC'],
    description: 'What it speaks.',
    without: { page: IN_JSON },
  },
} as const satisfies Fields

/** Where a proxy passes requests. */
export const BACKEND = {
  label: {
    type: 'object',
    description: 'What routes name it by.',
    fields: {
      targetName: { ...LABEL, examples: ['default', 'pets'], description: 'What routes name it by.' },
    },
  },
  serviceTargets: {
    type: 'list',
    description: 'The hosts, all reached in the same way.',
    items: {
      type: 'object',
      description: 'A host.',
      fields: {
        hostname: {
          type: 'string',
          isRequired: true,
          examples: ['orders.example.com', '192.0.2.7'],
          description: 'Its name or address.',
          without: { page: IN_JSON },
        },
        listener: { type: 'object', fields: LISTENER, description: 'How it is reached.' },
      },
    },
  },
} as const satisfies Fields

/** What a proxy is in nginx. */
export const CONFIG = {
  hostname: {
    type: 'string',
    minLength: 1,
    maxLength: 253,
    pattern: '^(?:\\*\\.)?[A-Za-z0-9](?:[A-Za-z0-9_.\\-]*[A-Za-z0-9])?$',
    examples: ['shop.example.com', 'store.example.com'],
    description: 'Its hostname, or all names below one; every hostname that no other proxy has, where it is absent.',
  },
  policies: { type: 'object', fields: POLICIES, description: 'Its policies.' },
  ingress: { type: 'object', fields: INGRESS, description: 'Where HTTP requests come in.' },
  grpcIngress: { type: 'object', fields: GRPC_INGRESS, description: 'Where gRPC requests come in.' },
  backends: {
    type: 'list',
    items: { type: 'object', fields: BACKEND, saidBy: 'publication', description: 'A backend.' },
    description: 'Where requests go.',
  },
} as const satisfies Fields

/** A body. */
export const BODY = {
  name: {
    ...NAME,
    maxLength: 128,
    isRequired: true,
    examples: ['coffee', 'tea'],
    description: 'Its name in the workspace.',
    without: { page: 'It is given when the proxy is added, and stays.' },
  },
  version: {
    ...NAME,
    maxLength: 64,
    default: 'v1',
    isStored: true,
    examples: ['v1', 'v2'],
    description: 'Its version, which comes before its base path.',
    without: { page: IN_JSON },
  },
  environment: {
    ...NAME,
    maxLength: 128,
    default: 'default',
    examples: ['default', 'test'],
    description: 'The environment of the workspace in which it runs.',
    without: {
      view: 'Which proxies are in an environment is up to the server.',
      nginx: 'The server renders its proxies with its policies.',
    },
  },
  policies: {
    type: 'object',
    fields: POLICIES,
    description: 'Another place for proxyConfig.policies.',
  },
  proxyConfig: { type: 'object', fields: CONFIG, description: 'What it is in nginx.' },
} as const satisfies Fields

/** All of a body. */
export const BODY_FIELD: ObjectField = { type: 'object', fields: BODY, description: 'An API proxy.' }

/** A field with its place: a JSON Pointer from the body on, with `*` for every index. */
export type DeclaredField = { readonly path: string; readonly field: Field }

/** Every field within one, each before what is in it. */
export function* fieldsWithin(field: Field, path = ''): Generator<DeclaredField> {
  if (field.type === 'list')
    yield* [{ path: `${path}/*`, field: field.items }, ...fieldsWithin(field.items, `${path}/*`)]
  if (field.type !== 'object') return
  for (const [name, member] of Object.entries(field.fields))
    yield* [{ path: `${path}/${name}`, field: member }, ...fieldsWithin(member, `${path}/${name}`)]
}

/** The fields on the way from a body to a pointer, as far as they are declared. */
export function fieldsAlong(pointer: string): readonly Field[] {
  const found: Field[] = []
  let at: Field | undefined = BODY_FIELD
  for (const name of pointer.split('/').slice(1)) {
    if (at?.type === 'list') at = at.items
    else at = at?.type === 'object' && Object.hasOwn(at.fields, name) ? at.fields[name] : undefined
    if (at) found.push(at)
  }
  return found
}
