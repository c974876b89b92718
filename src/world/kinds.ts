/** The kinds that systems register, as one table: which objects are read, and how a text that names one is found. */
import type { JsonObject } from '../json/member.ts'
import type { ApiNames } from '../kubernetes/api-groups.ts'
import type { PodTemplates } from '../kubernetes/pod-templates.ts'
import { groupBy } from '../text/group.ts'
import { cachedBy, lazily } from './cache.ts'
import type { Kind, System } from './system.ts'

/** What an object is to the systems. */
type Recognised = {
  readonly kind: Kind
  /** The name under which rules judge it; undefined where they only look it up. */
  readonly judgedAs: string | undefined
  /** False for an object of an unknown version, which no lookup finds. */
  readonly known: boolean
}

/** The kinds of some systems. */
export type KindTable = {
  readonly kinds: readonly Kind[]
  /**
   * The kind of an object by its `kind` and `apiVersion`, or by what is in an object that has neither; undefined for
   * objects that no system reads.
   */
  recognise(object: JsonObject): Recognised | undefined
  /** The table for a text: with the kinds whose gate the text opens. */
  within(text: string): KindTable
  /** True where an object may be of a kind whose gate its text has to open. */
  isGated(object: JsonObject): boolean
  /** Matches a text that opens a gate; undefined where there is none. */
  readonly gate: RegExp | undefined
}

/** The parts of an `apiVersion`: `group/version`, or the version alone for the core group. */
export function splitApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.lastIndexOf('/')
  return { group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) }
}

type KindOptions = {
  readonly mesh?: boolean
  readonly asked?: ReadonlySet<string>
  readonly podTemplates?: readonly PodTemplates[]
}

/**
 * Makes the table. A kind that two systems register alike (Namespace) stands in it once. With `mesh` every gate is open;
 * `asked` are the kinds of which rules ask that they are judged.
 */
export function kindTable(
  systems: readonly Pick<System, 'kinds'>[],
  names: ApiNames,
  { mesh = false, asked = NONE, podTemplates = [] }: KindOptions = {},
): KindTable {
  const all = systems
    .flatMap((system) => system.kinds(names, podTemplates))
    .map((kind) => judgedWhereAsked(kind, asked))
  const open = lazily(() => tableOf(all))
  const gates = [...new Set(all.flatMap(({ gate }) => (gate ? [gate.source] : [])))]
  if (mesh || gates.length === 0) return open()
  const gate = new RegExp(gates.join('|'))
  const gated = new Set(all.flatMap((kind) => (kind.gate ? [kind.kind] : [])))
  const adoptive = all.filter((kind) => kind.gate && kind.adopts)
  const closed = tableOf(all.filter((kind) => !kind.gate))
  return {
    ...closed,
    gate,
    within: (text) => (gate.test(text) ? open() : closed),
    isGated: (object) =>
      (typeof object.kind === 'string' && gated.has(object.kind)) ||
      adoptive.some(({ judgedAs }) => judgedAs?.(object) !== undefined),
  }
}

const NONE: ReadonlySet<string> = new Set()

function judgedWhereAsked(kind: Kind, asked: ReadonlySet<string>): Kind {
  if (!kind.judgedOnRequest || !asked.has(kind.kind)) return kind
  const judgedAs = (object: JsonObject) => (isOfGroup(object, kind.group) ? kind.kind : undefined)
  return { ...kind, subjects: [kind.kind], judgedAs }
}

function tableOf(all: readonly Kind[]): KindTable {
  const key = ({ group, kind, subjects = [] }: Kind): string => `${group}/${kind}/${subjects[0] ?? ''}`
  // What rules judge is recognised before what is only looked up.
  const kinds = [...new Map(all.map((kind) => [key(kind), kind])).values()]
  const byName = groupBy(
    kinds.filter(isNamed).sort((a, b) => Number(!a.judgedAs) - Number(!b.judgedAs)),
    ({ kind }) => kind,
  )
  const misspellable = kinds.filter(({ isMisspelt }) => isMisspelt)
  const adoptive = kinds.filter(({ adopts }) => adopts)
  const shaped = kinds.filter(({ shape }) => shape)
  const candidates = (object: JsonObject): readonly Kind[] => {
    if (typeof object.kind === 'string') {
      const named = byName.get(object.kind)
      if (named) return named
    }
    const meant = misspellable.filter((one) => one.isMisspelt?.(object))
    if (meant.length > 0) return meant
    return Object.hasOwn(object, 'kind') || Object.hasOwn(object, 'apiVersion') ? [] : shaped
  }
  const table: KindTable = {
    kinds,
    gate: undefined,
    within: () => table,
    isGated: () => false,
    recognise(object) {
      for (const kind of candidates(object)) {
        const judgedAs = kind.judgedAs?.(object)
        if (judgedAs !== undefined || (!kind.judgedAs && isOfGroup(object, kind.group)))
          return { kind, judgedAs, known: judgedAs === kind.subjects?.[0] }
      }
      for (const kind of adoptive) {
        const judgedAs = kind.judgedAs?.(object)
        if (judgedAs !== undefined) return { kind, judgedAs, known: true }
      }
      return undefined
    },
  }
  return table
}

const isNamed = ({ shape }: Kind): boolean => shape === undefined

/** True for an object of an API group. */
export const isOfGroup = ({ apiVersion }: JsonObject, group: string): boolean =>
  typeof apiVersion === 'string' && splitApiVersion(apiVersion).group === group

/** Names of kinds as an alternative of a regular expression, longest first. */
const alternatives = (kinds: Iterable<Kind>): string =>
  [...new Set([...kinds].map(({ kind }) => kind))].sort((a, b) => b.length - a.length).join('|')

/** Blanks of one line: those of many lines before a bracket would be searched again from each of them. */
const BLANKS = String.raw`[^\S\n\r\u2028\u2029]*`

/** Between a colon and its value: also the next line of old YAML. */
const SPACE = String.raw`[\s\u0085]*`

/** The member that names a kind, with an anchor or a tag before it. */
const KIND_MEMBER = String.raw`kind["']?\s*:${SPACE}(?:[&!]\S*\s+)*["']?`

/** How a kind begins that only a parser can read: with an anchor or a tag, as an alias or a block, with an escape. */
const PARSED_VALUE = String.raw`[&!*|>#\x80-\uFFFF]|"[^"\\\n]{0,80}\\`

/**
 * The key `kind` as only a parser can read it: after a question mark, as an alias, with an escape, in Base64, or with a tag
 * that has an escape or that a directive defines. Each begins with a character that is rare: searches take no longer.
 */
const PARSED_KEY = [
  String.raw`\?(?<=(?:^|[-{,\x80-\uFFFF])[ \t]*\?)\s`,
  String.raw`\*[\w-]+\s*:`,
  String.raw`\\[xuU](?<="(?:k(?:in?)?)?\\[xuU])`,
  String.raw`![!<][^\s!%]{0,30}(?:binary|%)`,
  '%TAG(?<=^%TAG)',
].join('|')

/**
 * Matches a text that may hold an object of a kind, of whatever group: only such a text is parsed. That is one that
 * {@link namesKindOf} matches, or the words of a kind that is known by its shape or that may have lost its name.
 */
export const mentionsOf = cachedBy((kinds: readonly Kind[]): RegExp => {
  const shapes = kinds.flatMap(({ shape, signs, adopts }) =>
    [shape?.mentions, signs, adopts].flatMap((words) => words?.source ?? []),
  )
  return new RegExp([namesKindOf(kinds).source, ...shapes].join('|'), 'm')
})

/** False for a text that {@link mentionsOf} matches for words alone that other products use as well. */
export const mayBeOurs = (text: string, kinds: readonly Kind[]): boolean =>
  namesKindOf(kinds).test(text) || kinds.some(({ shape, isMeant }) => shape?.mentions.test(text) || isMeant?.(text))

/**
 * Matches a text that may hold an object which names its kind. That is one that names the kind, or the group of a kind that may be misspelt, or that has a kind or a key which only a parser can read. No part
 * of it can match one text in two ways, so that a search takes time in proportion to the text. It may get a text of bytes.
 */
export const namesKindOf = cachedBy((all: readonly Kind[]): RegExp => {
  const kinds = all.filter(isNamed)
  const misspellable = kinds.filter(({ isMisspelt }) => isMisspelt)
  const names = String.raw`["']?(?:${alternatives(kinds)})(?:List)?\b`
  const alike = misspellable.map(({ likeness }) => String.raw`["']?\w*${likeness?.source}`)
  const kind = String.raw`kind["']?\s*:${SPACE}(?:${[names, ...alike, PARSED_VALUE].join('|')})`
  const groups = misspellable.map(({ group }) => group.replaceAll('.', String.raw`\.`))
  const group = String.raw`apiVersion["']?\s*:${SPACE}["']?(?:${groups.join('|')})\b`
  return new RegExp(String.raw`\b(?:${groups.length > 0 ? `${kind}|${group}` : kind})|${PARSED_KEY}`, 'm')
})

/**
 * Matches a document whose own kind, not that of something within it, is one whose syntax errors are reported: a kind
 * that rules judge or that the webhook observes, or a `List`.
 */
export const ownKindOf = cachedBy((kinds: readonly Kind[]): RegExp => {
  const reported = kinds.filter((kind) => isNamed(kind) && (kind.judgedAs !== undefined || kind.observed))
  return new RegExp(String.raw`^${BLANKS}\{|^["']?${KIND_MEMBER}(?:(?:${alternatives(reported)})(?:List)?|List)\b`, 'm')
})

const PLAIN_KIND = new RegExp(String.raw`^["']?kind["']?\s*:${SPACE}["']?[A-Za-z]+["']?\s`, 'm')
const PARSED_KIND = new RegExp(String.raw`^["']?kind["']?\s*:${SPACE}(?:${PARSED_VALUE})|${PARSED_KEY}`, 'm')

/** Whether the own kind of a document that cannot be parsed is one that only a parser could read. */
export const hidesKind = (text: string): boolean => PARSED_KIND.test(text) && !PLAIN_KIND.test(text)
