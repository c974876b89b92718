/** All objects of a kind, as plain objects, read page by page. */
import {
  CoreV1Api,
  CustomObjectsApi,
  type KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
} from '@kubernetes/client-node'
import { statusOf } from './failure.ts'
import type { WatchedKind } from './kinds.ts'
import { stripManagedFields } from './strip-managed-fields.ts'

type List = KubernetesListObject<KubernetesObject>

/** One answer, and where the next begins; without that it is the last. */
type Page = { readonly list: List; readonly next: string | undefined }

/** Asks for objects: from where the page before ended, and at most so many; all of them where no number is given. */
type Ask = (part: { readonly _continue?: string; readonly limit?: number }) => Promise<Page>

/** What client-go asks for as well: an answer of thousands would stand in the API server's memory, and in ours. */
const PAGE = 500

/** Lists the objects of a kind, in all namespaces or in one. Rejects with what the API server refuses. */
export function listKind(kind: WatchedKind, kubeconfig: KubeConfig, namespace?: string): Promise<List> {
  return listAll(kind.group === '' ? askNamespaces(kubeconfig) : askObjects(kind, kubeconfig, namespace))
}

/**
 * The version of a list is that of its first page. Where the API server forgets it before the last one (410 Gone),
 * the only list of one moment is one without pages.
 */
async function listAll(ask: Ask): Promise<List> {
  const items: KubernetesObject[] = []
  let page = await ask({ limit: PAGE })
  items.push(...page.list.items)
  try {
    while (page.next !== undefined) {
      page = await ask({ limit: PAGE, _continue: page.next })
      items.push(...page.list.items)
    }
  } catch (error) {
    if (statusOf(error) !== 410) throw error
    return (await ask({})).list
  }
  return { ...page.list, items }
}

function askObjects(
  { group, resource: { version, plural } }: WatchedKind,
  kubeconfig: KubeConfig,
  namespace?: string,
): Ask {
  const api = kubeconfig.makeApiClient(CustomObjectsApi)
  return async (part) => {
    const what = { group, version, plural, ...part }
    const list = await (namespace === undefined
      ? api.listClusterCustomObject(what)
      : api.listNamespacedCustomObject({ ...what, namespace }))
    for (const item of list.items) stripManagedFields(item)
    return { list, next: list.metadata?.continue || undefined }
  }
}

/** The typed client reads Namespaces into classes, and times into dates: as JSON they are what a watch gives. */
function askNamespaces(kubeconfig: KubeConfig): Ask {
  const api = kubeconfig.makeApiClient(CoreV1Api)
  return async (part) => {
    const { metadata, items } = await api.listNamespace(part)
    const plain = items.map(({ metadata: { name, labels, resourceVersion, creationTimestamp } = {} }) => ({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name, labels, resourceVersion, creationTimestamp },
    }))
    const list = { ...(metadata && { metadata }), items: JSON.parse(JSON.stringify(plain)) }
    return { list, next: metadata?._continue || undefined }
  }
}
