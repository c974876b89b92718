/** What the operations on single objects do, which kubectl asks for and the specification does not have. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type BodyBudget, mediaTypeOf, useTypedBody } from '../../http/body.ts'
import type { User } from '../../http/delegated-access.ts'
import { HttpError } from '../../http/http-error.ts'
import { readStrictJson } from '../../http/strict-json.ts'
import type { Json } from '../../json/member.ts'
import type { PodTemplates } from '../../kubernetes/pod-templates.ts'
import type { PodChoices } from '../../mesh/inject/settings.ts'
import { describeNotEnforced, notEnforced } from '../../mesh/not-enforced.ts'
import { type ChangeTools, changeConfig } from './audit.ts'
import { readChangeOptions } from './negotiation.ts'
import { CONFIG_NAME, configObject, serviceName, serviceObject } from './objects.ts'
import { LARGEST_PATCH, OBJECT_PATCHES } from './operations.ts'
import { patchObject, type SentPatch } from './patch-object.ts'
import { createSender, nameOf, notFound } from './responses.ts'
import type { MeshState } from './state.ts'
import { warn, warningHeaders } from './warnings.ts'

/** What the operations need. */
export type HandlerOptions = ChangeTools & {
  /** Of the settings; default: those of a new installation. */
  readonly choices?: PodChoices | undefined
  /** Where custom kinds have their Pod templates. */
  readonly podTemplates?: readonly PodTemplates[]
  readonly state: MeshState
  /** In milliseconds; by default that of the machine. */
  now?(): number
}

/** What an operation does. Rejects with `HttpError`. */
export type Handler = (request: IncomingMessage, response: ServerResponse, user: User) => Promise<void>

/** Creates them. They reject with `HttpError`. */
export function createObjectHandlers(options: HandlerOptions, budget: BodyBudget) {
  const { names, config, state } = options
  const { sendObject } = createSender(names)
  return {
    async readConfigObject(request, response) {
      const object = configObject(await config.read(), names)
      if (nameOf(request) !== CONFIG_NAME) throw notFound(names, 'config', nameOf(request))
      sendObject(request, response, object)
    },
    async patchConfigObject(request, response, user) {
      const { isDryRun, validation } = readChangeOptions(request)
      const name = nameOf(request)
      const sent = await readObjectPatch(request, budget)
      if (name !== CONFIG_NAME) throw notFound(names, 'config', name)
      let warnings: readonly string[] = []
      const after = await changeConfig(options, { user, isDryRun }, (kept) => {
        const outcome = patchObject(kept.config, sent, { names, validation })
        warnings = outcome.warnings
        return { ...kept, config: outcome.config }
      })
      warn(response, warningHeaders([...warnings, ...notEnforced(after).map(describeNotEnforced)]))
      sendObject(request, response, configObject(after, names))
    },
    async readService(request, response) {
      const name = nameOf(request)
      const found = state.services().find((service) => serviceName(service) === name)
      if (!found) throw notFound(names, 'services', name)
      sendObject(request, response, serviceObject(found, names))
    },
  } satisfies Readonly<Record<string, Handler>>
}

const APPLY = 'application/apply-patch+yaml'

/** Reads a patch of an object. Rejects with `HttpError`. */
function readObjectPatch(request: IncomingMessage, budget: BodyBudget): Promise<SentPatch> {
  const type = mediaTypeOf(request.headers)
  const accepted = type === APPLY ? [APPLY] : Object.values(OBJECT_PATCHES)
  return useTypedBody(request, { type: accepted, limit: LARGEST_PATCH, budget }, async (bytes) => {
    if (type === APPLY)
      throw new HttpError(
        415,
        'server-side apply is not supported, as nobody owns single fields of the mesh: apply without --server-side, or send a merge or a JSON patch',
      )
    return { type, body: readStrictJson(bytes) as Json }
  })
}
