/** A Lease as plain data: who may take it, and how it is taken and given back. Source: Kubernetes, "Leases". */
import { isObject, type JsonObject } from '../../json/member.ts'

/** Milliseconds. Source: client-go, tools/leaderelection, for the first two. */
export const LEASE_TIMES = {
  /** Without a renewal for so long, others take the Lease. */
  duration: 15_000,
  /** Without a renewal for so long, the holder stops acting: sooner than others may begin. */
  deadline: 10_000,
  /** Between two renewals of the holder: each is a write. */
  renewal: 5_000,
  /** Between two looks of a replica that waits, and between two attempts after a failure. */
  retry: 2_000,
} as const

/** Where a Lease is. */
export type LeasePlace = { readonly namespace: string; readonly name: string }

/** Who takes a Lease, and when: milliseconds since 1970. */
export type Taking = { readonly place: LeasePlace; readonly identity: string; readonly time: number }

const specOf = ({ spec }: JsonObject): JsonObject => (isObject(spec) ? spec : {})

/** Who holds a Lease; undefined where nobody does. */
export function holderOf(lease: JsonObject): string | undefined {
  const { holderIdentity } = specOf(lease)
  return typeof holderIdentity === 'string' && holderIdentity !== '' ? holderIdentity : undefined
}

/** Another text after each renewal. */
export const versionOf = (lease: JsonObject): string => JSON.stringify(specOf(lease))

/** True where `identity` may take a Lease that has been seen unchanged for some milliseconds. */
export function isFree(lease: JsonObject, identity: string, unchangedFor: number): boolean {
  const holder = holderOf(lease)
  const { leaseDurationSeconds } = specOf(lease)
  const duration = typeof leaseDurationSeconds === 'number' ? leaseDurationSeconds * 1000 : LEASE_TIMES.duration
  return holder === undefined || holder === identity || unchangedFor >= duration
}

/** The Lease as its new holder writes it, or as its holder renews it. */
export function taken(known: JsonObject | undefined, { place, identity, time }: Taking): JsonObject {
  const before = known ? specOf(known) : {}
  const isOurs = before.holderIdentity === identity
  const transitions = typeof before.leaseTransitions === 'number' ? before.leaseTransitions : 0
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: known?.metadata ?? { ...place, labels: { 'app.kubernetes.io/name': 'sluice' } },
    spec: {
      ...before,
      holderIdentity: identity,
      leaseDurationSeconds: LEASE_TIMES.duration / 1000,
      acquireTime: isOurs ? before.acquireTime : microTime(time),
      renewTime: microTime(time),
      leaseTransitions: isOurs || !known ? transitions : transitions + 1,
    },
  }
}

/** The Lease as its holder gives it back: anyone may take it at once. */
export const released = (lease: JsonObject, time: number): JsonObject => ({
  ...lease,
  spec: { ...specOf(lease), holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime(time) },
})

/** As Kubernetes writes a MicroTime: with six digits behind the second. */
export const microTime = (milliseconds: number): string => new Date(milliseconds).toISOString().replace('Z', '000Z')
