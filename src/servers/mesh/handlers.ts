/** What each operation of the API does. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type BodyBudget, createBodyBudget, useTypedBody } from '../../http/body.ts'
import type { User } from '../../http/delegated-access.ts'
import { sendJson, sendText } from '../../http/http-error.ts'
import type { Log } from '../../http/log.ts'
import { readStrictJson } from '../../http/strict-json.ts'
import type { Json, JsonObject } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import type { PodTemplates } from '../../kubernetes/pod-templates.ts'
import { withValue } from '../../mesh/config.ts'
import { type InjectError, inject } from '../../mesh/inject/inject.ts'
import { describeNotEnforced, notEnforced } from '../../mesh/not-enforced.ts'
import { describeOperationError, patchConfig } from '../../mesh/patch-config.ts'
import { type AuditedChange, changedFields } from './audit.ts'
import { readInjectForm } from './inject-form.ts'
import type { Operation } from './operations.ts'
import { refused } from './refusal.ts'
import type { ConfigStore, MeshState } from './state.ts'
import { LEFT_AS_IT_IS, warn, warningHeaders } from './warnings.ts'

/** What the operations need. */
export type HandlerOptions = {
  readonly names: ApiNames
  readonly config: ConfigStore
  readonly state: MeshState
  readonly log: Log
  /** Where custom kinds have their Pod templates. */
  readonly podTemplates?: readonly PodTemplates[]
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
  const { names, config, state, podTemplates } = options
  const budget = createBodyBudget(BODY_BUDGET)
  const preparedOf = rememberPrepared()
  const sendConfig = (response: ServerResponse, document: JsonObject): void => {
    const { text, warnings } = preparedOf(document)
    warn(response, warnings)
    sendJson(response, 200, text)
  }
  return {
    async readConfig(_request, response) {
      sendConfig(response, await config.read())
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
      sendConfig(response, changed)
    },
    async listServices(_request, response) {
      sendJson(response, 200, JSON.stringify(state.services()))
    },
    async inject(request, response) {
      const type = 'multipart/form-data'
      await useTypedBody(request, { type, limit: LARGEST_FORM, budget }, async (body) => {
        const { text, ...ports } = await readInjectForm(body, request.headers['content-type'] ?? '')
        const document = await config.read()
        const injected = inject(text, { config: document, names, podTemplates, ...ports })
        if (!injected.ok) throw refusedInjection(injected.errors)
        const unread = describedErrors(injected.unread).map((one) => one + LEFT_AS_IT_IS)
        const ofPods = injected.warnings.map((one) => `document ${one.document}, ${describeNotEnforced(one)}`)
        warn(response, warningHeaders([...unread, ...notEnforced(document).map(describeNotEnforced), ...ofPods]))
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

/** The text of a configuration and its warnings, which are made once for many reads. */
type Prepared = { readonly text: string; readonly warnings: readonly string[] }

function rememberPrepared(): (config: JsonObject) => Prepared {
  let latest: JsonObject | undefined
  let prepared: Prepared = { text: '', warnings: [] }
  return (config) => {
    if (config !== latest)
      prepared = {
        text: JSON.stringify(config),
        warnings: warningHeaders(notEnforced(config).map(describeNotEnforced)),
      }
    latest = config
    return prepared
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

/** A line for each error. */
const describedErrors = (errors: readonly InjectError[]): readonly string[] =>
  errors.map(({ document, field, message }) => `document ${document}${field === '' ? '' : `, ${field}`}: ${message}`)

function refusedInjection(errors: readonly InjectError[]): Error {
  const descriptions = describedErrors(errors)
  const more = descriptions.length > 1 ? ` (and ${descriptions.length - 1} more)` : ''
  return refused(`nothing was injected: ${descriptions[0]}${more}`, descriptions)
}
