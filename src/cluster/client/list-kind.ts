/** All objects of a kind, as plain objects, read page by page. */

import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import type { KindTable } from '../../world/kinds.ts'
import { callApi, callUnless } from './api.ts'
import { reasonOf, statusOf } from './failure.ts'
import { namespaceOf, type Only, pathOf, queryOf, type WatchedKind, watchedKinds } from './kinds.ts'
import type { KubeConfig } from './library.ts'
import { trimmed } from './trimmed.ts'

/** A list of objects, and the version of the cluster in which it is complete: a watch continues from there. */
type List = { readonly items: readonly JsonObject[]; readonly resourceVersion: string }

/** One page, and the token of the next; undefined for the last. */
type Page = List & { readonly next: string | undefined }

/** Requests a page of at most `limit` objects, after the page with that token; all objects without a limit. */
type FetchPage = (part: { readonly continue?: string; readonly limit?: string }) => Promise<Page>

/** As in client-go: a list of thousands of objects would need memory in the API server, and here. */
const PAGE = '500'

/** What is kept of an object that the API server sends. */
export type Keep = (object: JsonObject, kind: WatchedKind) => JsonObject

/** What to list: all namespaces unless one is named, and objects without what no rule reads unless `keep` differs. */
type ListOptions = {
  readonly namespace?: string | undefined
  readonly keep?: Keep
  readonly only?: Only | undefined
}

/** Lists the objects of a kind. Rejects with the error of the API server. */
export function listKind(
  kind: WatchedKind,
  kubeconfig: KubeConfig,
  { only, namespace = namespaceOf(only), keep = trimmed }: ListOptions = {},
): Promise<List> {
  const path = pathOf(kind, namespace)
  return listAll(async (part) => {
    const query = { ...part, ...queryOf(only) }
    const { metadata, items } = await callApi(kubeconfig, { path, query })
    const { resourceVersion, continue: next } = isObject(metadata) ? metadata : {}
    return {
      items: Array.isArray(items) ? items.filter(isObject).map((item) => keep(itemOf(kind, item), kind)) : [],
      resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : '',
      next: typeof next === 'string' && next !== '' ? next : undefined,
    }
  })
}

/** The items of a list of a kind of Kubernetes itself do not say what they are. */
const itemOf = (kind: WatchedKind, item: JsonObject): JsonObject => {
  const { group, resource } = kind
  const apiVersion = group === '' ? resource.version : `${group}/${resource.version}`
  return { apiVersion, kind: kind.kind, ...item }
}

/**
 * The resourceVersion of a list is that of its first page. Where it expires before the last page is read (410 Gone), a
 * list without pages is the only consistent one.
 */
async function listAll(fetchPage: FetchPage): Promise<List> {
  const first = await fetchPage({ limit: PAGE })
  const pages: Page[] = [first]
  try {
    for (let { next } = first; next !== undefined; next = pages.at(-1)?.next)
      pages.push(await fetchPage({ limit: PAGE, continue: next }))
  } catch (error) {
    if (statusOf(error) !== 410) throw error
    return await fetchPage({})
  }
  return { items: pages.flatMap(({ items }) => items), resourceVersion: first.resourceVersion }
}

/** A kind that could not be read as a whole. */
export type Gap = {
  readonly kind: string
  readonly reason: string
  /** True where it could be read in the requested namespace. */
  readonly isPartial: boolean
  /** Where the API server serves the kind, but not the version that is read: `v1beta1`, and `v1`. */
  readonly versions?: { readonly served: readonly string[]; readonly wanted: string }
}

/** The objects of a cluster. */
export type StoredObjects = { readonly objects: readonly JsonObject[]; readonly gaps: readonly Gap[] }

/**
 * Reads all objects of the watched kinds; where the user has no permission for that, those of one namespace. A kind that the API
 * server serves in no version has none. Never rejects.
 */
export async function readStored(kubeconfig: KubeConfig, kinds: KindTable, namespace?: string): Promise<StoredObjects> {
  const read = await Promise.all(watchedKinds(kinds).map((kind) => readKind(kind, kubeconfig, namespace)))
  return { objects: read.flatMap(({ objects }) => objects), gaps: read.flatMap(({ gaps }) => gaps) }
}

async function readKind(
  kind: WatchedKind,
  kubeconfig: KubeConfig,
  namespace: string | undefined,
): Promise<StoredObjects> {
  try {
    return { objects: await read(kind, kubeconfig), gaps: [] }
  } catch (error) {
    if (statusOf(error) === 404) return { objects: [], gaps: await gapsOfMissing(kind, kubeconfig) }
    const gap = { kind: kind.kind, reason: reasonOf(error) }
    const isForbidden = statusOf(error) === 403 && kind.resource.namespaced && namespace !== undefined
    const objects = isForbidden ? await read(kind, kubeconfig, namespace).catch(() => undefined) : undefined
    return { objects: objects ?? [], gaps: [{ ...gap, isPartial: objects !== undefined }] }
  }
}

/** What is not known of a kind that the API server does not serve in the version that is read. */
async function gapsOfMissing({ kind, group, resource }: WatchedKind, kubeconfig: KubeConfig): Promise<readonly Gap[]> {
  try {
    const served = await servedVersions(kubeconfig, group, resource.plural)
    if (served.length === 0) return []
    const reason = `the API server serves it in ${served.join(', ')}, not in ${resource.version}`
    return [{ kind, reason, isPartial: false, versions: { served, wanted: resource.version } }]
  } catch (error) {
    return [{ kind, reason: reasonOf(error), isPartial: false }]
  }
}

/** The versions in which the API server serves a resource. Rejects with its error. */
async function servedVersions(kubeconfig: KubeConfig, group: string, plural: string): Promise<readonly string[]> {
  const about = await callUnless(404, kubeconfig, { path: `/apis/${group}` })
  const versions = listOf(about?.versions).flatMap(({ version }) => (typeof version === 'string' ? version : []))
  const having = versions.map(async (version) => {
    const { resources } = (await callUnless(404, kubeconfig, { path: `/apis/${group}/${version}` })) ?? {}
    return listOf(resources).some(({ name }) => name === plural) ? [version] : []
  })
  return (await Promise.all(having)).flat()
}

const listOf = (value: Json | undefined): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

const read = async (kind: WatchedKind, kubeconfig: KubeConfig, namespace?: string): Promise<readonly JsonObject[]> =>
  (await listKind(kind, kubeconfig, { namespace })).items
