/**
 * The schemas of the OpenAPI document. Those of bodies are made of the table of fields; all members that it does not declare
 * are allowed, kept and returned, unless their object is closed.
 */
import {
  BODY,
  BODY_FIELD,
  CONFIG,
  CORRELATION,
  type Field,
  type Fields,
  fieldsWithin,
  INGRESS,
  LIMIT,
  type ObjectField,
  POLICIES,
  RATE_LIMIT,
  THROTTLE,
  type ValueField,
} from '../../../api-management/fields.ts'
import { AUDITED } from '../../../store/store.ts'

/** A JSON Schema of draft 2020-12. */
export type Schema = { readonly [keyword: string]: unknown }

const object = (properties: Readonly<Record<string, Schema>>, more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  ...more,
})
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
const list = (items: Schema, more: Schema = {}): Schema => ({ type: 'array', items, ...more })
const closed = { additionalProperties: false }
const COUNT = { type: 'integer', minimum: 0 }

const revision = { type: 'integer', minimum: 1, description: 'Grows with each change.' }

/** The objects of a body that have a name of their own in the document. */
const NAMED = new Map<Fields, string>([
  [THROTTLE, 'Throttle'],
  [LIMIT, 'Limit'],
  [RATE_LIMIT, 'RateLimitPolicy'],
  [CORRELATION, 'CorrelationPolicy'],
  [POLICIES, 'Policies'],
  [CONFIG, 'ProxyConfig'],
])

/** A field of a body as a schema. */
function schemaOf(field: Field): Schema {
  const { description, isDeprecated } = field
  const more = { description, ...(isDeprecated ? { deprecated: true } : {}) }
  if (field.type === 'any') return more
  if (field.type === 'list') {
    const { items, minItems } = field
    return list(schemaOf(items), { ...more, ...(minItems === undefined ? {} : { minItems }) })
  }
  if (field.type === 'object') {
    const name = NAMED.get(field.fields)
    return { ...(name === undefined ? objectOf(field) : ref(name)), ...more }
  }
  const preset = field.default
  return { ...scalarOf(field), ...more, ...(preset === undefined ? {} : { default: preset }) }
}

/** The schema of an object with its fields; one with `without.openApi` is a member like any other. */
function objectOf({ fields, isClosed }: ObjectField): Schema {
  const declared = Object.entries(fields).filter(([, { without }]) => without?.openApi === undefined)
  const required = declared.flatMap(([name, { isRequired }]) => (isRequired ? [name] : []))
  return object(Object.fromEntries(declared.map(([name, field]) => [name, schemaOf(field)])), {
    ...(required.length > 0 ? { required } : {}),
    ...(isClosed ? closed : {}),
  })
}

function scalarOf(field: ValueField): Schema {
  if (field.type === 'boolean') return { type: 'boolean' }
  if (field.type === 'integer') return { type: 'integer', minimum: field.minimum, maximum: field.maximum }
  const { isSecret, enum: words, isAnyCase, pattern, minLength, maxLength, examples } = field
  const kept = Object.entries({ pattern, minLength, maxLength }).filter(([, bound]) => bound !== undefined)
  const values = words && (isAnyCase ? { pattern: anyCase(words) } : { enum: words })
  return {
    type: 'string',
    ...(isSecret ? { writeOnly: true } : {}),
    ...Object.fromEntries(kept),
    ...(values ?? { examples: examples.slice(0, 1) }),
  }
}

/** A pattern of some words of letters, in any case. */
const anyCase = (words: readonly string[]): string => {
  const letters = (word: string) => [...word].map((letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`)
  return `^(?:${words.map((word) => letters(word).join('')).join('|')})$`
}

/** Names of workspaces, environments and proxies. */
export const NAME: Schema = scalarOf(BODY.name)
const NAME_PATTERN = new RegExp(BODY.name.pattern)

/** True for a name of a workspace, an environment or a proxy. */
export const isName = (text: string): boolean => text.length <= BODY.name.maxLength && NAME_PATTERN.test(text)

/** Hostnames, also those of all names below one. */
export const HOSTNAME: Schema = scalarOf(CONFIG.hostname)

export const VERSION: Schema = scalarOf(BODY.version)

const ROLES = list(
  {
    type: 'string',
    maxLength: 135,
    pattern: '^(?:administrator|reader|editor:[A-Za-z0-9](?:[A-Za-z0-9._\\-]*[A-Za-z0-9])?)$',
    examples: ['editor:team'],
  },
  { uniqueItems: true, maxItems: 1000, description: 'administrator, reader, or editor:WORKSPACE.' },
)

const PASSWORD: Schema = {
  type: 'string',
  minLength: 12,
  maxLength: 1024,
  description:
    'Not the name of the user, and none of the most common ones; at most 1024 bytes in UTF-8, without control characters.',
}

const MUST_CHANGE: Schema = {
  type: 'boolean',
  default: false,
  description: 'True: the user must change the password before anything else.',
}

const OF_FIELDS = Object.fromEntries(
  [...fieldsWithin(BODY_FIELD)].flatMap(({ field }) => {
    const name = field.type === 'object' ? NAMED.get(field.fields) : undefined
    return field.type === 'object' && name !== undefined ? [[name, objectOf(field)] as const] : []
  }),
)

const PROXY_MEMBERS = {
  ...Object.fromEntries(Object.entries(BODY).map(([name, field]) => [name, schemaOf(field)])),
  status: { description: 'Set by the server; what a client sends here is ignored.' },
}

const BODIES: Readonly<Record<string, Schema>> = {
  ...OF_FIELDS,
  PoliciesAlone: {
    description:
      'Policies and nothing else: they are added to a proxy that exists, or to a new one with a generated name.',
    type: 'object',
    properties: { policies: ref('Policies'), proxyConfig: object({ policies: ref('Policies') }, closed) },
    minProperties: 1,
    maxProperties: 1,
    ...closed,
  },
  ProxyBody: object(PROXY_MEMBERS, { required: ['name'] }),
  ProxyReplacement: object(PROXY_MEMBERS, { description: 'The name is that of the path.' }),
  NewWorkspace: object(
    {
      name: NAME,
      requireIfMatch: {
        type: 'boolean',
        default: false,
        description: 'True: whoever changes a proxy must send If-Match.',
      },
    },
    { required: ['name'], ...closed },
  ),
  WorkspaceSettings: object({ name: NAME, requireIfMatch: { type: 'boolean', default: false } }, closed),
  HostnameSettings: object({ items: list(ref('Hostname'), { maxItems: 10_000 }) }, { required: ['items'], ...closed }),
  AllowedBackends: object(
    {
      allowed: list(
        { type: 'string', minLength: 1, maxLength: 300, examples: ['*.shop.internal', '10.0.0.0/8'] },
        {
          maxItems: 10_000,
          description:
            'Names, "*." for all below one, addresses and ranges, each with ":" and a port or for all ports. "*": every host but those of this machine, link-local ones and metadata addresses of clouds, which need an entry of their own.',
        },
      ),
    },
    { required: ['allowed'], ...closed },
  ),
  NewEnvironment: object(
    {
      name: NAME,
      gateways: list(NAME, { uniqueItems: true, maxItems: 100, default: [] }),
      policies: ref('Policies'),
    },
    { required: ['name'], ...closed },
  ),
  MergePatch: { type: 'object', description: 'RFC 7396: members of null are removed, objects are merged.' },
  JsonPatch: list(
    object(
      {
        op: { type: 'string', enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'] },
        path: { type: 'string', description: 'JSON Pointer into what is read.' },
        from: { type: 'string', description: 'Of move and copy.' },
        value: { description: 'Of add, replace and test.' },
      },
      { required: ['op', 'path'] },
    ),
    { maxItems: 1000, description: 'RFC 6902: applied one after the other, all or none; a test that fails is a 409.' },
  ),
  EnvironmentSettings: object(
    { name: NAME, gateways: list(NAME, { uniqueItems: true, maxItems: 100, default: [] }), policies: ref('Policies') },
    closed,
  ),
}

const USER_BODIES: Readonly<Record<string, Schema>> = {
  SignIn: object(
    { user: { type: 'string', maxLength: 128 }, password: { type: 'string', maxLength: 1024 } },
    { required: ['user', 'password'], ...closed },
  ),
  NewUser: object(
    { name: NAME, password: PASSWORD, roles: ROLES, mustChangePassword: MUST_CHANGE },
    { required: ['name', 'password', 'roles'], ...closed },
  ),
  UserSettings: object({ name: NAME, roles: ROLES }, { required: ['roles'], ...closed }),
  NewToken: object(
    {
      name: NAME,
      roles: { ...ROLES, minItems: 1 },
      expires: {
        type: 'string',
        maxLength: 40,
        examples: ['2027-01-31T12:00:00Z'],
        description: 'RFC 3339; within 366 days.',
      },
    },
    { required: ['name', 'roles', 'expires'], ...closed },
  ),
  PasswordChange: object(
    {
      password: PASSWORD,
      oldPassword: { type: 'string', description: 'For your own password: the one that you have now.' },
      mustChangePassword: { ...MUST_CHANGE, description: 'For the password of another user.' },
    },
    { required: ['password'], ...closed },
  ),
}

const REMARK = object(
  {
    rule: {
      type: 'string',
      description:
        'Id of a rule of lint, or "json", "request", "patch", "publication", "tenancy", "backends" or "environment".',
    },
    pointer: { type: 'string', description: 'JSON Pointer.' },
    message: { type: 'string' },
    remedy: { type: 'string' },
    operation: { type: 'string', description: 'JSON Pointer of the last operation of a JSON Patch that wrote there.' },
  },
  { required: ['rule', 'pointer', 'message', 'remedy'], ...closed },
)

const NOTES = list(object({ pointer: { type: 'string' }, message: { type: 'string' } }), {
  description: 'Defaults that were filled in, and the like; in the response to a change.',
})

const page = (item: string): Schema =>
  object(
    {
      items: list(ref(item)),
      total: { type: 'integer', minimum: 0, description: 'How many there are on all pages.' },
      nextPageToken: { type: 'string', description: 'For pageToken or after; absent on the last page.' },
    },
    { required: ['items'], ...closed },
  )

const HOSTNAME_ITEM = object(
  {
    hostname: {
      anyOf: [HOSTNAME, { const: '*' }],
      description:
        'It belongs to the workspace, also all names below "*.": "*" alone are the requests for hostnames of no proxy.',
    },
    pathPrefixes: list(scalarOf(INGRESS.basePath), {
      minItems: 1,
      maxItems: 100,
      description: 'Where it belongs to another workspace: the paths, with all below them, that may be used.',
    }),
    assigned: {
      type: 'boolean',
      description:
        'False: it came with the first proxy, and goes with the last; a client that sends it changes nothing.',
    },
  },
  { required: ['hostname'], ...closed },
)

/** Who signs in at a provider has a colon in the name. */
const USER_NAME: Schema = { anyOf: [NAME, { type: 'string', pattern: '^oidc:' }] }

const TOKEN_MEMBERS = {
  name: NAME,
  roles: ROLES,
  expires: { type: 'string', description: 'RFC 3339, in UTC.' },
  createdBy: { type: 'string', description: 'The user whose roles bound those of the token.' },
  createdAt: { type: 'string' },
  lastUsed: { type: 'string', description: 'To the hour; absent: never.' },
}
const TOKEN_REQUIRED = ['name', 'roles', 'expires', 'createdBy', 'createdAt']

const RESPONSES: Readonly<Record<string, Schema>> = {
  Remark: REMARK,
  Problem: object(
    {
      type: { type: 'string' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
      errors: list(ref('Remark')),
    },
    { required: ['type', 'title', 'status', 'detail'] },
  ),
  Status: object(
    {
      state: { type: 'string', enum: ['CONFIGURING', 'SUCCESS', 'FAILED'] },
      reason: { type: 'string' },
      message: { type: 'string' },
      revision,
      workspace: NAME,
      environment: NAME,
      dryRun: { type: 'boolean', description: 'True where one of its policies is in dry run, and rejects nothing.' },
      requests: ref('Requests'),
      warnings: list(ref('Remark'), { description: 'What the rules warn of; in the response to a change.' }),
      notes: NOTES,
      overrides: list(ref('Override')),
    },
    { required: ['state', 'revision', 'workspace', 'environment'], ...closed },
  ),
  Override: object(
    {
      wins: { type: 'string', enum: ['environment', 'proxy'], description: 'Which of the two has its way.' },
      pointer: { type: 'string', description: 'JSON Pointer into the proxy.' },
      environmentPointer: { type: 'string', description: 'JSON Pointer into the environment.' },
      message: { type: 'string' },
    },
    {
      required: ['wins', 'pointer', 'environmentPointer', 'message'],
      description: 'What a proxy and the global policies of its environment both say.',
      ...closed,
    },
  ),
  EnvironmentStatus: object(
    {
      state: { type: 'string', enum: ['CONFIGURING', 'SUCCESS', 'FAILED'], description: 'Of its proxies together.' },
      reason: { type: 'string' },
      message: { type: 'string' },
      revision,
      warnings: list(ref('Remark'), { description: 'In the response to a change.' }),
      notes: NOTES,
      proxies: object(
        {
          total: { type: 'integer', description: 'All proxies of the environment.' },
          touched: { type: 'integer', description: 'Those for which the change makes something different.' },
          broken: { type: 'integer', description: 'Those of them that would not be served any longer, or fail.' },
          items: list(ref('TouchedProxy'), { description: 'Those of which there is something to say; at most 1000.' }),
        },
        { required: ['total', 'items'], ...closed },
      ),
    },
    { required: ['state', 'revision', 'proxies'], ...closed },
  ),
  TouchedProxy: object(
    {
      name: NAME,
      hostname: { type: 'string' },
      version: VERSION,
      state: { type: 'string', enum: ['CONFIGURING', 'SUCCESS', 'FAILED'] },
      breaks: { type: 'boolean', description: 'True: it would not be served any longer, or fail.' },
      changes: list({ type: 'string' }, { description: 'What the change makes different, in sentences.' }),
      overrides: list(ref('Override')),
    },
    { required: ['name', 'hostname', 'version', 'state'], ...closed },
  ),
  Requests: object(
    {
      since: { type: 'string', description: 'ISO 8601.' },
      passed: { ...COUNT, description: 'Passed on at once; also where no limit counts.' },
      delayed: COUNT,
      rejected: COUNT,
      delayedDryRun: { ...COUNT, description: 'Passed on, but delayed without the dry run.' },
      rejectedDryRun: { ...COUNT, description: 'Passed on, but rejected without the dry run.' },
    },
    {
      required: ['since', 'passed', 'delayed', 'rejected', 'delayedDryRun', 'rejectedDryRun'],
      description: 'What the limits did since the server was started; where it runs the gateway.',
      ...closed,
    },
  ),
  Proxy: object(
    { name: NAME, version: VERSION, proxyConfig: ref('ProxyConfig'), status: ref('Status') },
    { required: ['name', 'version', 'status'] },
  ),
  Proxies: page('Proxy'),
  Workspace: object(
    { name: NAME, requireIfMatch: { type: 'boolean' }, revision },
    { required: ['name', 'requireIfMatch', 'revision'], ...closed },
  ),
  Workspaces: page('Workspace'),
  Hostname: HOSTNAME_ITEM,
  Hostnames: object({ items: list(ref('Hostname')) }, { required: ['items'], ...closed }),
  Environment: object(
    {
      ...{ workspace: NAME, name: NAME, gateways: list(NAME), policies: ref('Policies'), revision },
      status: { ...ref('EnvironmentStatus'), description: 'Not in lists.' },
    },
    { required: ['workspace', 'name', 'gateways', 'policies', 'revision'], ...closed },
  ),
  Environments: page('Environment'),
  HistoryEntry: object(
    {
      revision,
      at: { type: 'string', description: 'RFC 3339, in UTC.' },
      by: { type: 'string' },
      action: { type: 'string', enum: ['created', 'changed', 'deleted', 'restored'] },
      restoredFrom: revision,
      name: NAME,
      hostname: { type: 'string' },
      version: VERSION,
      diff: object(
        {
          patch: list(object({ op: { type: 'string' }, path: { type: 'string' } }, { required: ['op', 'path'] }), {
            description: 'JSON Patch (RFC 6902) from the version before.',
          }),
          text: { type: 'string', description: 'The same as a unified diff.' },
        },
        { required: ['patch', 'text'], ...closed },
      ),
      proxy: { type: 'object', description: 'The proxy after the change; only where one entry is read.' },
      environment: { type: 'object', description: 'The same of an environment: its gateways and policies.' },
    },
    { required: ['revision', 'at', 'by', 'action', 'diff'], ...closed },
  ),
  History: page('HistoryEntry'),
  User: object(
    { name: USER_NAME, roles: ROLES, mustChangePassword: { type: 'boolean' }, revision },
    { required: ['name', 'roles', 'mustChangePassword', 'revision'], ...closed },
  ),
  Users: page('User'),
  Token: object(TOKEN_MEMBERS, { required: TOKEN_REQUIRED, ...closed }),
  MadeToken: object(
    {
      ...TOKEN_MEMBERS,
      secret: { type: 'string', description: 'To be sent as Authorization: Bearer. It is shown here only.' },
    },
    { required: [...TOKEN_REQUIRED, 'secret'], ...closed },
  ),
  Tokens: page('Token'),
  AuditEntry: object(
    {
      id: { type: 'integer', minimum: 1 },
      at: { type: 'string', description: 'RFC 3339, in UTC.' },
      by: { type: 'string', description: 'The user; empty: the server itself.' },
      token: { type: 'string', description: 'The token of the user that was used.' },
      request: { type: 'string', description: 'The correlation id of the request.' },
      kind: { type: 'string', enum: AUDITED },
      workspace: NAME,
      name: { type: 'string' },
      action: { type: 'string', examples: ['created', 'changed', 'deleted', 'restored'] },
      before: { description: 'Absent: it was not there. Without secrets.' },
      after: { description: 'Absent: it is not there any more. Without secrets.' },
    },
    { required: ['id', 'at', 'by', 'request', 'kind', 'action'], ...closed },
  ),
  AuditEntries: page('AuditEntry'),
  SignInProviders: object(
    {
      items: list(
        object({ name: { type: 'string' }, path: { type: 'string' } }, { required: ['name', 'path'], ...closed }),
      ),
    },
    { required: ['items'], ...closed },
  ),
  Session: object(
    {
      user: USER_NAME,
      roles: ROLES,
      mustChangePassword: { type: 'boolean' },
      signOutAt: { type: 'string', description: 'Where the session at the provider ends, for who signed in there.' },
      csrf: { type: 'string', description: 'Requests with the cookie that change something send it as x-csrf-token.' },
      expires: { type: 'string', description: 'RFC 3339, in UTC; later, when the session is used before.' },
    },
    { required: ['user', 'roles', 'mustChangePassword', 'csrf', 'expires'], ...closed },
  ),
}

/** All schemas by name. */
export const SCHEMAS: Readonly<Record<string, Schema>> = { ...BODIES, ...USER_BODIES, ...RESPONSES }
