/** What the API server asks the webhook. Source: Kubernetes, "Dynamic Admission Control", request. */
import type { JsonObject } from '../json/member.ts'

/** What is about to be done with an object. */
export const OPERATIONS = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const
type Operation = (typeof OPERATIONS)[number]

/** The request of a review: may this object be written? */
export type Review = {
  /** Returned in the response. */
  readonly uid: string
  readonly operation: Operation
  readonly namespace: string | undefined
  readonly name: string
  /** Empty for the object itself, `status` and the like otherwise. */
  readonly subResource: string
  /** True: nothing will be written, whatever the response. */
  readonly dryRun: boolean
  /** As it will be; undefined on DELETE and CONNECT. */
  readonly object: JsonObject | undefined
  /** As it is; undefined on CREATE. */
  readonly oldObject: JsonObject | undefined
}
