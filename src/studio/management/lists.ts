/** What several views list of a workspace, read anew when an event touches it. */
import { useRef } from 'preact/hooks'
import type { JsonObject } from '../../json/member.ts'
import { type Api, allItems, itemsOf } from './api.ts'
import { type Loaded, useLoaded, useManagement } from './context.ts'
import type { ServerEvent } from './events.ts'
import { PATHS } from './place.ts'

/** Its environments. */
export function useEnvironments(workspace: string): Loaded<readonly JsonObject[]> {
  const { api } = useManagement()
  return useLoaded(
    `environments ${workspace}`,
    async () => itemsOf(await api.get(PATHS.environments(workspace))),
    ({ type, data }) => data.workspace === workspace && type.startsWith('environment.'),
  )
}

/** Its proxies in an environment, with their states, which the environment changes, too. */
export function useProxies(workspace: string, environment: string): Loaded<readonly JsonObject[]> {
  const { api } = useManagement()
  return useLoaded(
    `proxies ${workspace} ${environment}`,
    () => allItems(api, PATHS.proxies(workspace), { environment }),
    isAboutProxies(workspace),
  )
}

const isAboutProxies =
  (workspace: string) =>
  ({ type, data }: ServerEvent): boolean =>
    data.workspace === workspace && (type.startsWith('proxy.') || type.startsWith('environment.'))

/** Which proxies of a workspace are listed, in which order, and how many of them at most. */
export type ProxyQuestion = {
  readonly part: string
  /** Where the part is looked for. */
  readonly within: 'name' | 'hostname'
  /** Empty: any. */
  readonly state: string
  /** With a minus: from the last one. */
  readonly sort: string
  readonly wanted: number
}

/** Some of the proxies, with the number of all that were found. */
type FoundProxies = { readonly items: readonly JsonObject[]; readonly total: number }

/** Proxies, with their states, which an environment changes, too. What was found last stays until the next is there. */
export function useFoundProxies(workspace: string, question: ProxyQuestion, made: number): Loaded<FoundProxies> {
  const { api } = useManagement()
  const last = useRef<FoundProxies | undefined>(undefined)
  const loaded = useLoaded(
    `proxies ${workspace} ${made} ${JSON.stringify(question)}`,
    () => foundProxies(api, PATHS.proxies(workspace), question),
    isAboutProxies(workspace),
  )
  if (loaded.value) last.current = loaded.value
  return last.current ? { ...loaded, value: last.current } : loaded
}

/** Items of a page of the API. */
const PAGE = 100

async function foundProxies(api: Api, path: string, question: ProxyQuestion): Promise<FoundProxies> {
  const { part, within, state, sort, wanted } = question
  // No name and no hostname has another character.
  if (/[^A-Za-z0-9._*-]/.test(part)) return { items: [], total: 0 }
  const asked = { limit: String(PAGE), sort, ...(part && { [within]: `*${part}*` }), ...(state && { state }) }
  const items: JsonObject[] = []
  for (let after: string | undefined, total = 0; ; ) {
    const answer = await api.get(`${path}?${new URLSearchParams({ ...asked, ...(after && { after }) })}`)
    items.push(...itemsOf(answer))
    total = Number(answer.body.total)
    const { nextPageToken: next } = answer.body
    if (typeof next !== 'string' || items.length >= wanted) return { items, total }
    after = next
  }
}

/** Their names. */
export const namesOf = (items: readonly JsonObject[] = []): readonly string[] => items.map(({ name }) => String(name))
