/**
 * Which workspace may publish where. A hostname belongs to the workspace whose proxy was first, or to which an administrator
 * has given it; another one may use the paths of it that an administrator shares. Whatever belongs to whom, no proxy takes
 * requests of another workspace's proxy without the word of an administrator.
 */
import { HttpError } from '../../http/http-error.ts'
import { hostnamesOver, isWithinPaths, losersOf, type Traffic } from '../../queries/proxies/traffic.ts'
import type { Change, HostnameClaim, PlacedProxy, ProxyIdentity, Store, StoredProxy } from '../../store/store.ts'
import type { Principal } from './access/access.ts'
import type { Remark } from './judge.ts'

/** A proxy that is to answer somewhere. */
export type Placement = {
  readonly identity: ProxyIdentity
  /** Hostnames with paths; empty where it takes no requests. */
  readonly addresses: readonly string[]
  /** Where its body says the path. */
  readonly pathPointer: string
  readonly before: StoredProxy | undefined
  readonly principal: Principal
}

/** What must be committed with it. Throws 403 for a hostname of another workspace, and 409 for its requests. */
export async function planPlace(store: Store, placement: Placement): Promise<readonly Change[]> {
  const { identity, addresses, before } = placement
  const { workspace, hostname } = identity
  const released = before && before.hostname !== hostname ? [releaseOf(before)] : []
  if (addresses.length === 0 || before?.addresses.join() === addresses.join()) return released
  const over = hostnamesOver(hostname)
  const names = [...new Set([hostname, ...over])]
  const claims = await store.claimsOn(names)
  const owners = names.map((name) => claims.find((one) => one.hostname === name && isOwner(one)))
  const nearest = owners.find((one) => one !== undefined)
  const share = claims.find((one) => one.workspace === workspace && one.hostname === hostname)?.pathPrefixes
  const traffic = trafficOf({ hostname, addresses })
  const foreign = nearest?.workspace === workspace ? undefined : nearest
  const isGiven = nearest?.workspace === workspace && nearest.isAssigned
  const isShared = share !== undefined && isWithinPaths(traffic, share)
  const sharing = new Set(
    claims.filter((one) => one.hostname === hostname && !isOwner(one)).map((one) => one.workspace),
  )
  if (foreign && !isShared) throw foreignHostname(placement, foreign, share)
  await checkTraffic(store, placement, {
    traffic,
    hostnames: names,
    mayTake: (from) =>
      from.workspace === workspace ||
      (isShared && !sharing.has(from.workspace)) ||
      (isGiven && from.hostname !== hostname),
  })
  const isClaimed = hostname === '' || owners[0] !== undefined || share !== undefined
  return [
    ...released,
    { owners: names.map((name, index) => ({ hostname: name, workspace: owners[index]?.workspace })) },
    ...(isClaimed ? [] : [{ claim: { hostname, workspace, pathPrefixes: undefined, isAssigned: false } }]),
  ]
}

/** How the hostnames that no proxy names are written. */
export const ANY_HOSTNAME = '*'

/** A hostname for people. */
export const printHostname = (hostname: string): string => hostname || ANY_HOSTNAME

const isOwner = ({ pathPrefixes }: HostnameClaim): boolean => pathPrefixes === undefined

/** The end of a claim that came with a proxy, where this was the last one. */
export const releaseOf = ({ hostname, workspace }: Pick<ProxyIdentity, 'hostname' | 'workspace'>): Change => ({
  unclaim: hostname,
  workspace,
  ifUnused: true,
})

/** Addresses without their hostname. */
const trafficOf = ({ hostname, addresses }: Pick<PlacedProxy, 'hostname' | 'addresses'>): Traffic => ({
  hostname,
  paths: addresses.map((address) => address.slice(hostname.length)),
})

type Taking = {
  readonly traffic: Traffic
  /** Its own, and those over it. */
  readonly hostnames: readonly string[]
  /** True for a proxy whose requests this one may take. */
  mayTake(from: PlacedProxy): boolean
}

/** Throws 409 where requests of another workspace would be taken. */
async function checkTraffic(store: Store, placement: Placement, { traffic, hostnames, mayTake }: Taking) {
  const { identity, before, principal, pathPointer } = placement
  if (!(await store.hasForeignProxy(hostnames, identity.workspace))) return
  const others = (await store.proxiesOn(hostnames)).filter(({ id }) => id !== before?.id)
  const placed = others.map((proxy) => ({ ...trafficOf(proxy), proxy }))
  const losers = losersOf({ others: placed, before: before && trafficOf(before), after: traffic })
  const loser = losers.find(({ proxy }) => !mayTake(proxy))?.proxy
  if (!loser) return
  const whose = principal.mayRead(loser.workspace)
    ? `the proxy ${loser.name} of the workspace ${loser.workspace} answers`
    : 'a proxy of another workspace answers'
  const isPath = loser.hostname === traffic.hostname
  throw refusal(409, {
    pointer: isPath ? pathPointer : HOSTNAME,
    message: `it would take requests ${isPath ? '' : `for ${traffic.hostname} `}that ${whose}`,
    remedy: `Choose another ${isPath ? 'path' : 'hostname'}, or ask an administrator for this one: ${asking(identity)}.`,
  })
}

const HOSTNAME = '/proxyConfig/hostname'

const asking = ({ workspace }: ProxyIdentity): string => `PUT /services/workspaces/${workspace}/hostnames`

/** `share`: the paths of it that the workspace may use. */
function foreignHostname(
  { identity, principal, pathPointer }: Placement,
  owner: HostnameClaim,
  share: readonly string[] | undefined,
): HttpError {
  const { hostname } = identity
  const name =
    owner.hostname === hostname
      ? printHostname(hostname)
      : `${hostname} is one of ${printHostname(owner.hostname)}, which`
  const whose = principal.mayRead(owner.workspace) ? `the workspace ${owner.workspace}` : 'another workspace'
  return refusal(403, {
    pointer: share ? pathPointer : HOSTNAME,
    message: `the hostname ${name} belongs to ${whose}${share ? `: here it may be used for ${share.join(', ')} only` : ''}`,
    remedy: `Choose another ${share ? 'path' : 'hostname'}, or ask an administrator to share it: ${asking(identity)}.`,
  })
}

/** A problem with one place of the body. */
const refusal = (status: 403 | 409, remark: Omit<Remark, 'rule'>): HttpError =>
  new HttpError(status, remark.message, { extensions: { errors: [{ rule: 'tenancy', ...remark }] } })
