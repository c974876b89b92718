/** The rights that a server needs, as single questions, and the answers that the roles of some manifests give. */
import type { KubeObject } from '../installation/object.ts'
import { groupBy } from '../text/group.ts'
import { listAt, type Need, nameOf, textAt, textsAt } from './evidence.ts'

/** A service account. */
export type Account = { readonly name: string; readonly namespace: string }

/** What roles of Kubernetes grant to a server that asks the API server who its callers are. */
const BUILT_IN: Readonly<Record<string, readonly object[]>> = {
  'system:auth-delegator': [
    { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
    { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
  ],
  'extension-apiserver-authentication-reader': [
    {
      apiGroups: [''],
      resourceNames: ['extension-apiserver-authentication'],
      resources: ['configmaps'],
      verbs: ['get', 'list', 'watch'],
    },
  ],
}

/** The rules that bindings among some objects give an account, with the namespace in which they count. */
function rulesFor(objects: readonly unknown[], account: Account) {
  const roles = groupBy(
    objects.filter((one) => /Role$/.test(textAt(one, 'kind'))),
    (role) => `${textAt(role, 'kind')}/${textAt(role, 'metadata', 'namespace')}/${nameOf(role)}`,
  )
  return objects.flatMap((binding) => {
    const isOurs = listAt(binding, 'subjects').some(
      (one) => textAt(one, 'name') === account.name && textAt(one, 'namespace') === account.namespace,
    )
    if (!isOurs) return []
    const [kind, name] = [textAt(binding, 'roleRef', 'kind'), textAt(binding, 'roleRef', 'name')]
    const own = textAt(binding, 'kind') === 'RoleBinding' ? textAt(binding, 'metadata', 'namespace') : undefined
    const role = roles.get(`${kind}/${kind === 'Role' ? own : ''}/${name}`)?.[0]
    const rules = role === undefined ? (BUILT_IN[name] ?? []) : listAt(role, 'rules')
    return rules.map((rule) => ({ rule, namespace: own }))
  })
}

/** The rights that the objects of an installation give an account: what it needs. */
export const needsOf = (objects: readonly KubeObject[], account: Account): readonly Need[] =>
  rulesFor(objects, account).flatMap(({ rule, namespace }) => {
    const names = textsAt(rule, 'resourceNames')
    return textsAt(rule, 'apiGroups').flatMap((group) =>
      textsAt(rule, 'resources').flatMap((resource) =>
        textsAt(rule, 'verbs').flatMap((verb) =>
          (names.length > 0 ? names : [undefined]).map((name) => ({
            ...{ verb, group, resource },
            ...(name === undefined ? {} : { name }),
            ...(namespace === undefined ? {} : { namespace }),
          })),
        ),
      ),
    )
  })

/** Tells whether the roles and bindings of some manifests grant a right to an account. Source: Kubernetes, "Using RBAC Authorization". */
export function grantedBy(objects: readonly unknown[], account: Account): (need: Need) => boolean {
  const rules = rulesFor(objects, account)
  const has = (rule: unknown, member: string, value: string) =>
    textsAt(rule, member).some((one) => one === '*' || one === value)
  return ({ verb, group, resource, name, namespace }) =>
    rules.some(
      (one) =>
        (one.namespace === undefined || one.namespace === namespace) &&
        has(one.rule, 'verbs', verb) &&
        has(one.rule, 'apiGroups', group) &&
        has(one.rule, 'resources', resource) &&
        (listAt(one.rule, 'resourceNames').length === 0 ||
          (name !== undefined && textsAt(one.rule, 'resourceNames').includes(name))),
    )
}

/** Rights in words, those that are alike together: `get, list pods, services; create events in shop`. */
export function describeNeeds(needs: readonly Need[]): string {
  const resources = groupBy(needs, ({ group, resource, name, namespace }) =>
    JSON.stringify([group, resource, name, namespace]),
  )
  const alike = groupBy([...resources.values()], (own) =>
    JSON.stringify([own.map(({ verb }) => verb), own[0]?.group, own[0]?.namespace]),
  )
  const parts = [...alike.values()].map((rights) => {
    const [first] = rights[0] ?? []
    const verbs = (rights[0] ?? []).map(({ verb }) => verb).join(', ')
    const what = some(rights.flatMap(([one]) => (one ? [titleOf(one)] : [])))
    const of = first?.group ? ` of ${first.group}` : ''
    return `${verbs} ${what}${of}${first?.namespace === undefined ? '' : ` in ${first.namespace}`}`
  })
  return parts.slice(0, MOST).join('; ') + (parts.length > MOST ? `; and more` : '')
}

const MOST = 3
const MOST_RESOURCES = 5

const titleOf = ({ resource, name }: Need): string => (name === undefined ? resource : `${resource}/${name}`)

const some = (names: readonly string[]): string =>
  names.slice(0, MOST_RESOURCES).join(', ') +
  (names.length > MOST_RESOURCES ? ` and ${names.length - MOST_RESOURCES} more` : '')
