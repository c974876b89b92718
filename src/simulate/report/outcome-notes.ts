/** What the outcome of a simulation means for whoever trusts it, in words. */

import { type EffectiveAt, effectiveLimits } from '../../gateway/effective/effective.ts'
import type { PolicyView } from '../../gateway/objects/policy.ts'
import { policiesOf, type QueryWorld } from '../../queries/query-world.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Reading } from '../logs/logs.ts'
import type { Selection } from '../scenario/scenario.ts'
import type { Note } from './notes.ts'
import type { LimitOutcome, PolicyOutcome, SimulationReport } from './report.ts'

const note = (text: string, loud = false): Note => ({ type: 'text', text, loud })
const amount = (count: number): string => count.toLocaleString('en')

/** What the numbers say about themselves. */
export function outcomeNotes(report: SimulationReport, setBacks: number, reading: Reading): readonly Note[] {
  const limits = report.policies.flatMap((policy) => policy.limits.map((limit) => ({ policy, limit })))
  return [
    ...emptyNotes(report),
    ...reading.broken.map(({ log, reason }) => note(`${log}: ${reason}; what stands before was simulated`, true)),
    ...(setBacks > 0
      ? [
          note(
            `${amount(setBacks)} times the log went back by more than a minute, which nginx takes as a clock that was set; give the logs of one proxy at a time`,
          ),
        ]
      : []),
    ...limits.flatMap(({ policy, limit }) => limitNotes(policy, limit)),
  ]
}

function emptyNotes({ totals, unmatched, policies, routes }: SimulationReport): readonly Note[] {
  if (totals.requests === 0) return [note('there was no request to simulate', true)]
  if (totals.unmatched === totals.requests) {
    const reason =
      unmatched.noRoute === 0 ? 'none was a request that nginx would look at limits for' : 'none met a route'
    return [
      note(
        `NOTHING WAS SIMULATED: of ${amount(totals.requests)} requests ${reason}; --route KIND/NAME has all meet one`,
        true,
      ),
    ]
  }
  if (policies.length === 0)
    return [note(`no limit applies to the ${routes.length} routes of this traffic: everything passes`, true)]
  return []
}

function limitNotes({ namespace, name }: PolicyOutcome, limit: LimitOutcome): readonly Note[] {
  const which = `${namespace}/${name} rules[${limit.rule}]`
  const { evicted, refused } = limit.memory
  return [
    ...(refused > 0
      ? [note(`${which} refused ${amount(refused)} requests because its zone had no memory for their keys`, true)]
      : []),
    ...(evicted > 0
      ? [note(`${which}: its zone is too small for this traffic; it forgot ${amount(evicted)} keys before their time`)]
      : []),
    ...(limit.withoutKey > 0
      ? [
          note(
            `${which} did not count ${amount(limit.withoutKey)} requests that came without a value for its key ${limit.key}`,
          ),
        ]
      : []),
  ]
}

/** Policies that do not take part. */
export function policyNotes(sight: QueryWorld, { gateway, forced }: Selection, settings: Settings): readonly Note[] {
  const invalid = [...sight.invalid].map(([policy, { message }]) =>
    note(`policy ${titleOf(policy)} does not count: ${message}`, true),
  )
  const homeless = policiesOf(sight.objects).filter(({ view }) => view.identity.namespace === undefined)
  const lost = sight.objects.routes
    .flatMap((route) => effectiveLimits(route, sight.world, settings))
    .filter((at) => forced !== undefined || (at.namespace === gateway?.namespace && at.name === gateway?.name))
    .flatMap((at) => at.notAccepted.map(lostNote))
  return [
    ...invalid,
    ...lost,
    ...(homeless.length > 0
      ? [note(`${homeless.length} policies live in no known namespace; --namespace NS gives them one`, true)]
      : []),
  ]
}

function lostNote({ policy, outcome }: EffectiveAt['notAccepted'][number]): Note {
  if (outcome.state === 'undetermined')
    return note(`nobody can say whether policy ${titleOf(policy)} counts: it is left out`, true)
  const winner = outcome.conflicts[0]?.preferred
  return note(`policy ${titleOf(policy)} does not count: it loses to ${winner ? titleOf(winner) : 'another'}`)
}

const titleOf = ({ identity: { namespace, name } }: PolicyView): string => `${namespace ?? '?'}/${name ?? '?'}`
