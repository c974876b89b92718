/** Makes the files of a configuration of the forms of its parts. */
import { environmentPart, RESERVED_PART, type Site } from '../api-management/render/published.ts'
import {
  assemble,
  type RenderedEnvironment,
  type RenderedProxy,
  renderEnvironment,
  renderProxy,
} from '../api-management/render/render.ts'
import { isObject, type JsonObject } from '../json/member.ts'
import type { ConfigurationFile, Forms } from '../proxy/configuration.ts'

/** A form as it was read, and what it was rendered to beside a form of its environment. */
type Known = {
  readonly form: string
  readonly environment: string
  readonly body: JsonObject
  readonly beside: RenderedEnvironment | undefined
  readonly rendered: RenderedProxy | undefined
}

const PREFIX = environmentPart('')

/** Creates `compose` for a driver. What was made of a form is kept while it is in use: of many mostly one has changed. */
export function createComposer(site: Site): (forms: Forms) => readonly ConfigurationFile[] {
  let proxies: ReadonlyMap<string, Known> = new Map()
  let environments: ReadonlyMap<string, { readonly form: string; readonly rendered: RenderedEnvironment }> = new Map()

  function renderedOf(id: string, form: string): Known {
    const before = proxies.get(id)
    const isSame = before?.form === form
    const { environment, body } = isSame ? before : readForm(form)
    const beside = environments.get(environment)?.rendered
    if (isSame && before.beside === beside) return before
    return { form, environment, body, beside, rendered: renderProxy({ id, body }, beside, site) }
  }

  return (forms) => {
    const parts = [...forms]
    environments = new Map(
      parts
        .filter(([part]) => part.startsWith(PREFIX))
        .map(([part, form]) => {
          const name = part.slice(PREFIX.length)
          const before = environments.get(name)
          return [name, before?.form === form ? before : { form, rendered: renderForm(name, form) }]
        }),
    )
    proxies = new Map(
      parts
        .filter(([part]) => !part.startsWith(PREFIX) && part !== RESERVED_PART)
        .map(([id, form]) => [id, renderedOf(id, form)]),
    )
    const reserved: unknown = JSON.parse(forms.get(RESERVED_PART) ?? '[]')
    return assemble(
      [...proxies.values()].flatMap(({ rendered }) => rendered ?? []),
      [...environments.values()].map(({ rendered }) => rendered),
      site,
      Array.isArray(reserved) ? reserved.map(String) : [],
    )
  }
}

const renderForm = (name: string, form: string): RenderedEnvironment =>
  renderEnvironment({ name, policies: objectOf(JSON.parse(form)) })

/** A form may be one that an older version has left. */
function readForm(form: string): Pick<Known, 'environment' | 'body'> {
  const { environment, body } = objectOf(JSON.parse(form))
  return { environment: typeof environment === 'string' ? environment : '', body: objectOf(body) }
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})
