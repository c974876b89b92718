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

/** The typed client reads Namespaces into classes, and times into dates: as JSON they are what a watch gives. */
async function listNamespaces(kubeconfig: KubeConfig): Promise<List> {
  const { metadata, items } = await kubeconfig.makeApiClient(CoreV1Api).listNamespace()
  const plain = items.map(({ metadata: { name, labels, resourceVersion, creationTimestamp } = {} }) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels, resourceVersion, creationTimestamp },
  }))
  return { ...(metadata && { metadata }), items: JSON.parse(JSON.stringify(plain)) }
}
