/** What a key will do on an nginx, worked out once for each key: policies share their few keys. */
import type { KeyPart } from '../../limits/key.ts'
import { isConstant, type KeyVariable, keyEmptiness, uniquePerRequest } from '../../nginx/key.ts'
import type { VariablePlatform } from '../../nginx/variables.ts'
import { utf8Length } from '../../text/utf8.ts'
import type { LimitView } from '../objects/policy.ts'
import { oncePerKey, readableParts } from './keys.ts'
import { type Varied, variedBy } from './varying-keys.ts'

/** What follows from the parts of a key. */
export type KeyTraits = {
  readonly parts: readonly KeyPart[]
  /** Whether a request can leave it empty, and so unlimited. */
  readonly emptiness: 'always' | 'sometimes' | 'never'
  /** One bucket for everybody. */
  readonly isConstant: boolean
  /** The first variable that is new in every request. */
  readonly unique: KeyVariable | undefined
  /** How a client can vary it. */
  readonly varied: Varied | undefined
  /** Bytes that each of its values has at least. */
  readonly leastBytes: number
}

const traitsOfParts = oncePerKey(
  (parts: readonly KeyPart[], platform): KeyTraits => ({
    parts,
    emptiness: keyEmptiness(parts, platform),
    isConstant: isConstant(parts, platform),
    unique: uniquePerRequest(parts, platform)[0],
    varied: variedBy(parts, platform),
    leastBytes: parts.reduce((bytes, part) => bytes + (part.type === 'text' ? utf8Length(part.text) : 1), 0),
  }),
)

/** What a limit's key will do; undefined where nginx cannot read it or does not know its variables. */
export function keyTraits(limit: LimitView, platform: VariablePlatform): KeyTraits | undefined {
  const parts = readableParts(limit, platform)
  return parts && traitsOfParts(parts, platform)
}
