/**
 * The schemas of the OpenAPI document. What is interpreted of a body has its types and bounds here; all other members are
 * allowed, kept and returned. Source: specification of the API management rate limit policy, "Resources and their fields".
 */

/** A JSON Schema of draft 2020-12. */
export type Schema = { readonly [keyword: string]: unknown }

const object = (properties: Record<string, Schema>, more: Schema = {}): Schema => ({
  type: 'object',
  properties,
  ...more,
})
const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })
const list = (items: Schema, more: Schema = {}): Schema => ({ type: 'array', items, ...more })
const closed = { additionalProperties: false }
const status = { type: 'integer', minimum: 400, maximum: 599 }
const positive = { type: 'integer', minimum: 1 }
const revision = { type: 'integer', minimum: 1, description: 'Grows with each change.' }

/** Names of workspaces, environments and proxies. */
export const NAME: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 128,
  pattern: '^[A-Za-z0-9](?:[A-Za-z0-9._\\-]*[A-Za-z0-9])?$',
  examples: ['coffee'],
}

/** True for a name of a workspace, an environment or a proxy. */
export const isName = (text: string): boolean =>
  text.length <= 128 && /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(text)

/** Hostnames, also those of all names below one. */
export const HOSTNAME: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 253,
  pattern: '^(?:\\*\\.)?[A-Za-z0-9](?:[A-Za-z0-9_.\\-]*[A-Za-z0-9])?$',
  examples: ['shop.example.com'],
}

export const VERSION: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  pattern: '^[A-Za-z0-9](?:[A-Za-z0-9._\\-]*[A-Za-z0-9])?$',
  examples: ['v1'],
}

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
  description: 'Not the name of the user; at most 1024 bytes in UTF-8, without control characters.',
}

const MUST_CHANGE: Schema = {
  type: 'boolean',
  default: false,
  description: 'True: the user must change the password before anything else.',
}

const PROXY_MEMBERS: Readonly<Record<string, Schema>> = {
  name: NAME,
  version: { ...VERSION, default: 'v1' },
  environment: { ...NAME, default: 'default', description: 'The environment of the workspace in which it runs.' },
  policies: { ...ref('Policies'), description: 'Another place for proxyConfig.policies.' },
  proxyConfig: ref('ProxyConfig'),
  status: { description: 'Set by the server; what a client sends here is ignored.' },
}

const BODIES: Readonly<Record<string, Schema>> = {
  Throttle: object({ burst: positive, delay: positive, noDelay: { type: 'boolean' } }, closed),
  Limit: object(
    {
      rate: { type: 'string', pattern: '^0*[1-9][0-9]*r/s$', default: '10r/s' },
      rateLimitBy: { type: 'string', enum: ['uri', 'consumer', 'client.ip'], default: 'client.ip' },
      zoneSize: { type: 'string', pattern: '^0*[1-9][0-9]*M$', default: '10M' },
      throttle: ref('Throttle'),
    },
    closed,
  ),
  RateLimitPolicy: object(
    {
      systemMetadata: object(
        {
          appliedOn: { type: 'string', enum: ['inbound'] },
          context: { type: 'string', enum: ['proxy', 'global'] },
        },
        closed,
      ),
      metadata: { description: 'Labels; kept, without effect.' },
      action: object(
        {
          returnCode: { ...status, default: 429 },
          grpcStatusCode: { ...status, default: 429, description: 'A status of HTTP, not one of gRPC.' },
          limits: list(ref('Limit'), { minItems: 1 }),
          throttle: { ...ref('Throttle'), deprecated: true, description: 'For every limit that has none.' },
        },
        { required: ['limits'], ...closed },
      ),
    },
    { required: ['action'], ...closed },
  ),
  CorrelationPolicy: object({
    action: object({
      httpHeaderName: { type: 'string', pattern: '^[A-Za-z0-9\\-]+$', maxLength: 64, default: 'x-correlation-id' },
    }),
  }),
  Policies: object({
    'rate-limit': list(ref('RateLimitPolicy')),
    'request-correlation-id': list(ref('CorrelationPolicy')),
  }),
  ProxyConfig: object({
    hostname: HOSTNAME,
    policies: ref('Policies'),
    ingress: object({ basePath: { type: 'string', pattern: '^/' }, routes: list({}) }),
    grpcIngress: object({ service: { type: 'string', minLength: 1 }, routes: list({}) }, { required: ['service'] }),
    backends: list({}),
  }),
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
  NewEnvironment: object(
    {
      name: NAME,
      gateways: list(NAME, { uniqueItems: true, maxItems: 100, default: [] }),
      policies: ref('Policies'),
    },
    { required: ['name'], ...closed },
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
    rule: { type: 'string', description: 'Id of a rule of lint, or "json", "request" or "publication".' },
    pointer: { type: 'string', description: 'JSON Pointer.' },
    message: { type: 'string' },
    remedy: { type: 'string' },
  },
  { required: ['rule', 'pointer', 'message', 'remedy'], ...closed },
)

const page = (item: string): Schema =>
  object({ items: list(ref(item)), nextPageToken: { type: 'string' } }, { required: ['items'], ...closed })

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
      warnings: list(ref('Remark'), { description: 'What the rules warn of; in the response to a change.' }),
      notes: list(object({ pointer: { type: 'string' }, message: { type: 'string' } }), {
        description: 'Defaults that were filled in, and the like; in the response to a change.',
      }),
    },
    { required: ['state', 'revision', 'workspace', 'environment'], ...closed },
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
  Environment: object(
    { workspace: NAME, name: NAME, gateways: list(NAME), policies: ref('Policies'), revision },
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
    },
    { required: ['revision', 'at', 'by', 'action', 'diff'], ...closed },
  ),
  History: page('HistoryEntry'),
  User: object(
    { name: NAME, roles: ROLES, mustChangePassword: { type: 'boolean' }, revision },
    { required: ['name', 'roles', 'mustChangePassword', 'revision'], ...closed },
  ),
  Users: page('User'),
  Session: object(
    {
      user: NAME,
      roles: ROLES,
      mustChangePassword: { type: 'boolean' },
      csrf: { type: 'string', description: 'Requests with the cookie that change something send it as x-csrf-token.' },
      expires: { type: 'string', description: 'RFC 3339, in UTC; later, when the session is used before.' },
    },
    { required: ['user', 'roles', 'mustChangePassword', 'csrf', 'expires'], ...closed },
  ),
}

/** All schemas by name. */
export const SCHEMAS: Readonly<Record<string, Schema>> = { ...BODIES, ...USER_BODIES, ...RESPONSES }
