/** What a test's API server stores: forgotten, or as it was before, in a moment. */
import { randomUUID } from 'node:crypto'

/** A stored object: its value in base64, and the revision that wrote it. */
type Stored = { readonly value: string; readonly revision: string }

/** All that etcd stores, by key in base64. */
type Everything = ReadonlyMap<string, Stored>

/** Has etcd at an address forget every version of an object but the last. */
export async function compact(etcd: string): Promise<void> {
  const { header } = await ask(etcd, 'range', { key: EVERY.key })
  await ask(etcd, 'compaction', { revision: header.revision, physical: true })
}

/** The range of all keys. */
const EVERY = { key: btoa('\0'), range_end: btoa('\0') }

/** What an API server changes by itself from time to time. */
const ITS_OWN = /^(?!\/registry\/)|^\/registry\/(?:masterleases|leases|endpointslices|services\/endpoints)\//

/** Operations in a transaction: etcd takes 128. */
const MOST = 100

/** Remembers what is stored. Returns the function that brings it back, with a default namespace that has just begun. */
export async function remember(etcd: string): Promise<() => Promise<void>> {
  const before = await everything(etcd)
  let revisions = new Map([...before].map(([key, { revision }]) => [key, revision]))
  return async () => {
    const now = await everything(etcd)
    const others = [...now.keys()].filter((key) => !before.has(key))
    const changed = [...before].filter(([key]) => key === DEFAULT || now.get(key)?.revision !== revisions.get(key))
    const operations = [
      ...others.map((key) => ({ request_delete_range: { key } })),
      ...changed.map(([key, { value }]) => ({ request_put: { key, value: key === DEFAULT ? newNamespace() : value } })),
    ]
    for (let first = 0; first < operations.length; first += MOST)
      await ask(etcd, 'txn', { success: operations.slice(first, first + MOST) })
    revisions = new Map([...(await everything(etcd))].map(([key, { revision }]) => [key, revision]))
  }
}

const DEFAULT = btoa('/registry/namespaces/default')

/** Rules are about the age of a namespace. */
function newNamespace(): string {
  const metadata = {
    ...{ name: 'default', uid: randomUUID(), creationTimestamp: `${new Date().toISOString().slice(0, 19)}Z` },
    labels: { 'kubernetes.io/metadata.name': 'default' },
  }
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata, spec: { finalizers: ['kubernetes'] } }
  return btoa(JSON.stringify({ ...object, status: { phase: 'Active' } }))
}

async function everything(etcd: string): Promise<Everything> {
  const { kvs = [] } = await ask(etcd, 'range', EVERY)
  return new Map(
    kvs
      .filter(({ key }) => !ITS_OWN.test(atob(key)))
      .map(({ key, value = '', mod_revision }) => [key, { value, revision: mod_revision }]),
  )
}

type Answer = {
  readonly header: { readonly revision: string }
  readonly kvs?: readonly { readonly key: string; readonly value?: string; readonly mod_revision: string }[]
}

/** Asks the JSON gateway of etcd. */
async function ask(etcd: string, path: string, body: object): Promise<Answer> {
  const answer = await fetch(`${etcd}/v3/kv/${path}`, { method: 'POST', body: JSON.stringify(body) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`etcd answers ${answer.status}: ${text}`)
  return JSON.parse(text)
}
