/** What each operation of the API does. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type BodyBudget, createBodyBudget, useTypedBody } from '../../http/body.ts'
import { sendJson, sendText } from '../../http/http-error.ts'
import { readStrictJson } from '../../http/strict-json.ts'
import type { Json, JsonObject } from '../../json/member.ts'
import { type InjectError, noteOf } from '../../mesh/inject/inject.ts'
import { describeNotEnforced, notEnforced } from '../../mesh/not-enforced.ts'
import { describeOperationError, patchConfig } from '../../mesh/patch-config.ts'
import { changeConfig } from './audit.ts'
import { cleared, type Restored, readClearOptions, restored, restoredOf } from './clear.ts'
import { readInjectForm } from './inject-form.ts'
import { createInjector } from './inject-thread.ts'
import { formOf, queryOf } from './negotiation.ts'
import { createObjectHandlers, type Handler, type HandlerOptions } from './object-handlers.ts'
import { configObject, serviceObject } from './objects.ts'
import { LARGEST_PATCH, type Operation } from './operations.ts'
import { refused } from './refusal.ts'
import { createSender } from './responses.ts'
import { LEFT_AS_IT_IS, warn, warningHeaders } from './warnings.ts'

/** Bytes of all bodies in flight, and the most of one. An API server takes 3 MiB by itself. */
const BODY_BUDGET = 64 * 1024 * 1024
const LARGEST_FORM = 16 * 1024 * 1024

/** Creates them. They reject with `HttpError`. */
export function createHandlers(options: HandlerOptions): Readonly<Record<Operation['id'], Handler>> {
  const { names, choices, podTemplates, config, state, now = Date.now } = options
  const { sendObjects } = createSender(names)
  const budget = createBodyBudget(BODY_BUDGET)
  const inject = createInjector()
  const preparedOf = rememberPrepared()
  const sendConfig = (response: ServerResponse, document: JsonObject): void => {
    const { text, warnings } = preparedOf(document)
    warn(response, warnings)
    sendJson(response, 200, text)
  }
  return {
    ...createObjectHandlers(options, budget),
    async readConfig(request, response) {
      const form = formOf(request)
      if (form === 'bare') sendConfig(response, await config.read())
      else
        sendObjects(request, response, form, { kind: 'MeshConfig', items: [configObject(await config.read(), names)] })
    },
    async patchConfig(request, response, user) {
      const isDryRun = readDryRun(request)
      const body = await readPatch(request, budget)
      const changed = await changeConfig(options, { user, isDryRun }, (kept) => {
        const patched = patchConfig(kept.config, body, names)
        if ('document' in patched) return { ...kept, config: patched.document }
        const [first = '', ...others] = patched.errors.map(describeOperationError)
        const more = others.length > 0 ? ` (and ${others.length} more)` : ''
        throw refused(`the configuration stays as it is: ${first}${more}`, [first, ...others])
      })
      sendConfig(response, changed)
    },
    async listServices(request, response) {
      const form = formOf(request)
      if (form === 'bare') sendJson(response, 200, JSON.stringify(state.services()))
      else {
        const items = state.services().map((service) => serviceObject(service, names))
        sendObjects(request, response, form, { kind: 'MeshService', items })
      }
    },
    async inject(request, response) {
      const type = 'multipart/form-data'
      await useTypedBody(request, { type, limit: LARGEST_FORM, budget }, async (body) => {
        const { text, ...ports } = await readInjectForm(body, request.headers['content-type'] ?? '')
        const document = await config.read()
        const injected = await inject(text, { config: document, names, choices, podTemplates, ...ports })
        if (!injected.ok) throw refusedInjection(injected.errors)
        const unread = describedErrors(injected.unread).map((one) => one + LEFT_AS_IT_IS)
        const left = injected.objects.flatMap((one) => (one.message === undefined ? [] : (noteOf(one) ?? [])))
        const ofPods = injected.warnings.map((one) => `document ${one.document}, ${describeNotEnforced(one)}`)
        const ofMesh = notEnforced(document).map(describeNotEnforced)
        warn(response, warningHeaders([...unread, ...left, ...ofMesh, ...ofPods]))
        sendText(response, 200, injected.text)
      })
    },
    async clear(request, response, user) {
      // The body is not looked at: the product's own client sends a line break without a type.
      const [isDryRun, { undo, force }] = [readDryRun(request), readClearOptions(request)]
      let done: Restored = { changes: [] }
      await changeConfig(options, { user, isDryRun }, (kept) => {
        if (!undo) return cleared(kept, user.username, new Date(now()))
        const after = restored(kept, names, force)
        done = restoredOf(kept, after, names)
        return after
      })
      sendJson(response, 200, undo ? JSON.stringify(done) : '{}')
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
  const values = start === -1 ? [] : queryOf({ url }).getAll('dryRun')
  if (values.some((value) => value !== 'All'))
    throw refused('the configuration stays as it is: the only value of dryRun is All')
  return values.length > 0
}

/** A line for each error. */
const describedErrors = (errors: readonly InjectError[]): readonly string[] =>
  errors.map(({ document, field, message }) => `document ${document}${field === '' ? '' : `, ${field}`}: ${message}`)

function refusedInjection(errors: readonly InjectError[]): Error {
  const descriptions = describedErrors(errors)
  const more = descriptions.length > 1 ? ` (and ${descriptions.length - 1} more)` : ''
  return refused(`nothing was injected: ${descriptions[0]}${more}`, descriptions)
}
