/** The variables that SnippetsFilters and SnippetsPolicies define. */
import { asList, asObject, asString, isObject, type JsonObject, member } from '../../json/member.ts'
import { readIdentity, readMetadata } from '../../kubernetes/metadata.ts'
import { readSnippet, type SnippetContents } from '../../nginx/snippets.ts'
import { lazily } from '../../world/cache.ts'
import type { ObjectView } from '../../world/objects.ts'
import type { LookupSpec } from '../../world/system.ts'
import type { DefinedVariables, Variables } from './lookups.ts'

/** A SnippetsFilter or a SnippetsPolicy. */
export type SnippetsView = ObjectView & {
  /** What its texts add to nginx, read when first needed. */
  contents(): readonly SnippetContents[]
}

const readSnippets =
  (kind: 'SnippetsFilter' | 'SnippetsPolicy') =>
  (object: JsonObject, namespace?: string): SnippetsView => ({
    object,
    identity: readIdentity(kind, readMetadata(object), namespace),
    contents: lazily(() => snippetTexts(object).map(readSnippet)),
  })

function snippetTexts(object: JsonObject): readonly string[] {
  const spec = member(object, '', 'spec', asObject).value
  const snippets = member(spec, '', 'snippets', asList).value ?? []
  return snippets.filter(isObject).flatMap((snippet) => member(snippet, '', 'value', asString).value ?? [])
}

/** SnippetsFilters as lookups read them. */
export const SNIPPETS_FILTER = { kind: 'SnippetsFilter', read: readSnippets('SnippetsFilter') } as const

/** SnippetsPolicies as lookups read them. */
export const SNIPPETS_POLICY = { kind: 'SnippetsPolicy', read: readSnippets('SnippetsPolicy') } as const

const definedBy = (views: readonly SnippetsView[]): DefinedVariables => {
  const contents = views.flatMap((view) => view.contents())
  return {
    defined: new Set(contents.flatMap(({ variables }) => variables)),
    isOpen: contents.some(({ isOpen }) => isOpen),
    modules: new Set(contents.flatMap(({ modules }) => modules)),
  }
}

/** A SnippetsFilter that is not known only adds variables, so rules may report without a closed world. */
export const VARIABLES: LookupSpec<Variables> = {
  kinds: ['SnippetsFilter', 'SnippetsPolicy'],
  needsClosedWorld: false,
  make(objects) {
    const [filters, policies] = [objects.of(SNIPPETS_FILTER), objects.of(SNIPPETS_POLICY)]
    const added = lazily(() => definedBy([...filters.all(), ...policies.all()]))
    return {
      get defined() {
        return added().defined
      },
      get isOpen() {
        return added().isOpen
      },
      get modules() {
        return added().modules
      },
      complete: filters.closed && policies.closed,
    }
  },
}
