/** The conditions of policies and of their targets, in brief. */
import type { JsonObject } from '../../src/json/member.ts'
import { queryStatus, type StatusResult } from '../../src/queries/status.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { gateway, route, worldsOf } from './manifests.ts'

export const NOW = '2026-01-31T12:00:00Z'

/** What differs from a closed world with default settings. */
export type Options = NonNullable<Parameters<typeof worldsOf>[1]> & { readonly controllerName?: string }

export function statuses(objects: readonly JsonObject[], options: Options = {}): StatusResult {
  const [world] = worldsOf(objects, options)
  if (!world) throw new Error('there is no world')
  const settings = { ...DEFAULT_SETTINGS, ...options.settings }
  return queryStatus(world, { settings, controllerName: options.controllerName, now: NOW })
}

/** `coffee HTTPRoute/coffee True Accepted`, one an entry. */
export const brief = (objects: readonly JsonObject[], options?: Options): readonly string[] =>
  statuses(objects, options).policies.flatMap(({ name, ancestors }) =>
    ancestors.flatMap(({ ancestorRef, conditions }) =>
      conditions.map(({ status, reason }) => `${name} ${ancestorRef.kind}/${ancestorRef.name} ${status} ${reason}`),
    ),
  )

export const messagesOf = (result: StatusResult): readonly string[] =>
  result.policies.flatMap(({ ancestors }) =>
    ancestors.flatMap(({ conditions }) => conditions.map(({ message }) => message)),
  )

export const SHOP = [gateway('edge'), route('coffee'), route('tea')]
export const born = (name: string, creationTimestamp: string) => ({ name, creationTimestamp })
