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

/** One page, and the token of the next; undefined for the last. */
type Page = { readonly list: List; readonly next: string | undefined }

/** Requests a page of at most `limit` objects, after the page with that token; all objects without a limit. */
type FetchPage = (part: { readonly _continue?: string; readonly limit?: number }) => Promise<Page>

/** As in client-go: a list of thousands of objects would need memory in the API server, and here. */
const PAGE = 500

/** Lists the objects of a kind, in all namespaces or in one. Rejects with the error of the API server. */
export function listKind(kind: WatchedKind, kubeconfig: KubeConfig, namespace?: string): Promise<List> {
  return listAll(kind.group === '' ? fetchNamespaces(kubeconfig) : fetchObjects(kind, kubeconfig, namespace))
}

/**
 * The resourceVersion of a list is that of its first page. Where it expires before the last page is read (410 Gone), a
 * list without pages is the only consistent one.
 */
async function listAll(fetchPage: FetchPage): Promise<List> {
  const items: KubernetesObject[] = []
  let page = await fetchPage({ limit: PAGE })
  items.push(...page.list.items)
  try {
    while (page.next !== undefined) {
      page = await fetchPage({ limit: PAGE, _continue: page.next })
      items.push(...page.list.items)
    }
  } catch (error) {
    if (statusOf(error) !== 410) throw error
    return (await fetchPage({})).list
  }
  return { ...page.list, items }
}

function fetchObjects(
  { group, resource: { version, plural }, needsLastApplied }: WatchedKind,
  kubeconfig: KubeConfig,
  namespace?: string,
): FetchPage {
  const api = kubeconfig.makeApiClient(CustomObjectsApi)
  return async (part) => {
    const what = { group, version, plural, ...part }
    const list = await (namespace === undefined
      ? api.listClusterCustomObject(what)
      : api.listNamespacedCustomObject({ ...what, namespace }))
    for (const item of list.items) stripManagedFields(item, needsLastApplied)
    return { list, next: list.metadata?.continue || undefined }
  }
}

/** The typed client reads Namespaces into classes, and times into dates: as JSON they are what a watch returns. */
function fetchNamespaces(kubeconfig: KubeConfig): FetchPage {
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
