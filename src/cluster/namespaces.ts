/** Namespaces, which the typed client reads into classes of its own: plain objects are made of them again. */
import { CoreV1Api, type KubeConfig, type KubernetesListObject, type KubernetesObject } from '@kubernetes/client-node'

/** Lists all namespaces, with their names and labels. */
export async function listNamespaces(kubeconfig: KubeConfig): Promise<KubernetesListObject<KubernetesObject>> {
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
