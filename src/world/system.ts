/**
 * What a system registers: the kinds of objects that it reads, and the lookups that its rules may ask. Everything else
 * (reading files, watching a cluster, reviewing writes, the manifests of an installation) follows from it.
 */
import type { JsonObject } from '../json/member.ts'
import type { ApiNames } from '../kubernetes/api-groups.ts'
import type { PodTemplates } from '../kubernetes/pod-templates.ts'
import type { Change, ObjectsByKind, ObjectView } from './objects.ts'

/** How the API server serves a kind. */
export type Resource = {
  readonly version: string
  /** As in paths and in RBAC rules: `ratelimitpolicies`. */
  readonly plural: string
  /** True where an object belongs to a namespace. */
  readonly namespaced: boolean
  /**
   * True where a cluster may do without the kind: an API server that does not serve it has no such objects. For the
   * other kinds nothing is known until they are served.
   */
  readonly optional: boolean
}

/** How a kind is found that is no kind of Kubernetes: its objects have neither `kind` nor `apiVersion`. */
export type Shape = {
  /** Matches every text that may hold such an object; a search takes time in proportion to the text. */
  readonly mentions: RegExp
  /** True for a text that cannot be parsed, but certainly means such an object. */
  isMeant(text: string): boolean
}

/** A variable of a ValidatingAdmissionPolicy: its name, and its expression in CEL. */
export type CelVariable = { readonly name: string; readonly expression: string }

/**
 * How rules see an object in CEL. The last of the variables, `views`, lists what was read of the object: of its new
 * version and, where there is one, of the old one. The expressions never fail, whatever the object contains.
 */
export type CelView = {
  /** The name under which rules have a view: `policy`. */
  readonly name: string
  readonly variables: readonly CelVariable[]
}

/** A kind of objects that a system reads. */
export type Kind<View extends ObjectView = ObjectView> = {
  /** As manifests write it, such as `RateLimitPolicy`; as reports name it for a kind with a {@link shape}. */
  readonly kind: string
  /** API group; empty for the core group. */
  readonly group: string
  /**
   * Set for kinds that every cluster has, such as Deployment, and of which few matter: they are read only in a text that
   * matches, and where the settings ask for it. No webhook reviews them, and nothing watches them.
   */
  readonly gate?: RegExp
  /** Set for kinds that are watched in a cluster and read by `lint --cluster`. */
  readonly resource?: Resource
  /** Set for kinds that {@link judgedAs} recognises by what is in an object, as it names no kind. */
  readonly shape?: Shape
  /**
   * Set for kinds that rules judge: the name under which they judge the object (`judges` of a rule), undefined for an
   * object of another product. Without it an object is taken where its group is {@link group}.
   */
  judgedAs?(object: JsonObject): string | undefined
  /** True for an object of another kind, or of none, that certainly means this one, such as `RatelimitPolicy` in its group. */
  isMisspelt?(object: JsonObject): boolean
  /**
   * Set for a kind that takes objects which no other one takes, whatever they are called: those of which {@link judgedAs}
   * gives a name. Matches every text that may hold one.
   */
  readonly adopts?: RegExp
  /** What the misspelt kinds of other groups have in common: a text with such a kind is parsed. */
  readonly likeness?: RegExp
  /** What `judgedAs` can return. Only objects that are judged under the first name can be looked up by others. */
  readonly subjects?: readonly string[]
  /** True for a kind that rules judge only where an active one asks for it, under the name of its kind. */
  readonly judgedOnRequest?: boolean
  /** True where writes to objects of this kind can change what rules report about others: the webhook observes them. */
  readonly observed?: boolean
  /** True where lookups do not ask for it by name. */
  readonly keepsName?: boolean
  /** Reads an object. Never throws. `namespace` is what the context of the manifest decides and wins over it. */
  read(object: JsonObject, namespace?: string): View
  /** Matches every text that may hold an object of this kind which has lost its `kind`. */
  readonly signs?: RegExp
  /** True for a text that cannot be parsed, but certainly means an object of this kind. */
  isMeant?(text: string): boolean
  /** True for another apiVersion that certainly means this kind; used for texts that cannot be parsed. */
  isOurs?(apiVersion: string): boolean
  /**
   * True for a stored object whose annotation of kubectl, with what was applied, rules need; it is dropped otherwise, as
   * it doubles the object.
   */
  needsLastApplied?(object: JsonObject): boolean
  /** Set for judged kinds whose rules CEL can say. */
  readonly cel?: CelView
  /** Members that the mutating webhook never writes, as JSON Pointers, because being absent has a meaning. */
  readonly neverPatched?: RegExp
  /**
   * The annotations that the mutating webhook sets in a changed object where it may write opt-in fixes, and those that it
   * removes (undefined): what it has to know when the object changes again.
   */
  notes?(versions: {
    readonly previous: ObjectView
    /** As its author sent it. */
    readonly written: ObjectView
    /** As it will be stored. */
    readonly next: ObjectView
  }): Readonly<Record<string, string | undefined>>
  /** The members of the mapping at a JSON Pointer in their usual order, for fixes that add one. */
  fieldsAt?(pointer: string): readonly string[]
}

/** How a lookup is made of the objects of some kinds. */
export type LookupSpec<Result = unknown> = {
  /** The kinds that it depends on: it is made again when an object of one of them has changed. */
  readonly kinds: readonly string[]
  /** True where an object that is missing changes the result: without a closed world the rule may not report. */
  readonly needsClosedWorld: boolean
  /** Makes the lookup; indexes are made when first needed. */
  make(objects: ObjectsByKind): Result
  /** The lookup after a change of one object, where that is cheaper than making it again; undefined where it is not. */
  overlay?(lookup: Result, change: Change): Result | undefined
  /** The lookup without the names of other tenants' namespaces. */
  forTenant?(lookup: Result): Result
  /** The lookup as a release of the system's product knows the objects. */
  forRelease?(lookup: Result, release: string): Result
}

/** A system, as it registers itself; `Own` are the lookups of its rules by name. */
export type System<Own extends object = Lookups> = {
  /** The first part of the ids of its rules. */
  readonly name: string
  kinds(names: ApiNames, podTemplates?: readonly PodTemplates[]): readonly Kind[]
  /** By the name with which a rule declares it in `reads`. */
  readonly lookups: { readonly [Name in keyof Own]: LookupSpec<Own[Name]> }
  /** The objects that a judged object refers to by kind and name, in its own namespace. */
  references?(view: ObjectView): readonly { readonly kind: string; readonly name: string }[]
  /** The judged objects about which rules may report something else after a change of an observed object. */
  affectedBy?(change: Change, lookups: Own): readonly ObjectView[]
  /** True where it is certain that a judged object has lost everything that it applies to. */
  isOrphaned?(view: ObjectView, lookups: Own): boolean
}

/** Lookups by name. Each system knows the types of its own. */
export type Lookups = Readonly<Record<string, unknown>>
