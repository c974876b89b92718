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

async function listObjects({ group, version, plural }: WatchedKind, kubeconfig: KubeConfig): Promise<List> {
  const list = await kubeconfig.makeApiClient(CustomObjectsApi).listClusterCustomObject({ group, version, plural })
  for (const item of list.items) slim(item)
  return list
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
