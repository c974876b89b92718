import { rule } from '../../src/mesh/rule.ts'
import { meshRole, READS } from './examples.ts'
import { ANY } from './grants.ts'

/** A wildcard grants what is internal, and what comes later. */
export default rule({
  id: 'mesh/role-wildcard',
  severity: 'warning',
  since: '0.2',
  judges: ['ClusterRole', 'Role'],
  summary: 'A role names the resources and verbs of the mesh that it grants.',
  why: 'A wildcard also grants the internal resources, among them clear, which turns the mesh off for every Pod, and whatever a later release adds.',
  remedy: 'Name the resources and the verbs.',
  source: 'specification of the mesh management API, roles',
  messages: {
    resources: {
      text: '"*" grants every resource of the mesh, the internal ones as well',
      remedy: 'Name the resources that are needed, such as services.',
    },
    verbs: {
      text: '"*" grants every verb, those of later releases as well',
      remedy: 'Name the verbs that are needed, such as list.',
    },
  },
  examples: () => ({
    bad: meshRole({ rules: [`{ apiGroups: [nsm.nginx.com], resources: ['*'], verbs: [list] }`] }),
    good: meshRole({ rules: [READS] }),
  }),
  check({ rules }, { report }) {
    for (const { isOfMesh, resources, verbs } of rules) {
      if (!isOfMesh) continue
      for (const { pointer, value } of resources) if (value === ANY) report('resources', pointer)
      for (const { pointer, value } of verbs) if (value === ANY) report('verbs', pointer)
    }
  },
})
