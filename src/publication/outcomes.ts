/** What came of published proxies, in words for their owners. */
import { environmentPart, type Published, type PublishedProxy } from '../api-management/render/published.ts'
import type { Forms } from '../proxy/configuration.ts'
import type { Outcome } from '../proxy/driver.ts'
import type { FailureKind } from '../proxy/failure.ts'

/**
 * Why a proxy failed. `NotRenderable`: its body has problems that `publicationProblems` finds. `NginxRefused`: nginx does
 * not accept it. `NginxFailed`: nginx could not be asked, whatever the proxy is.
 */
type FailureReason = 'NotRenderable' | 'NginxRefused' | 'NginxFailed'

/** What came of publishing a proxy. Of one that failed, the last accepted form stays in force where nginx runs. */
export type ProxyOutcome = {
  /** The revision that this is about. */
  readonly revision: number
} & (
  | { readonly state: 'SUCCESS' }
  /** `message`: sentences, with nginx's own words; paths are relative to its folder. */
  | { readonly state: 'FAILED'; readonly reason: FailureReason; readonly message: string }
)

/** What was tried, and why proxies are not a part of it as they were published, by their ids. */
export type Tried = {
  readonly published: Published
  readonly forms: Forms
  readonly leftOut: ReadonlyMap<string, string>
}

/** The outcomes by id. */
export function outcomesOf(tried: Tried, outcome: Outcome): ReadonlyMap<string, ProxyOutcome> {
  const refused = new Map(outcome.result === 'failed' ? [] : outcome.refused.map((one) => [one.part, one]))
  const whole = wholeFailure(outcome)
  const { forms } = outcome
  const inForce = idsInForce(tried, forms)
  const failureOf = ({ id, environment }: PublishedProxy): Failure | undefined => {
    const problem = tried.leftOut.get(id)
    if (problem !== undefined)
      return { reason: 'NotRenderable', message: `${problem} ${forms?.has(id) ? KEPT.it : NOTHING.it}` }
    const part = environmentPart(environment)
    const [own, around] = [refused.get(id), refused.get(part)]
    if (own) return refusal('it', own)
    if (around) return refusal('the global policies of its environment', around)
    return inForce.has(id) ? undefined : whole
  }
  return new Map(
    tried.published.proxies.map((proxy) => {
      const failure = failureOf(proxy)
      const state = failure ? ({ state: 'FAILED', ...failure } as const) : ({ state: 'SUCCESS' } as const)
      return [proxy.id, { revision: proxy.revision, ...state }]
    }),
  )
}

/** The proxies that are in force as they are wanted, with the global policies of their environment; `forms`: what is. */
export function idsInForce(
  { published, forms: wanted, leftOut }: Tried,
  forms: Forms | undefined,
): ReadonlySet<string> {
  const isInForce = ({ id, environment }: PublishedProxy) =>
    !leftOut.has(id) && [id, environmentPart(environment)].every((one) => forms?.get(one) === wanted.get(one))
  return new Set(forms ? published.proxies.filter(isInForce).map(({ id }) => id) : [])
}

type Failure = { readonly reason: FailureReason; readonly message: string }
type RefusedPart = Extract<Outcome, { result: 'applied' }>['refused'][number]

const KEPT = { it: 'Its last accepted form stays in force.', them: 'Their last accepted form stays in force.' } as const
const NOTHING = { it: 'Nothing of it is in force.', them: 'None of them is in force.' } as const

function refusal(what: string, { words, keeps }: RefusedPart): Failure {
  const kept = (keeps === 'nothing' ? NOTHING : KEPT)[what === 'it' ? 'it' : 'them']
  return { reason: 'NginxRefused', message: `nginx refuses ${what}: ${words}. ${kept}` }
}

/** Why nothing new is in force. */
function wholeFailure(outcome: Outcome): Failure | undefined {
  if (outcome.result === 'applied') return undefined
  if (outcome.result === 'refused')
    return { reason: 'NginxRefused', message: `nginx refuses the configuration: ${outcome.words}.` }
  const { kind, message } = outcome.failure
  return { reason: 'NginxFailed', message: `${FAILURES[kind]}${SAID.has(kind) ? `: ${message}` : ''}.` }
}

const FAILURES: Readonly<Record<FailureKind, string>> = {
  missing: 'nginx cannot be started: the program is not there',
  'too-old': 'nginx is too old',
  locked: 'another program drives this nginx',
  folder: 'the files of nginx cannot be written',
  port: 'an address that nginx is to listen on is in use',
  hang: 'nginx did not finish in time',
  crash: 'nginx ended without a reason',
}

/** Failures whose own message says more than where they happened. */
const SAID: ReadonlySet<FailureKind> = new Set(['port', 'too-old'])
