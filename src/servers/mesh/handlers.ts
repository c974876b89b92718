/** What each operation of the API does. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type BodyBudget, createBodyBudget, useTypedBody } from '../../http/body.ts'
import type { User } from '../../http/delegated-access.ts'
import { sendJson, sendText } from '../../http/http-error.ts'
import type { Log } from '../../http/log.ts'
import { readStrictJson } from '../../http/strict-json.ts'
import type { Json, JsonObject } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { withValue } from '../../mesh/config.ts'
import { type InjectedObject, inject, noteOf } from '../../mesh/inject/inject.ts'
import type { PodChoices } from '../../mesh/inject/settings.ts'
import { describeOperationError, patchConfig } from '../../mesh/patch-config.ts'
import { type AuditedChange, changedFields } from './audit.ts'
import { readInjectForm } from './inject-form.ts'
import type { Operation } from './operations.ts'
import { refused } from './refusal.ts'
import type { ConfigStore, MeshState } from './state.ts'

/** What the operations need. */
export type HandlerOptions = {
  readonly names: ApiNames
  /** Of the settings; default: those of a new installation. */
  readonly choices?: PodChoices | undefined
  readonly config: ConfigStore
  readonly state: MeshState
  readonly log: Log
  /** Called after each change of the configuration, beside the log. */
  onChange?(change: AuditedChange): void
}

type Handler = (request: IncomingMessage, response: ServerResponse, user: User) => Promise<void>

/** Bytes of all bodies in flight, and the most of one. An API server takes 3 MiB by itself. */
const BODY_BUDGET = 64 * 1024 * 1024
const LARGEST_PATCH = 3 * 1024 * 1024
const LARGEST_FORM = 16 * 1024 * 1024

/** Creates them. They reject with `HttpError`. */
export function createHandlers(options: HandlerOptions): Readonly<Record<Operation['id'], Handler>> {
  const { names, choices, config, state } = options
  const budget = createBodyBudget(BODY_BUDGET)
  const textOf = rememberText()
  return {
    async readConfig(_request, response) {
      sendJson(response, 200, textOf(await config.read()))
    },
    async patchConfig(request, response, user) {
      const isDryRun = readDryRun(request)
      const body = await readPatch(request, budget)
      const changed = await change(options, { user, isDryRun }, (document) => {
        const patched = patchConfig(document, body, names)
        if ('document' in patched) return patched.document
        const [first = '', ...others] = patched.errors.map(describeOperationError)
        const more = others.length > 0 ? ` (and ${others.length} more)` : ''
        throw refused(`the configuration stays as it is: ${first}${more}`, [first, ...others])
      })
      sendJson(response, 200, JSON.stringify(changed))
    },
    async listServices(_request, response) {
      sendJson(response, 200, JSON.stringify(state.services()))
    },
    async inject(request, response) {
      const type = 'multipart/form-data'
      await useTypedBody(request, { type, limit: LARGEST_FORM, budget }, async (body) => {
        const { text, ...ports } = await readInjectForm(body, request.headers['content-type'] ?? '')
        const injected = inject(text, { config: await config.read(), names, choices, ...ports })
        if (!injected.ok) throw refusedInjection(injected.errors)
        const warnings = warningsOf(injected.objects)
        if (warnings.length > 0) response.setHeader('warning', warnings)
        sendText(response, 200, injected.text)
      })
    },
    async clear(request, response, user) {
      // The body is not looked at: the product's own client sends a line break without a type.
      const isDryRun = readDryRun(request)
      await change(options, { user, isDryRun }, (document) => withValue(document, '/proxy/transparent', true))
      sendJson(response, 200, '{}')
    },
    async listResources(_request, response) {
      sendJson(response, 200, JSON.stringify(state.resources()))
    },
    async listVersions(_request, response) {
      sendJson(response, 200, JSON.stringify(state.versions()))
    },
  }
}

/** The text of a configuration, which is written once for many reads. */
function rememberText(): (config: JsonObject) => string {
  let latest: JsonObject | undefined
  let text = ''
  return (config) => {
    if (config !== latest) text = JSON.stringify(config)
    latest = config
    return text
  }
}

const readPatch = (request: IncomingMessage, budget: BodyBudget): Promise<Json> =>
  useTypedBody(
    request,
    { type: 'application/json', limit: LARGEST_PATCH, budget },
    // What JSON can express.
    async (bytes) => readStrictJson(bytes) as Json,
  )

/** Whether nothing is to be stored: `?dryRun=All`, as at any API server. */
function readDryRun({ url = '' }: IncomingMessage): boolean {
  const start = url.indexOf('?')
  const values = start === -1 ? [] : new URLSearchParams(url.slice(start)).getAll('dryRun')
  if (values.some((value) => value !== 'All'))
    throw refused('the configuration stays as it is: the only value of dryRun is All')
  return values.length > 0
}

/** Who changes the configuration, and whether really. */
type Changer = { readonly user: User; readonly isDryRun: boolean }

/** Changes the configuration, and writes down who did it. */
async function change(
  { config, names, log, onChange }: HandlerOptions,
  { user, isDryRun }: Changer,
  make: (document: JsonObject) => JsonObject,
): Promise<JsonObject> {
  if (isDryRun) return make(await config.read())
  const changed = await config.change(make)
  const fields = changedFields(changed, names)
  if (fields.length > 0) {
    const { username, uid, groups } = user
    log.info({ audit: 'config', user: username, uid, groups, fields }, 'the configuration was changed')
    onChange?.({ user, fields })
  }
  return changed.after
}

/** Clients of Kubernetes print this header; all headers of a response have 16 KiB. */
const MOST_WARNINGS = 20
const LONGEST_WARNING = 300

/** What was left without the sidecar that it should have. */
const warningsOf = (objects: readonly InjectedObject[]): readonly string[] =>
  objects
    .filter(({ message }) => message !== undefined)
    .slice(0, MOST_WARNINGS)
    .map((object) => `${noteOf(object)}`.replace(/[^ -~]|["\\]/g, "'").slice(0, LONGEST_WARNING))
    .map((note) => `299 - "${note}"`)

type InjectErrors = Extract<ReturnType<typeof inject>, { readonly ok: false }>['errors']

function refusedInjection(errors: InjectErrors): Error {
  const descriptions = errors.map(
    ({ document, field, message }) => `document ${document}${field === '' ? '' : `, ${field}`}: ${message}`,
  )
  const more = descriptions.length > 1 ? ` (and ${descriptions.length - 1} more)` : ''
  return refused(`nothing was injected: ${descriptions[0]}${more}`, descriptions)
}
