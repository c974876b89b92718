/** What the webhook would answer if objects were written to a cluster. */
import { observe } from '../admission/observe.ts'
import {
  type AdmissionCause,
  type AdmissionResponse,
  fitted,
  observationResponse,
  verdictResponse,
} from '../admission/response.ts'
import type { Review } from '../admission/review.ts'
import { createReviewer, type Reviewer } from '../admission/reviewer.ts'
import { decide } from '../admission/verdict.ts'
import { knownNamespace } from '../kubernetes/metadata.ts'
import { leftOutOf } from '../project/left-out.ts'
import { addObjects, type CollectedObjects, type FoundObject, noCollectedObjects } from '../project/objects.ts'
import { fileOf, type NotJudged, type Reading, type Source } from '../project/source.ts'
import { collectWorlds, objectsOf } from '../project/worlds.ts'
import { REGISTRY, withPolicies } from '../registry.ts'
import { type AdmissionSettings, DEFAULT_ADMISSION, DEFAULT_PROJECT } from '../settings/settings.ts'
import { objectsByKind } from '../world/objects.ts'
import { createWorld, emptyWorld, type World } from '../world/world.ts'
import { boolean, type Members, object, oneOf, time } from './check.ts'
import { INPUT_OPTIONS, type InputOptions, inContext, readInput, sourcesCheck } from './input.ts'
import { guarded, type Result, success } from './result.ts'

/** The cluster, and how its webhook is set up. */
export type AdmitOptions = Omit<InputOptions, 'closedWorld'> & {
  /**
   * All objects that the cluster has. One of the same kind and name as a written object is its version before. Default:
   * nothing is known of the cluster.
   */
  readonly cluster?: readonly Source[] | undefined
  /** What the webhook does with what the rules find: members of `admission` in the settings. */
  readonly admission?: Partial<AdmissionSettings> | undefined
  /** The time of the review, RFC 3339: `2026-01-31T12:00:00Z`. Default: that of the clock. */
  readonly now?: string | undefined
}

const ADMISSION = {
  enforce: oneOf(['deny', 'warn']),
  strict: boolean,
  crossObject: oneOf(['warn', 'deny']),
  keyChange: oneOf(['deny', 'resize']),
  onFault: oneOf(['allow', 'deny']),
} as const satisfies Members<keyof AdmissionSettings>

const { closedWorld: _, ...CONTEXT_OPTIONS } = INPUT_OPTIONS

const ADMIT_OPTIONS = {
  ...CONTEXT_OPTIONS,
  cluster: sourcesCheck,
  admission: object(ADMISSION),
  now: time,
} as const satisfies Members<keyof AdmitOptions>

/** The answer for one object. */
export type AdmissionAnswer = {
  /** As reports name it. */
  readonly file: string
  readonly kind: string
  /** Empty for objects without a namespace of their own. */
  readonly namespace: string
  readonly name: string
  readonly operation: 'CREATE' | 'UPDATE'
  readonly allowed: boolean
  /** The message of a denial; null where the object is allowed. */
  readonly message: string | null
  readonly causes: readonly AdmissionCause[]
  readonly warnings: readonly string[]
}

/** What {@link admit} returns. */
export type AdmitResult = {
  /** For each object that the webhook is asked about, in order of source and position. */
  readonly answers: readonly AdmissionAnswer[]
  /** What of the sources and of the cluster is left out, and why. */
  readonly notJudged: readonly NotJudged[]
}

/**
 * What the webhook would answer if the objects of the sources were written one after the other: its denials (`/validate`)
 * and its warnings (also those of `/observe`), in its words. What the API server itself refuses is not in it, and no
 * patch of `/mutate` is made first. A manifest without a namespace is in `default`.
 */
export function admit(sources: readonly Source[], options?: AdmitOptions): Result<AdmitResult> {
  return guarded(() => {
    const input = readInput(sources, { ...options, namespace: options?.namespace ?? 'default' }, ADMIT_OPTIONS)
    if (!input.ok) return input
    const { settings } = input.value
    const reviewer = createReviewer(
      { ...DEFAULT_PROJECT, settings, admission: { ...DEFAULT_ADMISSION, ...options?.admission } },
      withPolicies(REGISTRY, settings),
    )
    const cluster = options?.cluster && inContext(options.cluster, input.value)
    const { texts } = input.value
    const stored = cluster && collected({ sources: cluster, texts }, reviewer)
    const written = collected(input.value, reviewer)
    return success({
      answers: answersTo(objectsIn(written), { reviewer, stored, now: Date.parse(options?.now ?? '') || Date.now() }),
      notJudged: [written, ...(stored ? [stored] : [])].flatMap((one) =>
        leftOutOf(one, objectsOf(one, { closed: true })),
      ),
    })
  })
}

/** The objects of sources as those of one world. */
function collected(reading: Reading, { kinds }: Reviewer): CollectedObjects {
  const all = noCollectedObjects()
  for (const one of collectWorlds(reading, kinds).worlds.values()) addObjects(one, all)
  return all
}

/** In order of source and position. */
function objectsIn({ byKind }: CollectedObjects): readonly FoundObject[] {
  const found = [...byKind.values()].flat()
  const files = [...new Set(found.map(({ origin }) => origin.source))]
  const order = new Map(files.map((source, index) => [source, index]))
  const rank = ({ origin }: FoundObject) => order.get(origin.source) ?? 0
  return found.sort((a, b) => rank(a) - rank(b) || a.origin.document.start - b.origin.document.start)
}

type Cluster = {
  readonly reviewer: Reviewer
  /** Undefined where nothing is known of the cluster. */
  readonly stored: CollectedObjects | undefined
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Each written object changes the world in which the next one is judged. */
function answersTo(objects: readonly FoundObject[], { reviewer, stored, now }: Cluster): readonly AdmissionAnswer[] {
  let world = stored ? worldOf(stored) : emptyWorld(REGISTRY.systems)
  const known = stored ? objectsIn(stored) : []
  return objects.flatMap((found) => {
    const { kind, view } = found
    if (kind.shape || (found.judgedAs === undefined && !kind.observed)) return []
    const before = known.findLast((one) => isSame(one, found))?.view
    const cluster = { world, synced: true, notSynced: [] }
    const review = reviewOf(found, before?.object)
    const responses = [
      verdictResponse(review, decide(review, reviewer, cluster, now), cluster),
      observationResponse(review, observe(review, reviewer, cluster, now)),
    ]
    world = world.with({ kind: kind.kind, before, after: view })
    return [answerOf(found, review, responses)]
  })
}

/** The world of a cluster, which stores each identity once. */
function worldOf(stored: CollectedObjects): World {
  const { named } = objectsOf(stored, { closed: true })
  return createWorld(REGISTRY.systems, objectsByKind(named))
}

const isSame = (a: FoundObject, b: FoundObject): boolean =>
  a.kind === b.kind &&
  a.view.identity.name === b.view.identity.name &&
  a.view.identity.namespace === b.view.identity.namespace

function reviewOf({ view: { object: written, identity } }: FoundObject, before: Review['oldObject']): Review {
  return {
    uid: '',
    operation: before ? 'UPDATE' : 'CREATE',
    namespace: knownNamespace(identity.namespace),
    name: identity.name ?? '',
    subResource: '',
    dryRun: false,
    object: written,
    oldObject: before,
  }
}

function answerOf(
  { kind, origin }: FoundObject,
  { namespace = '', name, operation }: Review,
  responses: readonly AdmissionResponse[],
): AdmissionAnswer {
  const denial = responses.find(({ allowed }) => !allowed)?.status
  return {
    file: fileOf(origin.source),
    kind: kind.kind,
    namespace,
    name,
    operation: operation === 'UPDATE' ? 'UPDATE' : 'CREATE',
    allowed: denial === undefined,
    message: denial?.message ?? null,
    causes: denial?.details?.causes ?? [],
    warnings: fitted([...new Set(responses.flatMap(({ warnings }) => warnings ?? []))]),
  }
}
