/**
 * The directives that one policy comes to, and the files that hold them. Source: specification of RateLimitPolicy,
 * "What the service does" and "Resources and their fields"; nginx, limit_req_zone and limit_req.
 */

import type { Member } from '../../json/member.ts'
import { zoneName } from '../../limits/zone.ts'
import { limitParameters } from '../../nginx/refusals.ts'
import type { LimitView, PolicyView } from '../objects/policy.ts'
import { comment, directive, type Node, print } from './nodes.ts'

/** A file of configuration: its name without a folder, and what stands in it. */
export type RenderedFile = { readonly name: string; readonly text: string }

/** What a policy is on: its directives stand at http, or in the locations of its routes. */
export type PolicyPlace = 'Gateway' | 'Routes'

/** Where the directives of a policy stand. */
export const placeOf = ({ targets }: Pick<PolicyView, 'targets'>): PolicyPlace =>
  targets.some(({ kind }) => kind.value === 'Gateway') ? 'Gateway' : 'Routes'

/** What nginx gets where a limit names no size. */
const DEFAULT_SIZE = '10m'

/** What the author wrote, unchanged: nginx is to judge it. */
const written = ({ raw }: Member<unknown>, absent = ''): string =>
  raw === undefined ? absent : typeof raw === 'string' ? raw : JSON.stringify(raw)

const zoneOf = ({ identity: { namespace = '', name = '' } }: PolicyView, { index }: LimitView): string =>
  zoneName(namespace, name, index)

/** The `limit_req_zone` directives of a policy, which stand at http whatever it targets. */
export const zoneNodes = (policy: PolicyView): readonly Node[] =>
  policy.limits.map((limit) =>
    directive(
      `limit_req_zone ${written(limit.key)} zone=${zoneOf(policy, limit)}:${written(limit.zoneSize, DEFAULT_SIZE)} rate=${written(limit.rate)}`,
    ),
  )

/** The `limit_req` directives of some limits of a policy. */
export const limitNodes = (policy: PolicyView, limits: readonly LimitView[] = policy.limits): readonly Node[] =>
  limits.map((limit) => {
    const { burst, delay, noDelay } = limit
    const parameters = limitParameters({ burst: burst.value, delay: delay.value, noDelay: noDelay.value })
    return directive([`limit_req zone=${zoneOf(policy, limit)}`, ...parameters].join(' '))
  })

/** The directives of the settings that a policy has. For `dryRun: false` the product writes nothing, so it ends no dry run. */
export function settingNodes({ dryRun, logLevel, rejectCode }: PolicyView): readonly Node[] {
  return [
    ...(dryRun.value === true ? [directive('limit_req_dry_run on')] : []),
    ...(logLevel.value === undefined ? [] : [directive(`limit_req_log_level ${logLevel.value}`)]),
    ...(rejectCode.value === undefined ? [] : [directive(`limit_req_status ${rejectCode.value}`)]),
  ]
}

/** A policy as comments name it: `RateLimitPolicy shop/coffee`. */
export const titleOf = ({ identity: { kind, namespace, name } }: Pick<PolicyView, 'identity'>): string =>
  `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name ?? '(no name)'}`

/** The names of a policy's files; as long as those of NGINX Gateway Fabric, which decides how long its name may be. */
export function fileNamesOf(policy: PolicyView): { readonly zones: string; readonly limits: string } {
  const { namespace = '', name = '' } = policy.identity
  const base = `RateLimitPolicy_${placeOf(policy)}_${namespace}_${name}`
  return { zones: `${base}_zones.conf`, limits: `${base}_limits.conf` }
}

/** The files of a policy: one to include at http, one to include where it limits. */
export function policyFiles(policy: PolicyView): readonly [zones: RenderedFile, limits: RenderedFile] {
  const { zones, limits } = fileNamesOf(policy)
  const title = titleOf(policy)
  return [
    { name: zones, text: print([comment(`${title}: zones, at http`), ...zoneNodes(policy)]) },
    {
      name: limits,
      text: print([
        comment(`${title}: limits, ${placeOf(policy) === 'Gateway' ? 'at http' : 'in the locations of its routes'}`),
        ...limitNodes(policy),
        ...settingNodes(policy),
      ]),
    },
  ]
}
