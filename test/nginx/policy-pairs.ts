/** Lists of limits and what became of them: edits as people make them, and keys that only look alike or different. */
import fc from 'fast-check'
import type { Draft } from '../rules/policies.ts'
import { casesOf } from '../support/cases.ts'
import { errorsOf } from './errors.ts'
import { keysFor } from './keys.ts'
import type { NginxProgram } from './real-nginx.ts'

const { cases } = casesOf(import.meta.url)

/** One limit; what is undefined is left out. */
type Limit = { readonly key: string; readonly rate: string; readonly zoneSize: string | undefined }
type Edit = (limits: readonly Limit[]) => readonly Limit[]

/** A policy by its limits. */
export function policyOf(name: string, limits: readonly Limit[]): Draft {
  const rules = limits.map(({ key, rate, zoneSize }): Draft => ({ key, rate, ...(zoneSize ? { zoneSize } : {}) }))
  const targetRefs = [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'coffee' }]
  return {
    apiVersion: 'gateway.nginx.org/v1alpha1',
    kind: 'RateLimitPolicy',
    metadata: { name, namespace: 'shop' },
    spec: { targetRefs, rateLimit: { local: { rules } } },
  }
}

/** Groups of keys that are written differently and mean the same, or mean something else than they seem to. */
const ALIKE = cases<string[][]>('ALIKE')

const SIZES = cases<(string | undefined)[]>('SIZES')

function limitsFor(program: NginxProgram): fc.Arbitrary<Limit> {
  const isGood = (key: string): boolean =>
    errorsOf(policyOf('p', [{ key, rate: '1r/s', zoneSize: '1m' }]), program).length === 0
  return fc.record({
    key: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...ALIKE).chain((group) => fc.constantFrom<string[]>(...group)) },
      { weight: 1, arbitrary: keysFor(program).filter(isGood) },
    ),
    rate: fc.constantFrom('1r/s', '10r/s', '30r/m'),
    zoneSize: fc.constantFrom(...SIZES),
  })
}

const at = (limits: readonly Limit[], place: number): number => place % Math.max(1, limits.length)

const changed =
  (place: number, change: Partial<Limit>): Edit =>
  (limits) =>
    limits.map((limit, index) => (index === at(limits, place) ? { ...limit, ...change } : limit))

/** Another key of the same group in the place of each. */
const alike =
  (step: number): Edit =>
  (limits) =>
    limits.map((limit) => {
      const group: readonly string[] = ALIKE.find((keys) => keys.some((key) => key === limit.key)) ?? [limit.key]
      return { ...limit, key: group[(group.indexOf(limit.key) + step) % group.length] ?? limit.key }
    })

/** Things that are done to a list, with a place and a limit to do them with. */
const EDITS: readonly ((place: number, limit: Limit) => Edit)[] = [
  (step) => alike(step),
  (step) => alike(step),
  (place, { key }) => changed(place, { key }),
  (place, { zoneSize }) => changed(place, { zoneSize }),
  (place, { key, zoneSize }) => changed(place, { key, zoneSize }),
  (place, { rate }) => changed(place, { rate }),
  (place) => (limits) => limits.filter((_, index) => index !== at(limits, place)),
  (place, limit) => (limits) => limits.toSpliced(at(limits, place), 0, limit),
  (_, limit) => (limits) => [...limits, limit],
  () => (limits) => limits.toReversed(),
  (place) => (limits) =>
    limits.map((_, index) => limits[(index + place) % limits.length]).filter((limit) => limit !== undefined),
]

/** Two versions of the limits of one policy, each of them good for itself. */
export function versionsFor(program: NginxProgram): fc.Arbitrary<readonly [readonly Limit[], readonly Limit[]]> {
  const limit = limitsFor(program)
  const edit = fc
    .tuple(fc.constantFrom(...EDITS), fc.nat({ max: 9 }), limit)
    .map(([edit, place, with_]) => edit(place, with_))
  return fc
    .tuple(fc.array(limit, { minLength: 1, maxLength: 3 }), fc.array(edit, { minLength: 1, maxLength: 2 }))
    .map(([old, edits]) => [old, edits.reduce<readonly Limit[]>((limits, change) => change(limits), old)])
}
