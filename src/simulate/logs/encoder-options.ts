/** What reading a log needs to know. */
import type { VariablePlatform } from '../../nginx/variables.ts'
import type { LogKind } from '../../traffic/log.ts'
import type { Plan } from '../core/plan.ts'

/** Everything that reading a log needs to know. Plain data, so that threads can be told of it. */
export type EncoderOptions = {
  readonly kind: LogKind
  /** Variables that the user gives, and their values. */
  readonly constants: readonly (readonly [name: string, value: string])[]
  readonly plan: Plan
  readonly platform: VariablePlatform
  /** False to read every line in full, which gives the same and takes longer. */
  readonly quick: boolean
}
