import { rule } from '../../src/mesh/rule.ts'

const binding = (group: string): string => `# Lets clients of nsm.nginx.com find its resources.
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: mesh-discovery }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: system:discovery }
subjects:
- { apiGroup: rbac.authorization.k8s.io, kind: Group, name: "${group}" }
`

/** Who is not logged in need not see which APIs there are. */
export default rule({
  id: 'mesh/discovery-exposed',
  severity: 'warning',
  since: '0.2',
  judges: 'ClusterRoleBinding',
  summary: 'Discovery is for clients that have logged in.',
  why: 'With this binding anyone who reaches the API server reads which APIs the cluster has, that of the mesh among them.',
  remedy: 'Remove this subject; "system:authenticated" has the role by default.',
  source: 'specification of the mesh management API, authorization, discovery',
  messages: { exposed: 'the role "system:discovery" is granted to clients that have not logged in' },
  examples: () => ({ bad: binding('system:unauthenticated'), good: binding('system:authenticated') }),
  check({ role, subjects }, { report }) {
    if (role.name !== 'system:discovery') return
    for (const { pointer, kind, name } of subjects)
      if (kind === 'Group' && name === 'system:unauthenticated') report('exposed', pointer)
  },
})
