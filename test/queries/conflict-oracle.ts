/**
 * A second, slow and simple restatement of how the product decides between policies, for tests. It shares nothing with
 * the implementation. Source: specification of RateLimitPolicy, "States and transitions"; NGINX Gateway Fabric: the
 * targets are looked at one after the other in any order; on each, every policy that is still valid marks those after it
 * that conflict with it.
 */
import type { JsonObject } from '../../src/json/member.ts'

/** A policy as the oracle sees it. */
export type Contender = {
  readonly name: string
  /** `HTTPRoute/coffee`; all exist. */
  readonly targets: readonly string[]
  readonly settings: JsonObject
  /** RFC 3339; a policy without one is assumed to be younger than all that have one. */
  readonly created: string | undefined
}

/**
 * What becomes of a policy. `conflicted`: it loses to a policy that is accepted whatever the order of targets. `depends`:
 * the order decides whether it loses, or to which policy.
 */
type Fate = 'accepted' | 'conflicted' | 'depends'

/** Whether a policy wins against others, and the winner on each target on which it loses whatever the order. */
export type Verdict = {
  readonly fate: Fate
  /** By target, the policies that are accepted whatever the order and that this one loses to. */
  readonly winners: ReadonlyMap<string, readonly string[]>
}

type Mode = 'same-field' | 'any-field'

const FIELDS = ['dryRun', 'logLevel', 'rejectCode']
const sets = ({ settings }: Contender) =>
  FIELDS.filter((field) => settings[field] !== undefined && settings[field] !== null)

function conflict(winner: Contender, loser: Contender, mode: Mode): boolean {
  if (mode === 'any-field') return sets(winner).length > 0
  return sets(winner).some((field) => sets(loser).includes(field))
}

/** Whole seconds; the order of names decides between equals. */
function isBefore(a: Contender, b: Contender): boolean {
  const seconds = ({ created }: Contender) =>
    created === undefined ? Infinity : Math.floor(Date.parse(created) / 1000)
  return seconds(a) === seconds(b) ? a.name < b.name : seconds(a) < seconds(b)
}

function* orders<Item>(items: readonly Item[]): Iterable<readonly Item[]> {
  if (items.length === 0) yield []
  for (const [index, item] of items.entries())
    for (const rest of orders(items.filter((_, other) => other !== index))) yield [item, ...rest]
}

/** The names of the policies that remain valid in one order of the targets. */
function survivors(policies: readonly Contender[], targets: readonly string[], mode: Mode): ReadonlySet<string> {
  const valid = new Set(policies.map(({ name }) => name))
  for (const target of targets) {
    const here = policies.filter((policy) => policy.targets.includes(target)).sort((a, b) => (isBefore(a, b) ? -1 : 1))
    for (const [index, winner] of here.entries())
      for (const loser of here.slice(index + 1))
        if (valid.has(winner.name) && valid.has(loser.name) && conflict(winner, loser, mode)) valid.delete(loser.name)
  }
  return valid
}

/** The verdict on every policy, by name. */
export function verdicts(policies: readonly Contender[], mode: Mode): ReadonlyMap<string, Verdict> {
  const targets = [...new Set(policies.flatMap((policy) => policy.targets))]
  const results = [...orders(targets)].map((order) => survivors(policies, order, mode))
  const before = (one: Contender, target: string) =>
    policies.filter((other) => other.targets.includes(target) && isBefore(other, one) && conflict(other, one, mode))
  /** In rare worlds several chains together let a policy through in every order. That is not found out: it `depends`. */
  const isDoubtful = (one: Contender): boolean =>
    one.targets.some((target) =>
      before(one, target).some((rival) => !isSure(rival) && !before(rival, target).some((other) => isSure(other))),
    )
  const isSure = (one: Contender): boolean => results.every((valid) => valid.has(one.name)) && !isDoubtful(one)
  const sure = policies.filter(isSure)
  return new Map(
    policies.map((policy) => {
      const losses = policy.targets.map((target): [string, readonly string[]] => [
        target,
        before(policy, target)
          .filter((one) => sure.includes(one))
          .map(({ name }) => name),
      ])
      const winners = new Map(losses.filter(([, names]) => names.length > 0))
      return [policy.name, { fate: isSure(policy) ? 'accepted' : winners.size > 0 ? 'conflicted' : 'depends', winners }]
    }),
  )
}
