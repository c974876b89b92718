/** The variables that SnippetsFilters and SnippetsPolicies define. */
import { asList, asObject, asText, isObject, type JsonObject, member } from '../../json/member.ts'
import { readIdentity, readMetadata } from '../../kubernetes/metadata.ts'
import { definedVariables } from '../../nginx/variables.ts'
import { cachedByTwo, lazily } from '../../world/cache.ts'
import type { KindObjects, ObjectView } from '../../world/objects.ts'
import type { LookupSpec } from '../../world/system.ts'
import type { Variables } from './lookups.ts'

/** A SnippetsFilter or a SnippetsPolicy. */
export type SnippetsView = ObjectView & {
  /** Lower-cased names, without `$`. Read when first needed. */
  variables(): readonly string[]
}

const readSnippets =
  (kind: 'SnippetsFilter' | 'SnippetsPolicy') =>
  (object: JsonObject, namespace?: string): SnippetsView => ({
    object,
    identity: readIdentity(kind, readMetadata(object), namespace),
    variables: lazily(() => snippetTexts(object).flatMap(definedVariables)),
  })

function snippetTexts(object: JsonObject): readonly string[] {
  const spec = member(object, '', 'spec', asObject).value
  const snippets = member(spec, '', 'snippets', asList).value ?? []
  return snippets.filter(isObject).flatMap((snippet) => member(snippet, '', 'value', asText).value ?? [])
}

/** SnippetsFilters as lookups read them. */
export const SNIPPETS_FILTER = { kind: 'SnippetsFilter', read: readSnippets('SnippetsFilter') } as const

/** SnippetsPolicies as lookups read them. */
export const SNIPPETS_POLICY = { kind: 'SnippetsPolicy', read: readSnippets('SnippetsPolicy') } as const

type Snippets = KindObjects<SnippetsView>

/** One set for the same objects: what rules derive from it is cached by it. */
const definedIn = cachedByTwo(
  (filters: Snippets, policies: Snippets): ReadonlySet<string> =>
    new Set([...filters.all(), ...policies.all()].flatMap((view) => view.variables())),
)

/** A SnippetsFilter that is not known only adds variables, so rules may report without a closed world. */
export const VARIABLES: LookupSpec<Variables> = {
  kinds: ['SnippetsFilter', 'SnippetsPolicy'],
  needsClosedWorld: false,
  make(objects) {
    const [filters, policies] = [objects.of(SNIPPETS_FILTER), objects.of(SNIPPETS_POLICY)]
    const defined = lazily(() => definedIn(filters, policies))
    return {
      get defined() {
        return defined()
      },
      complete: filters.closed && policies.closed,
    }
  },
}
