import { rule } from '../../src/mesh/rule.ts'
import { meshRole, READS } from './examples.ts'

/** The resources of the mesh are cluster-wide: what is granted within a namespace is not granted. */
export default rule({
  id: 'mesh/role-namespaced',
  severity: 'error',
  since: '0.2',
  judges: ['Role', 'RoleBinding'],
  reads: ['meshRoles'],
  summary: 'What the mesh grants is granted by a ClusterRole and a ClusterRoleBinding.',
  why: 'The resources of the mesh belong to no namespace. A Role, or a RoleBinding of a ClusterRole, grants only what is in its own namespace, and that is nothing of the mesh.',
  remedy: 'Make it a ClusterRole with a ClusterRoleBinding, both without a namespace.',
  source: 'specification of the mesh management API, namespaced: false; Kubernetes, Using RBAC Authorization',
  messages: {
    role: {
      text: 'a Role cannot grant resources of the mesh, which belong to no namespace',
      remedy: 'Make it a ClusterRole without a namespace.',
    },
    binding: {
      text: 'this binding grants nothing of the ClusterRole "{role}": the resources of the mesh belong to no namespace',
      remedy: 'Make it a ClusterRoleBinding without a namespace.',
    },
  },
  examples: () => ({
    bad: meshRole({ kind: 'Role', rules: [READS] }),
    good: meshRole({ rules: [READS] }),
  }),
  check(view, { meshRoles, report }) {
    if ('rules' in view) {
      if (view.rules.some(({ isOfMesh }) => isOfMesh)) report('role', '/kind')
      return
    }
    const { kind, name } = view.role
    if (kind !== 'ClusterRole' || typeof name !== 'string') return
    const role = meshRoles.get(name)
    // A role that grants something else as well may be bound for that.
    if (role.state !== 'found' || !role.value.rules.every(({ isOfMeshAlone }) => isOfMeshAlone)) return
    report('binding', '/kind', { role: name })
  },
})
