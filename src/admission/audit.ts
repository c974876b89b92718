/** What rules find in the objects that a cluster stores, kept in step with them: a change has those judged again that it can affect. */
import type { ObjectsByKind, ObjectView } from '../world/objects.ts'
import type { Kind } from '../world/system.ts'
import type { World } from '../world/world.ts'
import type { AdmissionFinding, Reviewer } from './reviewer.ts'

/** How many objects have a finding of a rule. */
export type FindingCount = Found & {
  readonly namespace: string
  readonly count: number
}

/** A cluster at one moment. */
export type Audited = {
  readonly objects: ObjectsByKind
  readonly world: World
  readonly reviewer: Reviewer
  /** Milliseconds since 1970, for suppressions that end. */
  readonly now: number
}

export type Audit = {
  /** Notes what has changed since the last time: nothing is judged yet. */
  update(audited: Audited): void
  /** Judges as many objects as that; true while others wait. */
  judge(most: number, audited: Audited): boolean
  counts(): readonly FindingCount[]
}

/** An object, and the rules that report something about it: thousands stay in memory, so without their sentences. */
type Kept = { readonly view: ObjectView; found: readonly Found[] }

type Found = Pick<AdmissionFinding, 'rule' | 'severity'>

/** The objects of a judged kind by `namespace/name`, and the list that they are from; of other kinds the list alone. */
type KnownKind = { readonly from: unknown; readonly objects: ReadonlyMap<string, Kept> }

/** Milliseconds after which all objects are judged again, as suppressions end. */
const WHOLE_PERIOD = 3_600_000

/** The namespaces in which objects are judged again; undefined for all of them. */
type Affected = Set<string | undefined>

/** Creates an audit that knows nothing. */
export function createAudit(): Audit {
  const known = new Map<string, KnownKind>()
  const waiting = new Set<Kept>()
  let lastReviewer: Reviewer | undefined
  let lastWhole = 0

  /** Policies meet in their namespace; a Gateway may be referred to from anywhere. */
  const look = ({ kind, judgedAs }: Kind, objects: ObjectsByKind, affected: Affected): void => {
    const from = objects.named(kind)
    const before = known.get(kind)
    if (before?.from === from) return
    if (!judgedAs) affected.add(undefined)
    known.set(kind, { from, objects: judgedAs ? compared(from.all(), before?.objects, affected) : NO_OBJECTS })
  }
  /** Objects that are affected wait, and those that do already and are still there. */
  const choose = (affected: Affected): void => {
    const before = new Set(waiting)
    waiting.clear()
    const isAffected = ({ view }: Kept) => affected.has(undefined) || affected.has(view.identity.namespace)
    for (const { objects } of known.values())
      for (const one of objects.values()) if (before.has(one) || isAffected(one)) waiting.add(one)
  }
  return {
    update({ objects, reviewer, now }) {
      const isDue = reviewer !== lastReviewer || now - lastWhole >= WHOLE_PERIOD
      if (isDue) lastWhole = now
      lastReviewer = reviewer
      const affected: Affected = new Set(isDue ? [undefined] : [])
      for (const kind of reviewer.kinds.kinds) if (kind.resource) look(kind, objects, affected)
      choose(affected)
    },
    judge(most, { world, reviewer, now }) {
      const shown = world.forTenant()
      for (const one of [...firstOf(waiting, most)]) {
        waiting.delete(one)
        one.found = eachRuleOnce(findingsOf(one.view, shown, { reviewer, now }))
      }
      return waiting.size > 0
    },
    counts() {
      const counts = new Map<string, FindingCount>()
      for (const { objects } of known.values())
        for (const { view, found } of objects.values()) {
          const { namespace = '' } = view.identity
          for (const { rule, severity } of found) {
            const key = `${rule}\n${severity}\n${namespace}`
            counts.set(key, { rule, severity, namespace, count: (counts.get(key)?.count ?? 0) + 1 })
          }
        }
      return [...counts.values()]
    },
  }
}

const nameOf = ({ identity: { namespace = '', name = '' } }: ObjectView): string => `${namespace}/${name}`

const NO_OBJECTS: ReadonlyMap<string, Kept> = new Map()

/** The objects now; adds the namespaces of those that have come, changed or gone. */
function compared(
  views: readonly ObjectView[],
  before: ReadonlyMap<string, Kept> = NO_OBJECTS,
  affected: Affected,
): ReadonlyMap<string, Kept> {
  const now = new Map<string, Kept>()
  for (const view of views) {
    const name = nameOf(view)
    const old = before.get(name)
    if (old?.view !== view) affected.add(view.identity.namespace)
    now.set(name, old?.view === view ? old : { view, found: old?.found ?? NOTHING })
  }
  for (const [name, { view }] of before) if (!now.has(name)) affected.add(view.identity.namespace)
  return now
}

function* firstOf<Value>(values: Iterable<Value>, most: number): Iterable<Value> {
  let left = most
  for (const value of values) {
    if (left-- <= 0) return
    yield value
  }
}

function findingsOf(
  view: ObjectView,
  world: World,
  { reviewer, now }: Pick<Audited, 'reviewer' | 'now'>,
): readonly AdmissionFinding[] {
  const read = reviewer.read(view.object, view.identity.namespace)
  if (!read) return []
  // Rules know the object among those of the world.
  const judged = { ...read, view }
  return reviewer.unsuppressed(reviewer.judge(judged, world).findings, judged, now)
}

const eachRuleOnce = (findings: readonly AdmissionFinding[]): readonly Found[] => {
  if (findings.length === 0) return NOTHING
  const found = new Map(findings.map(({ rule, severity }) => [`${rule}\n${severity}`, { rule, severity }]))
  return [...found.values()]
}

const NOTHING: readonly Found[] = []
