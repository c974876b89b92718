/** What several views list of a workspace, read anew when an event touches it. */
import type { JsonObject } from '../../json/member.ts'
import { allItems, itemsOf } from './api.ts'
import { type Loaded, useLoaded, useManagement } from './context.ts'
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

/** Its proxies, with their states, which an environment changes, too. */
export function useProxies(workspace: string): Loaded<readonly JsonObject[]> {
  const { api } = useManagement()
  return useLoaded(
    `proxies ${workspace}`,
    () => allItems(api, PATHS.proxies(workspace)),
    ({ type, data }) => data.workspace === workspace && (type.startsWith('proxy.') || type.startsWith('environment.')),
  )
}

/** Their names. */
export const namesOf = (items: readonly JsonObject[] = []): readonly string[] => items.map(({ name }) => String(name))
