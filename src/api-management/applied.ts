/** What applies of a policy, defaults included; undefined where what is written is no such value. */
import type { Member } from '../json/member.ts'
import { parseRate, type Rate } from '../limits/rate.ts'
import { parseMegabytes, type Size } from '../limits/size.ts'
import { ACTION, type IntegerField, LIMIT } from './fields.ts'
import type { LimitKey, LimitView, PolicyView } from './proxy.ts'

const DEFAULT_RATE = parseRate(LIMIT.rate.default)
const DEFAULT_SIZE = parseMegabytes(LIMIT.zoneSize.default)

const orDefault = <Value>({ raw, value }: Member<Value>, preset: Value | undefined): Value | undefined =>
  raw === undefined ? preset : value

/** True for a whole number within the bounds of a field. */
export const isWithin = ({ minimum, maximum }: IntegerField, value: number): boolean =>
  Number.isInteger(value) && value >= minimum && value <= maximum

/** The status of rejections. */
export function codeOf({ returnCode }: Pick<PolicyView, 'returnCode'>): number | undefined {
  const code = orDefault(returnCode, ACTION.returnCode.default)
  return code !== undefined && isWithin(ACTION.returnCode, code) ? code : undefined
}

/** The HTTP status of rejections of gRPC. */
export function grpcCodeOf({ grpcStatusCode }: Pick<PolicyView, 'grpcStatusCode'>): number | undefined {
  const code = orDefault(grpcStatusCode, ACTION.grpcStatusCode.default)
  return code !== undefined && isWithin(ACTION.grpcStatusCode, code) ? code : undefined
}

/** The rate of a limit; nginx may reject it. */
export const rateOf = ({ rate }: Pick<LimitView, 'rate'>): Rate | undefined => orDefault(rate, DEFAULT_RATE)

/** What a limit counts by. */
export const keyOf = ({ rateLimitBy }: Pick<LimitView, 'rateLimitBy'>): LimitKey | undefined =>
  orDefault(rateLimitBy, LIMIT.rateLimitBy.default)

/** The size of a limit's zone; nginx may reject it. */
export const sizeOf = ({ zoneSize }: Pick<LimitView, 'zoneSize'>): Size | undefined => orDefault(zoneSize, DEFAULT_SIZE)
