import { shortened } from '../../src/gateway/cel/policy.ts'
import { zoneChangesInCel } from '../../src/gateway/cel/zone-changes.ts'
import { hasMoved, isNotTaken, wasNotTaken } from '../../src/gateway/keys/taken.ts'
import { formerKey, noted } from '../../src/gateway/keys/zone-notes.ts'
import { listChange, otherSize, zoneChanges } from '../../src/gateway/keys/zones.ts'
import type { LimitView, PolicyView } from '../../src/gateway/objects/policy.ts'
import { type PatchOperation, rule } from '../../src/gateway/rule.ts'
import { DEFAULT_ZONE_SIZE } from '../../src/limits/size.ts'
import type { ZoneNaming } from '../../src/limits/zone.ts'
import { shorten } from '../describe.ts'
import { gateway, manifest, route } from './manifest.ts'

/** In a closed world, a policy without a target has no zone. */
const example = (key: string, zoneSize: string): string =>
  manifest({
    limits: [`{ key: ${key}, rate: 10r/s, zoneSize: ${zoneSize} }`],
    beside: [gateway('shop'), route('coffee', 'parentRefs: [{ name: shop }]')],
  })

/** A running nginx keeps the key of a zone for as long as the zone keeps its name and size. */
export default rule({
  id: 'gateway/key-change-without-zone-resize',
  severity: 'error',
  judges: 'RateLimitPolicy',
  reads: [
    'previous',
    'before',
    'platform',
    'variables',
    'conflict',
    'zoneNaming',
    'names',
    'gateways',
    'routes',
    'policies',
    'namespaces',
  ],
  lookupsOnlySilence: true,
  fix: 'opt-in',
  mutatesWith: ({ keyChange }, { zoneNaming }) => keyChange === 'resize' && zoneNaming === 'indexed',
  summary: 'The zoneSize of a limit changes whenever its key changes.',
  why: 'A zone is named by the position of its limit. If its name and size stay the same and its key changes, nginx refuses the whole new configuration on reload. "nginx -s reload" still reports success, and no later change to that Gateway takes effect. With "zoneNaming: keyed" in the settings a zone is named by its key as well, and the rule has nothing to report.',
  remedy:
    'Change zoneSize together with the key, or delete the policy and create it again. Where "sluice render" or another program names zones by their key, set "zoneNaming: keyed" in the settings: a changed key then makes a new zone.',
  source: 'specification of RateLimitPolicy, "Errors" and "Events"; nginx, limit_req_zone',
  messages: {
    changed: {
      text: 'the key changes from "{oldKey}" to "{newKey}" but the zone size stays {size}: nginx will refuse the reload',
      remedy: 'Change zoneSize as well, for example to {resized}, or delete the policy and create it again.',
    },
    inserted: {
      text: 'a limit was inserted: key "{newKey}" gets the zone of "{oldKey}" with the same size of {size}: nginx will refuse the reload',
      remedy:
        'Move the new limit to the end of rules, or change the zoneSize of this limit and of every limit after it.',
    },
    removed: {
      text: 'a limit was removed: key "{newKey}" gets the zone of "{oldKey}" with the same size of {size}: nginx will refuse the reload',
      remedy:
        'Change the zoneSize of every limit whose position changes (here, for example, to {resized}), or delete the policy and create it again.',
    },
    reordered: {
      text: 'limits were reordered: key "{newKey}" gets the zone of "{oldKey}" with the same size of {size}: nginx will refuse the reload',
      remedy:
        'Restore the old order, which enforces the same limits, or change the zoneSize of every limit whose position changes.',
    },
    reused: {
      text: 'this zone had the size {size} with the key "{oldKey}" before: an nginx that still has it will refuse the reload',
      severity: 'warning',
      remedy: 'Write a zoneSize that this zone did not have before, for example {resized}.',
    },
    kept: {
      text: 'the webhook wrote zoneSize {size} when the key of this limit changed; {written} would make another new zone',
      severity: 'info',
      remedy: 'Write "zoneSize: {size}", or another size to get a new zone.',
    },
  },
  denies: { changed: 'always', inserted: 'always', removed: 'always', reordered: 'always' },
  cel: ({ platform, names, zoneNaming }) =>
    zoneNaming === 'keyed'
      ? 'with "zoneNaming: keyed" a changed key makes a new zone'
      : {
          variables: zoneChangesInCel({ platform, names }),
          each: 'change',
          of: '(policy.isNew ? variables.changes : [])',
          cases: (['inserted', 'removed', 'reordered', 'changed'] as const).map((message) => ({
            message,
            at: 'key',
            when: `variables.listChange == '${message}'${message === 'changed' ? '' : ' && change.index == variables.changes[0].index'}`,
            values: {
              oldKey: shortened('change.oldKey'),
              newKey: shortened('change.newKey'),
              size: 'change.size',
              resized: 'change.resized',
            },
          })),
        },
  examples: () => ({
    bad: example('$uri', '10m'),
    good: example('$uri', '11m'),
    previous: example('$binary_remote_addr', '10m'),
  }),
  check(policy, context) {
    const { previous, platform, zoneNaming: naming, report } = context
    if (!previous) return
    for (const limit of policy.limits) {
      const { kept, key, size } = noted(limit, { policy, previous, naming })
      if (kept !== undefined) report('kept', limit.zoneSize, { size: kept, written: size }, [write(limit, kept)])
      else if (key !== undefined)
        report('reused', limit.zoneSize, { size, oldKey: shorten(key), resized: resized(limit, policy, naming) })
    }
    const changes = zoneChanges(previous, policy, { pageSize: platform.pageSize, naming })
    if (changes.length === 0 || wasNotTaken(previous, context) || isNotTaken(policy, context)) return
    if (hasMoved(previous, policy, context)) return
    const how = listChange(previous, policy)
    const groups = how === 'changed' ? changes.map((change) => [change]) : [changes]
    for (const group of groups) {
      const [first] = group
      if (!first) continue
      const { oldKey, newKey, size, limit } = first
      const keys = { oldKey: shorten(oldKey), newKey: shorten(newKey) }
      const data = { ...keys, size: `${size.count}${size.unit}`, resized: resized(limit, policy, naming) }
      const patch = group.map((change) => write(change.limit, resized(change.limit, policy, naming)))
      report(how, limit.key, data, patch)
    }
  },
})

/** Another size for the zone of a limit, which it did not have before with another key. */
const resized = (limit: LimitView, policy: PolicyView, naming: ZoneNaming): string =>
  otherSize(
    limit.zoneSize.value ?? DEFAULT_ZONE_SIZE,
    (bytes) => formerKey(limit, policy, { bytes, naming }) !== undefined,
  )

const write = ({ zoneSize }: LimitView, value: string): PatchOperation => ({
  op: zoneSize.raw === undefined ? 'add' : 'replace',
  path: zoneSize.pointer,
  value,
})
