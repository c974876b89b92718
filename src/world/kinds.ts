/** The kinds that systems register, as one table: which objects are read, and how a text that names one is found. */
import type { JsonObject } from '../json/member.ts'
import type { ApiNames } from '../kubernetes/api-groups.ts'
import { groupBy } from '../text/group.ts'
import { cachedBy } from './cache.ts'
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
  /** The kind of an object by its `kind` and `apiVersion`; undefined for objects that no system reads. */
  recognise(object: JsonObject): Recognised | undefined
}

/** The parts of an `apiVersion`: `group/version`, or the version alone for the core group. */
export function splitApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.lastIndexOf('/')
  return { group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) }
}

/** Makes the table. A kind that two systems register alike (Namespace) stands in it once. */
export function kindTable(systems: readonly Pick<System, 'kinds'>[], names: ApiNames): KindTable {
  const all = systems.flatMap((system) => system.kinds(names))
  const kinds = [...new Map(all.map((kind) => [`${kind.group}/${kind.kind}`, kind])).values()]
  const byName = groupBy(kinds, ({ kind }) => kind)
  const misspellable = kinds.filter(({ isMisspelt }) => isMisspelt)
  return {
    kinds,
    recognise(object) {
      if (typeof object.kind !== 'string') return undefined
      for (const kind of byName.get(object.kind) ?? misspellable.filter((one) => one.isMisspelt?.(object))) {
        const judgedAs = kind.judgedAs?.(object)
        if (judgedAs !== undefined || (!kind.judgedAs && isOfGroup(object, kind)))
          return { kind, judgedAs, known: judgedAs === kind.subjects?.[0] }
      }
      return undefined
    },
  }
}

const isOfGroup = ({ apiVersion }: JsonObject, { group }: Kind): boolean =>
  typeof apiVersion === 'string' && splitApiVersion(apiVersion).group === group

/** Names of kinds as an alternative of a regular expression, longest first. */
const alternatives = (kinds: Iterable<Kind>): string =>
  [...new Set([...kinds].map(({ kind }) => kind))].sort((a, b) => b.length - a.length).join('|')

/** Blanks of one line: those of many lines before a bracket would be searched again from each of them. */
const BLANKS = String.raw`[^\S\n\r\u2028\u2029]*`

/** The member that names a kind, with an anchor or a tag before it. */
const KIND_MEMBER = String.raw`kind["']?\s*:\s*(?:[&!]\S*\s+)*["']?`

/**
 * Matches a text that may hold an object of a kind, of whatever group: only such a text is parsed. That is one that names
 * the kind, or the group of a kind that may be misspelt, or a kind that only a parser can read: with an anchor or a tag,
 * as an alias or a block, after a comment, with an escape. No part of it can match one text in two ways, so that a search
 * takes time in proportion to the text.
 */
export const mentionsOf = cachedBy((kinds: readonly Kind[]): RegExp => {
  const misspellable = kinds.filter(({ isMisspelt }) => isMisspelt)
  const names = String.raw`["']?(?:${alternatives(kinds)})(?:List)?\b`
  const alike = misspellable.map(({ likeness }) => String.raw`["']?\w*${likeness?.source}`)
  const onlyParsed = String.raw`[&!*|>#]|"[^"\\\n]{0,80}\\`
  const kind = String.raw`kind["']?\s*:\s*(?:${[names, ...alike, onlyParsed].join('|')})`
  const groups = misspellable.map(({ group }) => group.replaceAll('.', String.raw`\.`))
  const group = String.raw`apiVersion["']?\s*:\s*["']?(?:${groups.join('|')})\b`
  return new RegExp(String.raw`\b(?:${groups.length > 0 ? `${kind}|${group}` : kind})`)
})

/**
 * Matches a document whose own kind, not that of something within it, is one whose syntax errors are reported: a kind
 * that rules judge or that the webhook observes, or a `List`.
 */
export const ownKindOf = cachedBy((kinds: readonly Kind[]): RegExp => {
  const reported = kinds.filter(({ judgedAs, observed }) => judgedAs !== undefined || observed)
  return new RegExp(String.raw`^${BLANKS}\{|^["']?${KIND_MEMBER}(?:(?:${alternatives(reported)})(?:List)?|List)\b`, 'm')
})
