/** What is told of an environment beside what is stored of it: its state, and what it means for its proxies. */
import { setImmediate } from 'node:timers/promises'
import { type Effect, effectOf, type Override, overridesOf } from '../../api-management/environment.ts'
import { withoutHashes } from '../../api-management/keys.ts'
import { isObject, type JsonObject } from '../../json/member.ts'
import type { Environment, ProxyState, Store, StoredProxy } from '../../store/store.ts'
import { compareText } from '../../text/order.ts'
import { counted } from '../../text/plural.ts'
import type { HandlerOptions } from './planner.ts'
import { OWN_GATEWAY, PUBLISHING } from './publication.ts'
import { type Notes, stateOf } from './stored-proxy.ts'

/** What a change replaces, and what the judges say of it. */
export type EnvironmentChange = {
  readonly before: Environment | undefined
  readonly notes: Notes
  /** Why nginx refuses its policies. */
  readonly refusal?: string | undefined
}

/** An environment as it is shown, with what it means for its proxies, or with what a change of it does. */
export async function shownWithStatus(
  environment: Environment,
  { store, publication }: Pick<HandlerOptions, 'store' | 'publication'>,
  change?: EnvironmentChange,
) {
  const { hasGateway, problemOf } = publication
  const judged: JudgedProxy[] = []
  for await (const proxy of proxiesOf(store, environment)) {
    // Whatever a change touches is published again, and nothing where what is sent is there already.
    const isNew = change !== undefined && change.before !== environment
    const state = stateOf({ ...proxy, ...(isNew ? PUBLISHING : {}) }, environment, hasGateway)
    const problem = problemOf(proxy.body)
    const { before, refusal } = change ?? {}
    const forms = before && { before: formOf(before), after: formOf(environment), problem, refusal }
    const effect = forms ? effectOf(proxy.body, forms) : NO_EFFECT
    judged.push({ proxy, state, effect, overrides: overridesOf(proxy.body, environment.policies) })
  }
  const { state, ...why } = stateIn(judged, hasGateway && environment.gateways.includes(OWN_GATEWAY))
  const reasons = state === 'SUCCESS' ? {} : why
  const proxies = summaryOf(judged, change !== undefined)
  const status = { state, ...reasons, revision: environment.revision, ...change?.notes, proxies }
  return { ...shownEnvironment(environment), status }
}

/** As it is shown in lists: without what is kept of keys, which nothing reads here. */
export const shownEnvironment = (one: Environment): Environment => ({
  ...one,
  policies: policiesIn(withoutHashes({ policies: one.policies })),
})

export const policiesIn = ({ policies }: JsonObject): JsonObject => (isObject(policies) ? policies : {})

type JudgedProxy = {
  /** Without its body, of which there may be many. */
  readonly proxy: Pick<StoredProxy, 'name' | 'hostname' | 'version' | 'addresses'>
  readonly state: ProxyState
  readonly effect: Effect
  readonly overrides: readonly Override[]
}

const NO_EFFECT: Effect = { changes: [], isBroken: false }

const formOf = ({ gateways, policies }: Environment) => ({ isServed: gateways.includes(OWN_GATEWAY), policies })

/** Proxies that are read at once: meanwhile other requests wait. */
const BATCH = 100

async function* proxiesOf(store: Store, environment: Environment): AsyncGenerator<StoredProxy> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const batch = await store.proxiesIn(environment, { after, limit: BATCH })
    yield* batch
    after = batch.length === BATCH ? batch.at(-1)?.id : undefined
    if (after !== undefined) await setImmediate()
  }
}

/** The state of an environment: that of its proxies together. */
function stateIn(judged: readonly JudgedProxy[], isServed: boolean): ProxyState {
  const state = (name: ProxyState['state'], reason = '', message = ''): ProxyState => ({ state: name, reason, message })
  if (!isServed) return state('CONFIGURING', 'NoGateway', 'no gateway of this server serves it')
  const served = judged.filter(({ proxy }) => proxy.addresses.length > 0)
  if (served.length === 0) return state('CONFIGURING', 'NoProxies', 'it has no proxy that takes requests')
  const of = (name: ProxyState['state']) => served.filter((one) => one.state.state === name)
  const all = counted(served.length, 'proxy', 'proxies')
  const [failed, open] = [of('FAILED'), of('CONFIGURING')]
  const [first] = failed
  if (first) {
    const which = `${first.proxy.name} ${first.proxy.version}: ${first.state.message}`
    return state('FAILED', first.state.reason, `${failed.length} of ${all} failed; ${which}`)
  }
  const message = `the gateway does not have ${open.length} of ${all} yet`
  return open.length > 0 ? state('CONFIGURING', 'Publishing', message) : state('SUCCESS')
}

/** Proxies of one answer. */
const MOST_SHOWN = 1_000

/** The proxies of which there is something to say: those first that a change breaks. */
function summaryOf(judged: readonly JudgedProxy[], isChange: boolean) {
  const touched = judged.filter(({ effect }) => effect.changes.length > 0)
  const broken = touched.filter(({ effect }) => effect.isBroken)
  const shown = isChange ? (one: JudgedProxy) => isSaid(one) : (one: JudgedProxy) => isSaid(one) || isFailed(one)
  const items = judged.filter(shown).sort(byUrgency).slice(0, MOST_SHOWN).map(shownProxy)
  return {
    total: judged.length,
    ...(isChange ? { touched: touched.length, broken: broken.length } : {}),
    items,
  }
}

const isSaid = ({ effect, overrides }: JudgedProxy): boolean => effect.changes.length > 0 || overrides.length > 0
const isFailed = ({ state }: JudgedProxy): boolean => state.state === 'FAILED'

const urgency = ({ effect }: JudgedProxy): number => (effect.isBroken ? 0 : effect.changes.length > 0 ? 1 : 2)
const nameOf = ({ proxy }: JudgedProxy): string => JSON.stringify([proxy.name, proxy.hostname, proxy.version])
const byUrgency = (one: JudgedProxy, two: JudgedProxy): number =>
  urgency(one) - urgency(two) || compareText(nameOf(one), nameOf(two))

const shownProxy = ({ proxy: { name, hostname, version }, state, effect, overrides }: JudgedProxy) => ({
  ...{ name, hostname, version, state: state.state },
  ...(effect.isBroken ? { breaks: true } : {}),
  ...(effect.changes.length > 0 ? { changes: effect.changes } : {}),
  ...(overrides.length > 0 ? { overrides } : {}),
})
