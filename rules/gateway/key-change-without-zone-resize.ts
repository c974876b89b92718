import { type PatchOperation, rule } from '../../src/engine/rule.ts'
import { listChange, otherSize, type ZoneChange, zoneChanges } from '../../src/gateway/keys/zones.ts'
import { manifest } from './manifest.ts'
import { shorten } from './words.ts'

/** A running nginx keeps a zone's key for as long as the zone keeps its name and size. */
export default rule({
  id: 'gateway/key-change-without-zone-resize',
  severity: 'error',
  judges: 'RateLimitPolicy',
  reads: ['previous', 'platform'],
  fix: 'opt-in',
  summary: 'The key at a position changes only together with its zone size.',
  why: 'A zone is named by the position of its limit. Where name and size stay and the key changes, nginx refuses the whole new configuration on reload, reports success all the same, and every later change to that gateway waits behind it.',
  remedy: 'Change zoneSize together with the key (for example to {resized}), or delete the policy and create it again.',
  source: 'specification of RateLimitPolicy, "Errors" and "Events"; nginx, limit_req_zone',
  messages: {
    changed:
      'the key changes from "{oldKey}" to "{newKey}" while the zone keeps its size of {size}: nginx will refuse the reload',
    inserted: {
      text: 'a limit inserted before others puts the key "{newKey}" into the zone of "{oldKey}", which keeps its size of {size}: nginx will refuse the reload',
      remedy:
        'Append the new limit at the end of rules, where it gets a zone of its own, or change the zoneSize of every limit that moves.',
    },
    removed: {
      text: 'a removed limit moves the key "{newKey}" into the zone of "{oldKey}", which keeps its size of {size}: nginx will refuse the reload',
      remedy:
        'Change the zoneSize of every limit that moves (here for example to {resized}), or delete the policy and create it again.',
    },
    reordered: {
      text: 'the new order moves the key "{newKey}" into the zone of "{oldKey}", which keeps its size of {size}: nginx will refuse the reload',
      remedy: 'Keep the order: it does not change what is enforced. Or change the zoneSize of every limit that moves.',
    },
  },
  examples: {
    bad: manifest({ limits: ['{ key: $uri, rate: 10r/s, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $uri, rate: 10r/s, zoneSize: 11m }'] }),
    previous: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
  },
  check(policy, { previous, platform, report }) {
    if (!previous) return
    const changes = zoneChanges(previous, policy, platform.pageSize)
    if (changes.length === 0) return
    const how = listChange(previous, policy)
    const groups = how === 'changed' ? changes.map((change) => [change]) : [changes]
    for (const group of groups) {
      const [first] = group
      if (!first) continue
      const { oldKey, newKey, size, limit } = first
      const keys = { oldKey: shorten(oldKey), newKey: shorten(newKey) }
      const data = { ...keys, size: `${size.count}${size.unit}`, resized: otherSize(size) }
      report(how, limit.key, data, group.map(resize))
    }
  },
})

const resize = ({ limit: { zoneSize }, size }: ZoneChange): PatchOperation => ({
  op: zoneSize.raw === undefined ? 'add' : 'replace',
  path: zoneSize.pointer,
  value: otherSize(size),
})
