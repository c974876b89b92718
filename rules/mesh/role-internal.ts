import { INTERNAL, REASON_ANNOTATION } from '../../src/mesh/objects/access.ts'
import { rule } from '../../src/mesh/rule.ts'
import { meshRole, READS } from './examples.ts'
import { ownRules } from './grants.ts'

/** Internal resources are for the mesh's own programs: a role that grants them says why. */
export default rule({
  id: 'mesh/role-internal',
  severity: 'warning',
  since: '0.2',
  judges: ['ClusterRole', 'Role'],
  summary: 'A role that grants internal resources of the mesh says why.',
  why: 'Who may create clear turns the mesh off for every Pod. Only commands that remove the mesh or ask for its version need clear, resources and version.',
  remedy: `Remove the resource, or say in the annotation ${REASON_ANNOTATION} why it is granted.`,
  source: 'specification of the mesh management API, internal resources',
  messages: { internal: '"{resource}" is an internal resource of the mesh, and nothing says why it is granted' },
  examples: () => ({
    bad: meshRole({
      rules: [READS, '{ apiGroups: [nsm.nginx.com], resources: [clear], verbs: [create] }'],
    }),
    good: meshRole({
      metadata: ['annotations:', `  ${REASON_ANNOTATION}: operators remove the mesh`],
      rules: [READS, '{ apiGroups: [nsm.nginx.com], resources: [clear], verbs: [create] }'],
    }),
  }),
  check(role, { report }) {
    if (typeof role.reason === 'string' && role.reason.trim() !== '') return
    for (const { resources } of ownRules(role))
      for (const { pointer, value } of resources)
        if (INTERNAL.includes(value)) report('internal', pointer, { resource: value })
  },
})
