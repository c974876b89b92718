/** All objects of a kind, as plain objects. */
import {
  CoreV1Api,
  CustomObjectsApi,
  type KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
} from '@kubernetes/client-node'
import type { WatchedKind } from './kinds.ts'
import { slim } from './slim.ts'

type List = KubernetesListObject<KubernetesObject>

/** Lists the objects of a kind in all namespaces. Rejects with what the API server refuses. */
export const listKind = (kind: WatchedKind, kubeconfig: KubeConfig): Promise<List> =>
  kind.group === '' ? listNamespaces(kubeconfig) : listObjects(kind, kubeconfig)

/** Objects that one answer brings: thousands at once would leave a heap several times what stays. */
const PAGE = 500

/** A page of custom objects is plain JSON, in which the member is not called `_continue`. */
type Page = List & { readonly metadata?: { readonly continue?: string } }

async function listObjects({ group, version, plural }: WatchedKind, kubeconfig: KubeConfig): Promise<List> {
  const api = kubeconfig.makeApiClient(CustomObjectsApi)
  const items: KubernetesObject[] = []
  for (let next: string | undefined; ; ) {
    const where = { group, version, plural, limit: PAGE, ...(next && { _continue: next }) }
    const page: Page = await api.listClusterCustomObject(where)
    for (const item of page.items) items.push(slim(item))
    next = page.metadata?.continue
    if (!next) return { ...page, items }
  }
}

/** The typed client reads Namespaces into classes of its own: plain objects with name and labels are made of them. */
async function listNamespaces(kubeconfig: KubeConfig): Promise<List> {
  const { metadata, items } = await kubeconfig.makeApiClient(CoreV1Api).listNamespace()
  return {
    ...(metadata && { metadata }),
    items: items.map(({ metadata: { name, labels, resourceVersion } = {} }) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { ...(name && { name }), ...(labels && { labels }), ...(resourceVersion && { resourceVersion }) },
    })),
  }
}
