/** What applies of a policy, defaults included; undefined where what is written is no such value. */
import type { Member } from '../json/member.ts'
import { parseRate, type Rate } from '../limits/rate.ts'
import { parseMegabytes, type Size } from '../limits/size.ts'
import { DEFAULTS, type LimitKey, type LimitView, type PolicyView } from './proxy.ts'

const DEFAULT_RATE = parseRate(DEFAULTS.rate)
const DEFAULT_SIZE = parseMegabytes(DEFAULTS.zoneSize)

const orDefault = <Value>({ raw, value }: Member<Value>, preset: Value | undefined): Value | undefined =>
  raw === undefined ? preset : value

/** The smallest and the largest status of a rejection. */
export const CODES = { least: 400, most: 599 } as const

/** True for a number that may be the status of a rejection. */
export const isCode = (code: number): boolean => Number.isInteger(code) && code >= CODES.least && code <= CODES.most

/** The status of rejections. */
export function codeOf({ returnCode }: Pick<PolicyView, 'returnCode'>): number | undefined {
  const code = orDefault(returnCode, DEFAULTS.returnCode)
  return code !== undefined && isCode(code) ? code : undefined
}

/** The HTTP status of rejections of gRPC. */
export function grpcCodeOf({ grpcStatusCode }: Pick<PolicyView, 'grpcStatusCode'>): number | undefined {
  const code = orDefault(grpcStatusCode, DEFAULTS.grpcStatusCode)
  return code !== undefined && isCode(code) ? code : undefined
}

/** The rate of a limit; nginx may reject it. */
export const rateOf = ({ rate }: Pick<LimitView, 'rate'>): Rate | undefined => orDefault(rate, DEFAULT_RATE)

/** What a limit counts by. */
export const keyOf = ({ rateLimitBy }: Pick<LimitView, 'rateLimitBy'>): LimitKey | undefined =>
  orDefault(rateLimitBy, DEFAULTS.rateLimitBy)

/** The size of a limit's zone; nginx may reject it. */
export const sizeOf = ({ zoneSize }: Pick<LimitView, 'zoneSize'>): Size | undefined => orDefault(zoneSize, DEFAULT_SIZE)
