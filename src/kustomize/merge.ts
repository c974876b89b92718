/**
 * Strategic merge patches of kinds without an OpenAPI schema, as kustomize makes them: mappings are merged, lists are
 * replaced, null removes. Source: kustomize, kyaml/yaml/merge2 and kyaml/yaml/walk.
 */
import { isObject, type Json } from '../json/member.ts'
import { createLocator } from '../yaml/locate.ts'
import { BuildFailure, refused } from './failure.ts'
import { draftObject, isList, isScalar, memberOf, namesOf, type Place, type Traced, withoutMember } from './traced.ts'

/** Merges a patch into an object; undefined where the patch deletes it. Throws {@link BuildFailure}. */
export function mergePatch(base: Traced | undefined, patch: Traced): Traced | undefined {
  if (patch.value === null) return undefined
  if (isObject(patch.value)) return mergeObject(base, patch)
  if (base && base.value !== null && shapeOf(base.value) !== shapeOf(patch.value)) throw otherType(base.value, patch)
  return isScalar(patch.value) ? restyled(base, patch) : patch
}

const otherType = (base: Json, { value, at }: Traced): BuildFailure =>
  refused(
    'patch',
    at,
    `the patch sets ${at.pointer || '/'} to ${shapeNames[shapeOf(value)]}, and it is ${shapeNames[shapeOf(base)]}`,
  )

const shapeNames: Readonly<Record<string, string>> = { list: 'a list', object: 'a mapping', scalar: 'a scalar' }

const shapeOf = (value: Json): string => (isList(value) ? 'list' : isObject(value) ? 'object' : 'scalar')

function mergeObject(base: Traced | undefined, patch: Traced): Traced | undefined {
  if (base && base.value !== null && !isObject(base.value)) throw otherType(base.value, patch)
  const { directive, rest } = takeDirective(patch, base)
  if (directive === 'delete') return undefined
  const isNew = !base || base.value === null || directive === 'replace'
  const into = isNew ? rest : base
  const merged = draftObject(into)
  for (const name of namesOf(rest)) {
    const own = memberOf(rest, name)
    if (!own) continue
    // What is new is merged with itself: its nulls and directives take effect, too.
    const member = mergePatch(isNew ? undefined : memberOf(into, name), own)
    if (member) merged.set(name, member)
    else merged.remove(name)
  }
  return merged.traced
}

/** Takes `$patch` out of a mapping. */
function takeDirective(patch: Traced, base: Traced | undefined): { readonly directive: string; readonly rest: Traced } {
  const member = memberOf(patch, '$patch')
  if (!member || member.value === null) return { directive: 'merge', rest: patch }
  const directive = String(member.value)
  if (!['delete', 'merge', 'replace'].includes(directive))
    // Of what the object lacks kustomize does not look at the strategy.
    throw base
      ? refused('patch', member.at, `unknown patch strategy "${directive}"`)
      : new BuildFailure(member.at.part.source.file, `unknown patch strategy "${directive}"`)
  return { directive, rest: withoutMember(patch, '$patch') }
}

/** A scalar keeps the quotes of the one that it replaces: a number in their place becomes a string. */
function restyled(base: Traced | undefined, patch: Traced): Traced {
  if (!base || !isScalar(base.value) || base.value === null) return patch
  const style = base.style ?? base.at
  const becomesText = typeof patch.value !== 'string' && typeof base.value === 'string' && isQuoted(style)
  return { ...patch, style, ...(becomesText ? { value: String(patch.value), isRequoted: true } : {}) }
}

/** True where a scalar is written in quotes. */
function isQuoted(style: Place | 'plain'): boolean {
  if (style === 'plain') return false
  const {
    part: { source, document },
    pointer,
  } = style
  const { start } = createLocator(source.text, document)(pointer)
  return /["']/.test(source.text.charAt(start))
}
