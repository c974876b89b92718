/** The address of each view of the management API: the fragment of the page's address. */
import { isObject, type JsonObject } from '../../json/member.ts'

/** Which proxy: the name alone may not be enough. */
export type ProxyPlace = {
  readonly workspace: string
  readonly name: string
  readonly hostname: string
  readonly version: string
}

/** Where a proxy of the API is edited. */
export function placeIn(workspace: string, { name, version, proxyConfig }: JsonObject): ProxyPlace {
  const hostname = isObject(proxyConfig) ? proxyConfig.hostname : undefined
  return {
    workspace,
    name: String(name),
    hostname: typeof hostname === 'string' ? hostname : '',
    version: String(version),
  }
}

/** A view with what it shows. */
export type Place =
  | { readonly view: 'services' }
  | { readonly view: 'workspace'; readonly workspace: string }
  | { readonly view: 'environment'; readonly workspace: string; readonly environment: string }
  | ({ readonly view: 'proxy' } & ProxyPlace)
  | { readonly view: 'users' }
  | { readonly view: 'tokens' }
  | { readonly view: 'audit' }
  | { readonly view: 'account' }

/** Reads a fragment; what is none is the first view. */
export function placeOf(fragment: string): Place {
  const [path = '', query = ''] = fragment.split('?', 2)
  const [first, second, third, fourth] = path.split('/').filter(Boolean).map(decoded)
  if (first === 'users' || first === 'tokens' || first === 'audit' || first === 'account') return { view: first }
  if (first !== 'services' || second === undefined) return { view: 'services' }
  if (third === 'environments' && fourth !== undefined)
    return { view: 'environment', workspace: second, environment: fourth }
  if (third !== 'proxies' || fourth === undefined) return { view: 'workspace', workspace: second }
  const asked = new URLSearchParams(query)
  const [hostname, version] = [asked.get('hostname') ?? '', asked.get('version') ?? 'v1']
  return { view: 'proxy', workspace: second, name: fourth, hostname, version }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The link to a view. */
export function linkTo(place: Place): string {
  if (!('workspace' in place)) return `#/${place.view}`
  const workspace = `#/services/${encodeURIComponent(place.workspace)}`
  if (place.view === 'workspace') return workspace
  if (place.view === 'environment') return `${workspace}/environments/${encodeURIComponent(place.environment)}`
  const query = new URLSearchParams({ hostname: place.hostname, version: place.version })
  return `${workspace}/proxies/${encodeURIComponent(place.name)}?${query}`
}

const WORKSPACES = '/services/workspaces'

/** Paths of the API. */
export const PATHS = {
  workspaces: WORKSPACES,
  workspace: (workspace: string) => `${WORKSPACES}/${encodeURIComponent(workspace)}`,
  proxies: (workspace: string) => `${PATHS.workspace(workspace)}/proxies`,
  proxy: (place: ProxyPlace) => `${PATHS.proxies(place.workspace)}/${encodeURIComponent(place.name)}?${queryOf(place)}`,
  history: (place: ProxyPlace, more = '') =>
    `${PATHS.proxies(place.workspace)}/${encodeURIComponent(place.name)}/history${more}?${queryOf(place)}`,
  environments: (workspace: string) => `/infrastructure/workspaces/${encodeURIComponent(workspace)}/environments`,
  environment: (workspace: string, name: string) => `${PATHS.environments(workspace)}/${encodeURIComponent(name)}`,
  environmentHistory: (workspace: string, name: string, more = '') =>
    `${PATHS.environment(workspace, name)}/history${more}`,
  users: '/users',
  tokens: '/tokens',
  token: (name: string) => `/tokens/${encodeURIComponent(name)}`,
  audit: '/audit',
  user: (name: string) => `/users/${encodeURIComponent(name)}`,
} as const

const queryOf = ({ hostname, version }: ProxyPlace): URLSearchParams => new URLSearchParams({ hostname, version })
