/** What each operation of the API does. */
import type { IncomingMessage } from 'node:http'
import { type BodyBudget, createBodyBudget, useTypedBody } from '../../http/body.ts'
import { sendJson, sendText } from '../../http/http-error.ts'
import { readStrictJson } from '../../http/strict-json.ts'
import type { Json, JsonObject } from '../../json/member.ts'
import { type Injected, type InjectedObject, noteOf } from '../../mesh/inject/inject.ts'
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
import { createSender, warningOf } from './responses.ts'

/** Bytes of all bodies in flight, and the most of one. An API server takes 3 MiB by itself. */
const BODY_BUDGET = 64 * 1024 * 1024
const LARGEST_FORM = 16 * 1024 * 1024

/** Creates them. They reject with `HttpError`. */
export function createHandlers(options: HandlerOptions): Readonly<Record<Operation['id'], Handler>> {
  const { names, choices, config, state, now = Date.now } = options
  const { sendObjects } = createSender(names)
  const budget = createBodyBudget(BODY_BUDGET)
  const inject = createInjector()
  const textOf = rememberText()
  return {
    ...createObjectHandlers(options, budget),
    async readConfig(request, response) {
      const form = formOf(request)
      if (form === 'bare') sendJson(response, 200, textOf(await config.read()))
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
      sendJson(response, 200, JSON.stringify(changed))
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
        const injected = await inject(text, { config: await config.read(), names, choices, ...ports })
        if (!injected.ok) throw refusedInjection(injected.errors)
        const warnings = warningsOf(injected.objects)
        if (warnings.length > 0) response.setHeader('warning', warnings)
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
  const values = start === -1 ? [] : queryOf({ url }).getAll('dryRun')
  if (values.some((value) => value !== 'All'))
    throw refused('the configuration stays as it is: the only value of dryRun is All')
  return values.length > 0
}

/** Clients of Kubernetes print this header; all headers of a response have 16 KiB. */
const MOST_WARNINGS = 20

/** What was left without the sidecar that it should have. */
const warningsOf = (objects: readonly InjectedObject[]): readonly string[] =>
  objects
    .filter(({ message }) => message !== undefined)
    .slice(0, MOST_WARNINGS)
    .map((object) => warningOf(`${noteOf(object)}`))

type InjectErrors = Extract<Injected, { readonly ok: false }>['errors']

function refusedInjection(errors: InjectErrors): Error {
  const descriptions = errors.map(
    ({ document, field, message }) => `document ${document}${field === '' ? '' : `, ${field}`}: ${message}`,
  )
  const more = descriptions.length > 1 ? ` (and ${descriptions.length - 1} more)` : ''
  return refused(`nothing was injected: ${descriptions[0]}${more}`, descriptions)
}
