/** Which Gateways a question about configuration means. */
import { gatewaysIn, type NamedGateway, titleOfGateway } from '../gateway/render/listeners.ts'
import type { Harvest } from '../project/objects.ts'
import { isKnown } from '../project/worlds.ts'
import { nearest } from '../text/nearest.ts'
import type { World } from '../world/world.ts'
import { type Outcome, unknownWorld } from './find-target.ts'

/** One world: its objects, and what finds them. */
export type GatewaySight = { readonly name: string; readonly harvest: Harvest; readonly world: World }

/** How a user says which Gateway is meant. */
export type GatewayQuestion = {
  /** `[NAMESPACE/]NAME`; undefined where whatever there is is meant. */
  readonly gateway: string | undefined
  /** Decides where the question leaves the namespace open and several have the name. */
  readonly namespace: string | undefined
  readonly world: string | undefined
  /** True where several Gateways have room beside each other. */
  readonly several: boolean
}

/** A Gateway and where it lives. */
export type Candidate<Sight> = { readonly sight: Sight; readonly gateway: NamedGateway }

/** The Gateways that are meant, and those that others merely name and that nobody asked for. */
export type Picked<Sight> = { readonly chosen: readonly Candidate<Sight>[]; readonly others: readonly NamedGateway[] }

const refuse = (problem: string): { ok: false; problem: string } => ({ ok: false, problem })

/** Picks the Gateways that a question means. */
export function pickGateways<Sight extends GatewaySight>(
  sights: readonly Sight[],
  question: GatewayQuestion,
): Outcome<Picked<Sight>> {
  const inWorld = sights.filter(({ name }) => question.world === undefined || name === question.world)
  if (inWorld.length === 0 && question.world !== undefined) return refuse(unknownWorld(question.world, sights))
  const all = inWorld.flatMap((sight) => gatewaysIn(objectsOf(sight)).map((gateway) => ({ sight, gateway })))
  const homeless = inWorld.flatMap(({ harvest }) => harvest.gateways.filter(({ identity }) => !identity.namespace))
  const [homelessName] = homeless.flatMap(({ identity }) => identity.name ?? [])
  const twice = (picked: Outcome<Picked<Sight>>) => (picked.ok ? refuseTwice(picked.value) : picked)
  if (question.gateway !== undefined) return twice(pickNamed(question.gateway, all, question, homelessName))
  const seen = all.filter(({ gateway }) => gateway.view)
  const pool = seen.length > 0 ? seen : all
  if (pool.length === 0) return refuse(homelessName === undefined ? NONE : withoutNamespace(homelessName))
  if (pool.length > 1 && !question.several)
    return refuse(`${several(pool)}; pick one with --gateway, or give --dir for all`)
  const others = seen.length > 0 ? all.filter(({ gateway }) => !gateway.view).map(({ gateway }) => gateway) : []
  return twice({ ok: true, value: { chosen: pool, others } })
}

/** Of a Gateway that several manifests describe nobody can say how it will be. */
function refuseTwice<Sight extends GatewaySight>(picked: Picked<Sight>): Outcome<Picked<Sight>> {
  const isTwice = ({ sight, gateway: { namespace, name, view } }: Candidate<Sight>) =>
    view !== undefined && sight.world.gateways.get(namespace, name).state !== 'found'
  const found = picked.chosen.find(isTwice)
  if (!found) return { ok: true, value: picked }
  return refuse(`${titleOfGateway(found.gateway)} stands more than once among these files; name the paths of one`)
}

const NONE = 'no Gateway is in sight, and nothing names one; name the paths of its manifests too'

const withoutNamespace = (name: string): string => `Gateway ${name} names no namespace; --namespace NS gives it one`

const objectsOf = ({ harvest }: GatewaySight) => ({
  ...harvest,
  policies: harvest.policies.filter(isKnown).map(({ view }) => view),
})

/** Picks one by `[NAMESPACE/]NAME`. What is in sight is meant before what is merely named. */
function pickNamed<Sight extends GatewaySight>(
  asked: string,
  all: readonly Candidate<Sight>[],
  question: GatewayQuestion,
  homeless: string | undefined,
): Outcome<Picked<Sight>> {
  const [first = '', second, more] = asked.split('/')
  const [namespace, name] = second === undefined ? [undefined, first] : [first, second]
  if (name === '' || namespace === '' || more !== undefined)
    return refuse(`--gateway is [NS/]NAME, such as shop/storefront; got "${asked}"`)
  const named = all.filter(({ gateway }) => gateway.name === name)
  const fitting = named.filter(({ gateway }) => namespace === undefined || gateway.namespace === namespace)
  const seen = fitting.filter(({ gateway }) => gateway.view)
  const pool = seen.length > 0 ? seen : fitting
  const preferred = pool.filter(({ gateway }) => gateway.namespace === question.namespace)
  const chosen = namespace === undefined && preferred.length > 0 ? preferred : pool
  if (chosen.length === 1) return { ok: true, value: { chosen, others: [] } }
  if (chosen.length > 1) return refuse(`${several(chosen)}; ${howToPick(chosen)}`)
  if (homeless === name) return refuse(withoutNamespace(name))
  return refuse(unknownGateway(asked, named.length > 0 ? named : all))
}

/** Says that there is no such Gateway, and which may be meant. */
function unknownGateway(asked: string, candidates: readonly Candidate<GatewaySight>[]): string {
  const names = candidates.flatMap(({ gateway }) => [`${gateway.namespace}/${gateway.name}`, gateway.name])
  const meant = nearest(asked, names)
  const full = [...new Set(candidates.map(({ gateway }) => `${gateway.namespace}/${gateway.name}`))]
  if (meant !== undefined) return `no Gateway "${asked}"; did you mean ${meant}?`
  return `no Gateway "${asked}"; ${full.length === 0 ? 'there is none' : `there is ${list(full)}`}`
}

const MOST_NAMES = 5
const list = (names: readonly string[]): string =>
  names.length > MOST_NAMES
    ? `${names.slice(0, MOST_NAMES).join(', ')} and ${names.length - MOST_NAMES} more`
    : names.join(', ')

const several = (candidates: readonly Candidate<GatewaySight>[]): string =>
  `several Gateways are meant: ${list(candidates.map(({ sight, gateway }) => `${gateway.namespace}/${gateway.name}${sight.name ? ` in ${sight.name}` : ''}`))}`

function howToPick(candidates: readonly Candidate<GatewaySight>[]): string {
  const titles = new Set(candidates.map(({ gateway }) => titleOfGateway(gateway)))
  return titles.size > 1 ? 'write --gateway NS/NAME' : 'write --world NAME'
}
