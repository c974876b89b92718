import { type Item, VERBS } from '../../src/mesh/objects/access.ts'
import { rule } from '../../src/mesh/rule.ts'
import { joinItems, shorten } from '../describe.ts'
import { meshRole } from './examples.ts'
import { ANY, meantResource, ownRules, RESOURCES } from './grants.ts'

/** A verb that a resource does not have grants nothing. */
export default rule({
  id: 'mesh/role-verb',
  severity: 'error',
  since: '0.2',
  judges: ['ClusterRole', 'Role'],
  summary: 'A role grants the verbs that the resources of the mesh have.',
  why: 'The mesh asks for list on services and config, patch on config, and create on inject. Any other verb is never asked for: who has only that gets a 403.',
  remedy: 'Grant list, patch or create, whichever the resource has.',
  source: 'specification of the mesh management API, verbs of resources',
  messages: {
    meant: {
      text: 'the verb "{verb}" grants nothing: on {resources} the mesh checks only {verbs}',
      remedy: 'Write "{meant}".',
    },
    none: {
      text: 'the verb "{verb}" grants nothing: on {resources} the mesh checks only {verbs}',
      remedy: 'Remove this verb.',
    },
  },
  examples: () => ({
    bad: meshRole({ rules: ['{ apiGroups: [nsm.nginx.com], resources: [config], verbs: [get, update] }'] }),
    good: meshRole({ rules: ['{ apiGroups: [nsm.nginx.com], resources: [config], verbs: [list, patch] }'] }),
  }),
  check(role, { report }) {
    for (const { resources, verbs } of ownRules(role)) {
      const names = resourcesMeant(resources)
      const known = [...new Set(names.flatMap((name) => VERBS[name] ?? []))]
      if (known.length === 0) continue
      for (const { pointer, value } of verbs) {
        if (isAskedFor(value, known, verbs)) continue
        const meant = meantVerb(value, known)
        const isThere = verbs.some((other) => other.value === meant)
        report(meant === undefined || isThere ? 'none' : 'meant', pointer, {
          verb: shorten(value),
          resources: joinItems(names),
          verbs: joinItems(known),
          meant,
        })
      }
    }
  },
})

/** `get` beside `list` is what kubectl asks for where it names an object. */
const isAskedFor = (verb: string, known: readonly string[], verbs: readonly Item[]): boolean =>
  verb === ANY ||
  known.includes(verb) ||
  (verb === 'get' && known.includes('list') && verbs.some(({ value }) => value === 'list'))

/** The resources that a rule names, each once; none where one of them is not known, as its verbs are not known either. */
function resourcesMeant(resources: readonly Item[]): readonly string[] {
  const names = resources.map(({ value }) => (value === ANY ? RESOURCES : meantResource(value)))
  return names.includes(undefined) ? [] : [...new Set(names.flatMap((name) => name ?? []))]
}

/** What the verbs of other resources do, with the verbs that do it here. */
const MEANT: Readonly<Record<string, string>> = {
  get: 'list',
  watch: 'list',
  read: 'list',
  update: 'patch',
  edit: 'patch',
  post: 'create',
}

function meantVerb(written: string, known: readonly string[]): string | undefined {
  const verb = written.trim().toLowerCase()
  const meant = known.includes(verb) ? verb : MEANT[verb]
  return meant !== undefined && known.includes(meant) ? meant : undefined
}
