/** Which object a question means: `HTTPRoute/coffee`, `Gateway/shop/edge`. */
import { isRouteKind, TARGET_KINDS, type TargetKind } from '../gateway/objects/policy.ts'
import { nearest, nearestInAnyCase } from '../text/nearest.ts'
import type { Sight } from './query-world.ts'

/** A question as it is written. */
export type Asked = {
  readonly kind: TargetKind
  /** Undefined where the question leaves it open. */
  readonly namespace: string | undefined
  readonly name: string
}

/** The object that a question means, and the world that it lives in. */
export type Meant = {
  readonly sight: Sight
  readonly kind: TargetKind
  readonly namespace: string
  readonly name: string
}

/** An answer, or one line that says why there is none. */
export type Outcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problem: string }

const refuse = (problem: string): { ok: false; problem: string } => ({ ok: false, problem })

const SHAPE = 'write KIND/NAME or KIND/NAMESPACE/NAME, such as HTTPRoute/shop/coffee'

/** Reads a question. The kind may be written in any case. */
export function readAsked(text: string): Outcome<Asked> {
  const [written = '', ...rest] = text.split('/')
  const [namespace, name] = rest.length === 2 ? rest : [undefined, rest[0]]
  if (rest.length === 0 || rest.length > 2 || !name || namespace === '')
    return refuse(`"${text}" names no object; ${SHAPE}`)
  const kind = TARGET_KINDS.find((known) => known.toLowerCase() === written.toLowerCase())
  if (kind) return { ok: true, value: { kind, namespace, name } }
  const meant = nearestInAnyCase(written, TARGET_KINDS)
  const hint = meant ? `did you mean ${[meant, ...rest].join('/')}?` : `limits apply to ${TARGET_KINDS.join(', ')}`
  return refuse(`unknown kind "${written}"; ${hint}`)
}

/** Something that has a name, in a world. */
type Candidate = Omit<Meant, 'namespace'> & {
  readonly namespace: string | undefined
  /** False for what is only named as a target by a policy. */
  readonly isSeen: boolean
}

export type FindOptions = {
  /** The world that is meant, where there are several. */
  readonly world: string | undefined
  /** Decides where the question leaves the namespace open and several have the name. */
  readonly namespace: string | undefined
}

/** Finds the object that a question means. */
export function findTarget(asked: Asked, sights: readonly Sight[], { world, namespace }: FindOptions): Outcome<Meant> {
  const inWorld = sights.filter(({ name }) => world === undefined || name === world)
  if (inWorld.length === 0 && world !== undefined) return refuse(unknownWorld(world, sights))
  const all = inWorld.flatMap(candidatesIn)
  const named = all.filter(({ kind, name }) => kind === asked.kind && name === asked.name)
  const known = preferSeen(named.filter((candidate) => candidate.namespace !== undefined))
  const fitting = known.filter((candidate) => asked.namespace === undefined || candidate.namespace === asked.namespace)
  const preferred = fitting.filter((candidate) => candidate.namespace === namespace)
  const chosen = asked.namespace === undefined && preferred.length > 0 ? preferred : fitting
  const [only, another] = chosen
  if (only?.namespace === undefined) return refuse(notFound(asked, named, all))
  if (another) return refuse(severalMeant(asked, chosen))
  return isTwice(only) ? refuse(standsTwice(only)) : { ok: true, value: { ...only, namespace: only.namespace } }
}

/** Says that no file is of a world, and which is meant. */
export function unknownWorld(world: string, sights: readonly Pick<Sight, 'name'>[]): string {
  const names = sights.map(({ name }) => name).filter((name) => name !== '')
  const near = nearest(world, names)
  const hint = near === undefined ? `there is ${names.join(', ') || 'none'}` : `did you mean "${near}"?`
  return `no file is of a world "${world}"; ${hint}`
}

/** What is seen is meant before what policies merely name. */
function preferSeen(candidates: readonly Candidate[]): readonly Candidate[] {
  const seen = candidates.filter(({ isSeen }) => isSeen)
  return seen.length > 0 ? seen : candidates
}

function candidatesIn(sight: Sight): readonly Candidate[] {
  const { gateways, routes, policies } = sight.harvest
  const found = new Map<string, Candidate>()
  const add = (candidate: Omit<Candidate, 'sight'>) => {
    const key = `${candidate.kind}/${candidate.namespace ?? ''}/${candidate.name}`
    if (!found.has(key)) found.set(key, { ...candidate, sight })
  }
  for (const { identity } of gateways)
    if (identity.name) add({ ...identity, kind: 'Gateway', name: identity.name, isSeen: true })
  for (const { identity } of routes) if (identity.name) add({ ...identity, name: identity.name, isSeen: true })
  for (const { view } of policies)
    for (const { kind, name } of view.namedTargets)
      add({ kind, namespace: view.identity.namespace, name, isSeen: false })
  return [...found.values()]
}

/** True where several objects of a world have this identity: nobody can say which of them will be there. */
function isTwice({ sight: { harvest, world }, kind, namespace, name, isSeen }: Candidate): boolean {
  if (!isSeen) return false
  const found = isRouteKind(kind) ? world.routes.get(kind, namespace, name) : world.gateways.get(namespace, name)
  return found.state !== 'found' && !harvest.partial
}

const standsTwice = ({ kind, namespace, name }: Candidate): string =>
  `${kind} ${namespace}/${name} stands more than once among these files; name the paths of one`

function severalMeant({ kind, name }: Asked, candidates: readonly Candidate[]): string {
  const namespaces = [...new Set(candidates.map(({ namespace }) => `${kind}/${namespace}/${name}`))]
  if (namespaces.length > 1) return `several are called ${kind}/${name}: ${namespaces.join(', ')}`
  const worlds = candidates.map(({ sight }) => sight.name || 'files of no world')
  return `${namespaces[0]} is in several worlds: ${worlds.join(', ')}; --world NAME picks one`
}

function notFound(asked: Asked, named: readonly Candidate[], all: readonly Candidate[]): string {
  const { kind, name, namespace } = asked
  const written = `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
  const [elsewhere] = named.filter((candidate) => candidate.namespace !== undefined)
  if (named.length > 0 && !elsewhere)
    return `nothing says in which namespace ${kind} ${name} lives; --namespace ${namespace ?? 'NS'} does`
  const seen = all.filter((candidate) => candidate.isSeen && candidate.kind === kind)
  return `no ${written} is in sight; ${meantInstead(asked, elsewhere, all) ?? overview(kind, seen)}`
}

function meantInstead(asked: Asked, elsewhere: Candidate | undefined, all: readonly Candidate[]): string | undefined {
  const { kind, name } = asked
  const write = (candidate: Candidate) =>
    [candidate.kind, candidate.namespace, candidate.name].filter(Boolean).join('/')
  const otherKind = all.find((candidate) => candidate.isSeen && candidate.name === name)
  const names = all.filter((candidate) => candidate.kind === kind).map((candidate) => candidate.name)
  const near = nearest(name, names)
  const meant = elsewhere ?? otherKind ?? all.find((candidate) => candidate.kind === kind && candidate.name === near)
  return meant && `did you mean ${write(meant)}?`
}

/** How many names an error lists. */
const MOST_NAMES = 5

function overview(kind: TargetKind, seen: readonly Candidate[]): string {
  if (seen.length === 0) return `these files hold no ${kind}`
  const names = seen.slice(0, MOST_NAMES).map(({ namespace, name }) => (namespace ? `${namespace}/${name}` : name))
  const more = seen.length > MOST_NAMES ? ` and ${seen.length - MOST_NAMES} more` : ''
  return `these files hold ${names.join(', ')}${more}`
}
