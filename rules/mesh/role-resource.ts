import { rule } from '../../src/mesh/rule.ts'
import { joinItems, shorten } from '../describe.ts'
import { meshRole } from './examples.ts'
import { ANY, meantResource, ownRules, RESOURCES } from './grants.ts'

/** A resource that the API does not have grants nothing. */
export default rule({
  id: 'mesh/role-resource',
  severity: 'error',
  since: '0.2',
  judges: ['ClusterRole', 'Role'],
  summary: 'A role names resources that the mesh management API has.',
  why: 'No request is ever about a resource that the API does not have, so the rule grants nothing: its users get a 403.',
  remedy: 'Write services, config or inject.',
  source: 'specification of the mesh management API, resources',
  messages: {
    meant: { text: 'the mesh has no resource "{resource}"', remedy: 'Write "{meant}".' },
    unknown: {
      text: 'the mesh has no resource "{resource}"; its resources are {known}',
      remedy: 'Remove it, or name one of them.',
    },
  },
  examples: () => ({
    bad: meshRole({ rules: ['{ apiGroups: [nsm.nginx.com], resources: [service], verbs: [list] }'] }),
    good: meshRole({ rules: ['{ apiGroups: [nsm.nginx.com], resources: [services], verbs: [list] }'] }),
  }),
  check(role, { report }) {
    for (const { resources } of ownRules(role))
      for (const { pointer, value } of resources) {
        if (value === ANY || RESOURCES.includes(value)) continue
        const meant = meantResource(value)
        report(meant === undefined ? 'unknown' : 'meant', pointer, {
          resource: shorten(value),
          meant,
          known: joinItems(RESOURCES),
        })
      }
  },
})
