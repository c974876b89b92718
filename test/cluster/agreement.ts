/** Whether a cluster carries the statuses that `sluice status` shows for the same objects. */
import { isObject, type JsonObject } from '../../src/json/member.ts'
import { queryWorlds } from '../../src/queries/query-world.ts'
import { queryStatus } from '../../src/queries/status.ts'
import { DEFAULT_SETTINGS, type Settings } from '../../src/settings/settings.ts'
import { type Kubectl, must } from './kubectl.ts'

const KINDS = 'gatewayclasses,gateways,httproutes,grpcroutes,ratelimitpolicies,namespaces'

/** All objects of the kinds that decide about statuses. */
export async function allObjects(kubectl: Kubectl): Promise<readonly JsonObject[]> {
  const { items } = JSON.parse(await must(kubectl(`get ${KINDS} -A -o json`)))
  return items
}

export type Agreement = {
  readonly settings?: Partial<Settings>
  readonly controllerName?: string
  /** Only the objects of these namespaces are compared. */
  readonly within?: (namespace: string) => boolean
}

/** `Kind/namespace/name`, sorted, of the objects whose status is another one than `sluice status` shows. */
export function disagreements(
  objects: readonly JsonObject[],
  { settings, controllerName, within = () => true }: Agreement = {},
): readonly string[] {
  const all = { ...DEFAULT_SETTINGS, ...settings }
  const source = { file: 'cluster', text: objects.map((one) => `---\n${JSON.stringify(one)}\n`).join('') }
  const worlds = queryWorlds([source], { settings: all, closedWorld: true })
  const expected = new Map(
    worlds.flatMap((world) =>
      queryStatus(world, { settings: all, controllerName, now: 'any' }).objects.map(
        (one) => [nameOf(one), one] as const,
      ),
    ),
  )
  return objects
    .filter((one) => within(String((one.metadata as JsonObject).namespace ?? '')))
    .filter((one) => brief(one) !== brief(expected.get(nameOf(one)) ?? withoutOurs(one)))
    .map(nameOf)
    .sort()
}

const nameOf = ({ kind, metadata }: JsonObject): string => {
  const { namespace, name } = isObject(metadata) ? metadata : {}
  return `${kind}/${namespace}/${name}`
}

/** An object that no policy names carries nothing of ours. */
const withoutOurs = (one: JsonObject): JsonObject =>
  JSON.stringify(one.status ?? {}).includes('RateLimitPolicyAffected') ? { ...one, status: { none: true } } : one

/** The status as text, however its members are ordered; a list without items is none. */
const brief = ({ status }: JsonObject): string => JSON.stringify(sorted(status ?? {}))

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => !(Array.isArray(member) && member.length === 0))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  )
}
