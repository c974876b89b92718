/** The nginx configuration of the API proxies of bodies in files. */
import { placeOf, publicationProblems } from '../../api-management/render/plan.ts'
import type { RenderedFile, Site } from '../../api-management/render/published.ts'
import { renderProxies } from '../../api-management/render/render.ts'
import { asList, isObject, type Json, type JsonObject } from '../../json/member.ts'
import { type FoundProxy, type ProxyWorld, printPlace, titleOfProxy } from './find.ts'

/** The configuration of the proxies of one world: one nginx runs them all. */
export type RenderedProxies = {
  /** Empty for bodies that belong to no world. */
  readonly world: string
  /** With `/` in their names, relative to the folder of `nginx.conf`. */
  readonly files: readonly { readonly name: string; readonly text: string }[]
}

/** How proxies are rendered. */
export type ProxyRenderOptions = {
  /** True for a whole configuration, false for the directives of each context. */
  readonly complete: boolean
  /** True for a file for each context of each proxy, false for one text. */
  readonly files: boolean
  readonly site: Pick<Site, 'nginxVersion' | 'address' | 'port'>
  /** Addresses of backends, `HOST:PORT`, by the hostname that a body has for them, with or without port. */
  readonly addresses: ReadonlyMap<string, string>
}

/** What is rendered, and what is to be known of it. */
type Rendering = RenderedProxies & {
  /** What was left out, and what the API refuses, each in one line. */
  readonly notes: readonly string[]
  /** The names of backends for which there is an address, and those that have one. */
  readonly backends: readonly string[]
  readonly used: readonly string[]
}

/** Renders the proxies of a world. One that cannot be published is left out, and so are two that answer at one place. */
export function renderProxyWorld({ name, proxies }: ProxyWorld, options: ProxyRenderOptions): Rendering {
  const notes: string[] = []
  const used = new Set<string>()
  const places = new Map<string, FoundProxy>()
  const published = proxies.flatMap((proxy) => {
    const { object } = proxy.view
    const [problem] = publicationProblems(object)
    const title = `${titleOfProxy(proxy)} (${printPlace(proxy.place())})`
    if (problem) {
      notes.push(`${title} is left out: ${problem.pointer}: ${problem.message}. ${problem.remedy}`)
      return []
    }
    const { hostname = '', paths } = placeOf(object)
    const here = paths.map((path) => `${hostname || '*'}${path}`)
    const taken = here.find((place) => places.has(place))
    const other = taken === undefined ? undefined : places.get(taken)
    if (other) {
      notes.push(`${title} is left out: ${taken} belongs to ${titleOfProxy(other)} (${printPlace(other.place())})`)
      return []
    }
    for (const place of here) places.set(place, proxy)
    const refusal = proxy.refusal()
    if (refusal)
      notes.push(`${title} is rendered without limits that have errors, but the API refuses it: ${refusal.message}`)
    const body = withAddresses(object, options.addresses, used)
    return [{ id: proxy.id, workspace: '', environment: '', revision: 1, body }]
  })
  const ids = new Set(published.map(({ id }) => id))
  const unique = published.filter(({ id }) => ids.delete(id))
  const files = renderProxies({ proxies: unique, environments: [] }, options.site)
  const backends = proxies.flatMap(({ view }) => targetsOf(view.object).flatMap(namesOf))
  return { world: name, files: arrange(files, options), notes, backends, used: [...used] }
}

/** One text, or the files of a folder. */
function arrange(
  files: readonly RenderedFile[],
  { complete, files: asFiles }: ProxyRenderOptions,
): RenderedProxies['files'] {
  const [main, ...others] = files
  if (!main) return []
  if (asFiles) return (complete ? files : others).map(({ name, text }) => ({ name, text }))
  if (complete)
    return [{ name: main.name, text: withIncludes(main.text, new Map(others.map((one) => [one.name, one.text]))) }]
  return [{ name: 'contexts.conf', text: others.map(inContext).join('\n') }]
}

const inContext = ({ name, text }: RenderedFile): string =>
  `# ${name.endsWith('.server.conf') ? 'In the server of its hostname' : 'In the http context'}\n${text}`

/** A configuration with the texts of the files that it includes. */
const withIncludes = (text: string, files: ReadonlyMap<string, string>): string =>
  text.replace(/^( *)include (\S+);\n/gm, (line, indent: string, name: string) => {
    const included = files.get(name)
    return included === undefined ? line : included.replace(/^(?=.)/gm, indent)
  })

/** Every target of every backend. */
const targetsOf = ({ proxyConfig }: JsonObject): readonly JsonObject[] =>
  itemsOf(proxyConfig, 'backends').flatMap((backend) => itemsOf(backend, 'serviceTargets'))

const itemsOf = (parent: Json | undefined, name: string): readonly JsonObject[] =>
  isObject(parent) ? (asList(parent[name] ?? null) ?? []).filter(isObject) : []

/** `orders.example:8080`, then `orders.example`. */
function namesOf({ hostname, listener }: JsonObject): readonly string[] {
  if (typeof hostname !== 'string') return []
  const port = isObject(listener) && typeof listener.port === 'number' ? [`${hostname}:${listener.port}`] : []
  return [...port, hostname]
}

/** A body with other addresses for its backends; `used` gets the names of those. */
function withAddresses(body: JsonObject, addresses: ReadonlyMap<string, string>, used: Set<string>): JsonObject {
  if (addresses.size === 0 || !isObject(body.proxyConfig)) return body
  const backends = itemsOf(body.proxyConfig, 'backends').map((backend) => ({
    ...backend,
    serviceTargets: itemsOf(backend, 'serviceTargets').map((target) => {
      const name = namesOf(target).find((one) => addresses.has(one))
      const [, hostname, port] = /^(.*):(\d+)$/.exec(addresses.get(name ?? '') ?? '') ?? []
      if (name === undefined || hostname === undefined) return target
      used.add(name)
      const listener = isObject(target.listener) ? target.listener : {}
      return { ...target, hostname: hostname.replace(/^\[|\]$/g, ''), listener: { ...listener, port: Number(port) } }
    }),
  }))
  return { ...body, proxyConfig: { ...body.proxyConfig, backends } }
}
