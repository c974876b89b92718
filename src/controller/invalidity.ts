/** The errors of the policies of a cluster, judged as `sluice status` judges those of manifests. */
import type { PolicyView } from '../gateway/objects/policy.ts'
import type { Invalidity } from '../gateway/status/status.ts'
import { GATEWAY_SYSTEM } from '../gateway/system.ts'
import { apiNames } from '../kubernetes/api-groups.ts'
import { judgeAlone } from '../queries/query-world.ts'
import type { Settings } from '../settings/settings.ts'
import { cachedBy } from '../world/cache.ts'
import { noObjects, type ObjectsByKind, objectsByKind } from '../world/objects.ts'
import { createWorldMaker } from '../world/world.ts'

/** The errors of a policy on its own, where it has any. */
export type InvalidityOf = (policy: PolicyView) => Invalidity | undefined

const NOTHING = noObjects(false)

/** Makes what judges each version of a policy once, until the settings or an object change that is known by more than its name. */
export function createInvalidity(): (objects: ObjectsByKind, settings: Settings) => InvalidityOf {
  let last: { readonly inputs: readonly unknown[]; readonly judge: InvalidityOf } | undefined
  return (objects, settings) => {
    const kinds = GATEWAY_SYSTEM.kinds(apiNames(settings.apiGroups)).filter(({ keepsName }) => keepsName)
    const kept = new Map(kinds.map(({ kind }) => [kind, objects.named(kind)]))
    const inputs = [settings, ...kept.values()]
    if (last?.inputs.every((input, index) => input === inputs[index])) return last.judge
    const open = new Map([...kept].map(([kind, known]) => [kind, { ...known, closed: false }]))
    const { lookups } = createWorldMaker([GATEWAY_SYSTEM])(objectsByKind((kind) => open.get(kind) ?? NOTHING))
    const judge = cachedBy(judgeAlone(lookups, settings))
    last = { inputs, judge }
    return judge
  }
}
