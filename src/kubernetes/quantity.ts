/** Amounts of resources as Kubernetes writes them: `500m`, `1.5Gi`, `1e3`. Source: Kubernetes, "Quantity". */
import { isObject, type Json } from '../json/member.ts'

/** Amounts by resource, in billionths of the unit. */
export type Amounts = ReadonlyMap<string, bigint>

const NANO = 9

const POWERS_OF_TEN: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  '': 0,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
}
const POWERS_OF_1024 = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei']

const QUANTITY = /^([+-]?)(\d{0,40})(?:\.(\d{0,40}))?(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,2}))?$/

/** Reads an amount; what is below a billionth is rounded up, as Kubernetes does. Undefined where it is none. */
function readQuantity(value: Json | undefined): bigint | undefined {
  const [match, sign, whole = '', fraction = '', unit = '', exponent] = QUANTITY.exec(String(value)) ?? []
  if (match === undefined || whole + fraction === '') return undefined
  const binary = POWERS_OF_1024.indexOf(unit) + 1
  const power = NANO - fraction.length + (binary > 0 ? 0 : Number(exponent ?? POWERS_OF_TEN[unit]))
  const digits = BigInt(whole + fraction) * 1024n ** BigInt(binary)
  const scale = 10n ** BigInt(Math.abs(power))
  const amount = power >= 0 ? digits * scale : (digits + scale - 1n) / scale
  return sign === '-' ? -amount : amount
}

/** The amounts of an object such as `resources.requests`; those that cannot be read are left out. */
export function readAmounts(value: Json | undefined): Map<string, bigint> {
  const amounts = new Map<string, bigint>()
  for (const [name, written] of Object.entries(isObject(value) ? value : {})) {
    const amount = readQuantity(written)
    if (amount !== undefined) amounts.set(name, amount)
  }
  return amounts
}
