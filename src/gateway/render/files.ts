/**
 * The directives of one policy, and the files that hold them. Source: specification of RateLimitPolicy, "What the service
 * does" and "Resources and their fields"; nginx, limit_req_zone and limit_req.
 */

import type { Member } from '../../json/member.ts'
import { namespaceName } from '../../kubernetes/metadata.ts'
import type { ZoneNaming } from '../../limits/zone.ts'
import { comment, directive, type Node, print } from '../../nginx/nodes.ts'
import { LONGEST_FILE_NAME, limitParameters } from '../../nginx/rejections.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { isPlaceholder } from '../../text/placeholder.ts'
import { zoneNameOf } from '../keys/zone-name.ts'
import type { LimitView, PolicyView } from '../objects/policy.ts'

/** A configuration file: its name without a folder, and its text. */
export type RenderedFile = { readonly name: string; readonly text: string }

/** Whether a policy targets Gateways, so that its limits are at http or in servers, or routes, so that they are in locations. */
const targetsOf = ({ targets }: Pick<PolicyView, 'targets'>): 'Gateway' | 'Routes' =>
  targets.some(({ kind }) => kind.value === 'Gateway') ? 'Gateway' : 'Routes'

/** The size of a zone for a limit that does not set one. */
const DEFAULT_SIZE = '10m'

/** The value as the author wrote it: nginx decides whether it is valid. */
const written = ({ raw }: Member<unknown>, absent = ''): string =>
  raw === undefined ? absent : typeof raw === 'string' ? raw : JSON.stringify(raw)

/** False for a limit with a placeholder: nothing can be rendered of it yet. */
export const isFinished = ({ key, rate, zoneSize, burst, delay, noDelay }: LimitView): boolean =>
  ![key, rate, zoneSize, burst, delay, noDelay].some(({ raw, pointer }) => isPlaceholder(raw, pointer))

/** The `limit_req_zone` directives of a policy, which are at http whatever it targets. */
export const zoneNodes = (policy: PolicyView, naming: ZoneNaming): readonly Node[] =>
  policy.limits
    .filter(isFinished)
    .map((limit) =>
      directive(
        `limit_req_zone ${written(limit.key)} zone=${zoneNameOf(policy, limit, naming)}:${written(limit.zoneSize, DEFAULT_SIZE)} rate=${written(limit.rate)}`,
      ),
    )

/** The `limit_req` directives of some limits of a policy. */
export const limitNodes = (
  policy: PolicyView,
  naming: ZoneNaming,
  limits: readonly LimitView[] = policy.limits,
): readonly Node[] =>
  limits.filter(isFinished).map((limit) => {
    const { burst, delay, noDelay } = limit
    const parameters = limitParameters({ burst: burst.value, delay: delay.value, noDelay: noDelay.value })
    return directive([`limit_req zone=${zoneNameOf(policy, limit, naming)}`, ...parameters].join(' '))
  })

/** The directives of the settings of a policy. `dryRun: false` has no directive in NGINX Gateway Fabric, so it ends no dry run. */
export function settingNodes({ dryRun, logLevel, rejectCode }: PolicyView): readonly Node[] {
  return [
    ...(dryRun.value === true ? [directive('limit_req_dry_run on')] : []),
    ...(logLevel.value === undefined ? [] : [directive(`limit_req_log_level ${logLevel.value}`)]),
    ...(rejectCode.value === undefined ? [] : [directive(`limit_req_status ${rejectCode.value}`)]),
  ]
}

/** An object as comments and messages name it: `RateLimitPolicy shop/coffee`. */
export const titleOf = ({ identity: { kind, namespace, name } }: Pick<PolicyView, 'identity'>): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name ?? '(no name)'}`

/** The names of a policy's files; they have the length of those of NGINX Gateway Fabric (see {@link fileNameSize}). */
export function fileNamesOf(policy: PolicyView): { readonly zones: string; readonly limits: string } {
  const { namespace = '', name = '' } = policy.identity
  const base = `RateLimitPolicy_${targetsOf(policy)}_${namespace}_${name}`
  return { zones: `${base}_zones.conf`, limits: `${base}_limits.conf` }
}

/**
 * Characters that NGINX Gateway Fabric adds to namespace and name in the longest name of a file that it writes for a
 * policy: on a Gateway (measured) or on routes (from its source).
 */
const FILE_NAME_AFFIXES = { Gateway: 37, Routes: 36 } as const

/** The most characters of namespace and name together that fit into the name of a file. */
export const FILE_NAME_LENGTHS = {
  Gateway: LONGEST_FILE_NAME - FILE_NAME_AFFIXES.Gateway,
  Routes: LONGEST_FILE_NAME - FILE_NAME_AFFIXES.Routes,
} as const

/**
 * Characters of namespace and name together (`length`), the most that fit into a file name (`most`: 218 on a Gateway,
 * 219 on routes), and what remains for the name (`room`).
 */
export function fileNameSize(policy: PolicyView): Record<'length' | 'most' | 'room', number> {
  const most = FILE_NAME_LENGTHS[targetsOf(policy)]
  const namespace = namespaceName(policy.identity.namespace).length
  return { length: namespace + (policy.metadata.name.value ?? '').length, most, room: most - namespace }
}

const CONTEXTS = { http: 'at http', server: 'in each server of the Gateway' } as const

/** The files of a policy: one to include at http, and one to include where its limits apply. */
export function policyFiles(
  policy: PolicyView,
  naming: ZoneNaming,
  limitsIn: 'http' | 'server' = 'http',
): readonly [zones: RenderedFile, limits: RenderedFile] {
  const { zones, limits } = fileNamesOf(policy)
  const title = titleOf(policy)
  return [
    { name: zones, text: print([comment(`${title}: zones, at http`), ...zoneNodes(policy, naming)]) },
    {
      name: limits,
      text: print([
        comment(
          `${title}: limits, ${targetsOf(policy) === 'Gateway' ? CONTEXTS[limitsIn] : 'in the locations of its routes'}`,
        ),
        ...limitNodes(policy, naming),
        ...settingNodes(policy),
      ]),
    },
  ]
}

/** The name of a file that is not named after one policy; a name that file systems would reject is shortened. */
export function fileName(base: string, extension: string): string {
  const name = base + extension
  if (name.length <= LONGEST_FILE_NAME) return name
  const end = `_${fingerprint(base)}${extension}`
  return base.slice(0, LONGEST_FILE_NAME - end.length) + end
}
