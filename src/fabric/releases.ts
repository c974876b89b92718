/**
 * The releases of NGINX Gateway Fabric since RateLimitPolicy, and what each does with policies: one table for the settings,
 * rules, statuses and configurations. Source: its public repository, by the pull requests and issues that are linked.
 */
import { nearest } from '../text/nearest.ts'

/** Every release with the nginx of its images, the oldest first; `edge` is the unreleased main branch, as its images are called. */
const RELEASES = [
  ['2.4.0', '1.29.4'],
  ['2.4.1', '1.29.5'],
  ['2.4.2', '1.29.5'],
  ['2.5.0', '1.29.7'],
  ['2.5.1', '1.29.7'],
  ['2.6.0', '1.30.0'],
  ['2.6.1', '1.31.0'],
  ['2.6.2', '1.31.1'],
  ['2.6.3', '1.31.1'],
  ['2.6.4', '1.31.1'],
  ['2.6.5', '1.31.2'],
  ['2.6.6', '1.31.2'],
  ['2.6.7', '1.31.3'],
  ['edge', '1.31.3'],
] as const

/** A release by its name. */
export type FabricVersion = (typeof RELEASES)[number][0]

/** The names of releases, the oldest first. */
export const FABRIC_VERSIONS: readonly FabricVersion[] = RELEASES.map(([version]) => version)

/** The release that counts where none is named: the last before `edge`. */
export const NEWEST_RELEASE = '2.6.7' satisfies FabricVersion

/** The nginx of a release; undefined without one. */
export const nginxOf = (version: FabricVersion | undefined): string | undefined =>
  RELEASES.find(([name]) => name === version)?.[1]

const REPOSITORY = 'https://github.com/nginx/nginx-gateway-fabric'
const pull = (number: number): string => `${REPOSITORY}/pull/${number}`
const issue = (number: number): string => `${REPOSITORY}/issues/${number}`

type Change = { readonly since: FabricVersion; readonly link: string }

/** What releases learned, and since which. */
export const CHANGES = {
  policies: { since: '2.4.0', link: pull(4633) },
  /** The limits of a Gateway are in each of its servers; before, they were in the http context. */
  limitsInServers: { since: '2.5.1', link: pull(4993) },
  listenerSets: { since: '2.6.0', link: pull(5208) },
  /** A policy has the condition `Programmed` beside `Accepted`. */
  programmed: { since: 'edge', link: pull(5392) },
} as const satisfies Readonly<Record<string, Change>>

type Fault = { readonly since: FabricVersion; readonly fixed: FabricVersion; readonly link: string }

/** What releases do wrong with policies. */
export const FAULTS = {
  /** The requests of the agent, and of the API of NGINX Plus, count against limits in the http context. */
  ownRequests: { since: '2.4.0', fixed: '2.5.1', link: issue(4773) },
  /** A route that names one path twice counts as a conflict of every policy on other routes. */
  repeatedPath: { since: '2.4.0', fixed: '2.5.0', link: pull(4899) },
  /** Two routes that share a location count as a conflict of every policy on other routes. */
  sharedByOthers: { since: '2.4.0', fixed: '2.6.3', link: pull(5359) },
  /** A route that answers on two Gateways at one location counts as a conflict of every policy on other routes. */
  severalGateways: { since: '2.4.0', fixed: '2.5.0', link: pull(4855) },
  /** A location that routes with different lists of hostnames share is no conflict. */
  partialOverlap: { since: '2.4.0', fixed: 'edge', link: pull(5605) },
  /** The zones of a policy are missing where its routes name no Gateway, only ListenerSets. */
  zoneOfListenerSet: { since: '2.6.0', fixed: '2.6.3', link: issue(5325) },
} as const satisfies Readonly<Record<string, Fault>>

const position = (version: FabricVersion): number => FABRIC_VERSIONS.indexOf(version)

/** True for a release that has learned something. */
export const hasLearned = (version: FabricVersion, change: keyof typeof CHANGES): boolean =>
  position(version) >= position(CHANGES[change].since)

/** True for a release with a fault. */
export function hasFault(version: FabricVersion, fault: keyof typeof FAULTS): boolean {
  const { since, fixed } = FAULTS[fault]
  return position(version) >= position(since) && position(version) < position(fixed)
}

/** True where a release takes listeners from a kind of ListenerSet; none does from the experimental one. */
export const knowsListenerSet = (version: FabricVersion, kind: string): boolean =>
  kind === 'ListenerSet' && hasLearned(version, 'listenerSets')

/** A release as sentences name it. */
export const fabricTitle = (version: FabricVersion): string =>
  version === 'edge' ? 'the main branch of NGINX Gateway Fabric' : `NGINX Gateway Fabric ${version}`

/** The release of a name; undefined where there is none. */
export const findFabricVersion = (written: unknown): FabricVersion | undefined =>
  FABRIC_VERSIONS.find((version) => version === written)

/** What is wrong with the name of a release, as the end of a sentence. */
export function unknownFabricVersion(written: string): string {
  const numbers = /^v?(\d{1,4})(?:\.(\d{1,4}))?(?:\.(\d{1,4}))?$/.exec(written)
  const digits = (numbers ?? []).slice(1).flatMap((part) => (part === undefined ? [] : String(Number(part))))
  const known = `known are ${FABRIC_VERSIONS.join(', ')}`
  if (isBefore(digits, CHANGES.policies.since))
    return `"${written}" is older than RateLimitPolicy, which came with ${CHANGES.policies.since}; ${known}`
  const like = FABRIC_VERSIONS.filter((version) => version.startsWith(`${digits.slice(0, 2).join('.')}.`))
  const meant = numbers ? (exact(written) ?? like.at(-1)) : nearest(written, [...FABRIC_VERSIONS])
  if (numbers && meant === undefined)
    return `"${written}" is newer than the releases that this version of sluice knows; ${known}`
  const hint = meant === undefined ? known : `did you mean "${meant}"?`
  return `"${written}" is not a known release of NGINX Gateway Fabric; ${hint}`
}

/** True for numbers that come before those of a release, as far as they go. */
function isBefore(digits: readonly string[], release: FabricVersion): boolean {
  const parts = release.split('.').map(Number)
  const index = digits.findIndex((part, at) => Number(part) !== parts[at])
  return Number(digits[index]) < (parts[index] ?? 0)
}

const exact = (written: string): FabricVersion | undefined => findFabricVersion(written.replace(/^v/, ''))
