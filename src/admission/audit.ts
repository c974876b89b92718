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

/** What is known of the objects of a kind: the list, and each object by `namespace/name`. */
type KnownKind = { readonly from: unknown; readonly views: ReadonlyMap<string, ObjectView> }

const nameOf = ({ identity: { kind, namespace = '', name = '' } }: ObjectView): string => `${kind}/${namespace}/${name}`

/** Milliseconds after which all objects are judged again, as suppressions end. */
const WHOLE_PERIOD = 3_600_000

/** The namespaces in which objects are judged again; undefined for all of them. */
type Affected = Set<string | undefined>

/** Creates an audit that knows nothing. */
export function createAudit(): Audit {
  const known = new Map<string, KnownKind>()
  const kept = new Map<string, Kept>()
  const waiting = new Set<string>()
  let lastReviewer: Reviewer | undefined
  let lastWhole = 0

  /** The objects of a kind now; adds which others it affects that they have changed. */
  const objectsNow = ({ kind, judgedAs }: Kind, objects: ObjectsByKind, affected: Affected) => {
    const from = objects.named(kind)
    const before = known.get(kind)
    if (before?.from === from) return before.views
    const views = new Map(from.all().map((view) => [nameOf(view), view]))
    for (const { identity } of differing(before?.views, views)) affected.add(judgedAs && identity.namespace)
    known.set(kind, { from, views })
    return views
  }
  const keep = (judged: ReadonlyMap<string, ObjectView>, affected: Affected): void => {
    for (const name of kept.keys()) if (!judged.has(name)) kept.delete(name)
    for (const [name, view] of judged) {
      if (affected.has(undefined) || affected.has(view.identity.namespace)) waiting.add(name)
      kept.set(name, { view, found: kept.get(name)?.found ?? NOTHING })
    }
  }
  return {
    update({ objects, reviewer, now }) {
      const isDue = reviewer !== lastReviewer || now - lastWhole >= WHOLE_PERIOD
      if (isDue) lastWhole = now
      lastReviewer = reviewer
      const affected: Affected = new Set(isDue ? [undefined] : [])
      const judged = new Map<string, ObjectView>()
      for (const kind of reviewer.kinds.kinds.filter(({ resource }) => resource)) {
        const views = objectsNow(kind, objects, affected)
        if (kind.judgedAs) for (const [name, view] of views) judged.set(name, view)
      }
      keep(judged, affected)
    },
    judge(most, { world, reviewer, now }) {
      const shown = world.forTenant()
      for (const name of [...firstOf(waiting, most)]) {
        waiting.delete(name)
        const one = kept.get(name)
        if (one) one.found = eachRuleOnce(findingsOf(one.view, shown, { reviewer, now }))
      }
      return waiting.size > 0
    },
    counts() {
      const counts = new Map<string, FindingCount>()
      for (const { view, found } of kept.values()) {
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

/**
 * Those that are in one of them only, or in another version. Policies meet in their namespace; a Gateway may be referred to
 * from anywhere.
 */
function differing(
  before: ReadonlyMap<string, ObjectView> = new Map(),
  after: ReadonlyMap<string, ObjectView>,
): readonly ObjectView[] {
  const gone = [...before].filter(([name]) => !after.has(name))
  const changed = [...after].filter(([name, view]) => before.get(name) !== view)
  return [...gone, ...changed].map(([, view]) => view)
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
