/** One ConfigMap: watched, as a lookup that returns at once, and changed by several processes without losing a change of anybody. */

import { setTimeout as sleep } from 'node:timers/promises'
import { isObject, type JsonObject } from '../../json/member.ts'
import { readIdentity, readMetadata } from '../../kubernetes/metadata.ts'
import { ABSENT, found, type Lookup, UNKNOWN } from '../../world/lookup.ts'
import { callApi, callUnless } from '../client/api.ts'
import type { Clock } from '../client/clock.ts'
import { statusOf } from '../client/failure.ts'
import type { OneObject, WatchedKind } from '../client/kinds.ts'
import type { KubeConfig } from '../client/library.ts'
import { type WatchState, watchKind } from './kind-watch.ts'

const CONFIG_MAP: WatchedKind = {
  kind: 'ConfigMap',
  group: '',
  resource: { version: 'v1', plural: 'configmaps', namespaced: true, optional: false },
  read: (object) => ({ object, identity: readIdentity('ConfigMap', readMetadata(object)) }),
}

/** A watched ConfigMap. */
export type ConfigMapWatch = {
  /** The ConfigMap, absent, or unknown while the watch is not synced. */
  object(): Lookup<JsonObject>
  state(): WatchState
  /** Why it is not synced. */
  problem(): string | undefined
  stop(): void
}

/** Starts to watch. Never throws and needs no API server. Needs the rights `list` and `watch` on this one ConfigMap. */
export function watchConfigMap(
  kubeconfig: KubeConfig,
  {
    only,
    clock,
    changed,
  }: { readonly only: { readonly namespace: string; readonly name: string }; readonly clock: Clock; changed(): void },
): ConfigMapWatch {
  // With its resourceVersion, for whoever changes it.
  const keep = (object: JsonObject) => object
  const watch = watchKind(CONFIG_MAP, { kubeconfig, clock, only, keep, changed })
  return {
    object() {
      if (watch.state() !== 'synced') return UNKNOWN
      const [view] = watch.objects().all()
      return view ? found(view.object) : ABSENT
    },
    state: watch.state,
    problem: watch.problem,
    stop: watch.stop,
  }
}

/** Times that a change is made again, because others were faster. */
const ATTEMPTS = 20

/** Milliseconds before the second attempt, and the most between two. */
const FIRST_DELAY = 5
const LONGEST_DELAY = 200

/**
 * Reads the ConfigMap, and writes what `change` makes of it, unless somebody else has changed it in the meantime: then again,
 * from the start. `change` gets undefined where there is none, and returns undefined where nothing is to be written. Gives
 * what is stored then; undefined where others were always faster. Rejects with the error of the API server, and with what
 * `change` throws.
 */
export async function changeConfigMap(
  kubeconfig: KubeConfig,
  { only: { namespace, name }, clock }: { readonly only: OneObject; readonly clock: Pick<Clock, 'random'> },
  change: (configMap: JsonObject | undefined) => JsonObject | undefined,
): Promise<JsonObject | undefined> {
  const all = `/api/v1/namespaces/${namespace}/configmaps`
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const before = await callUnless(404, kubeconfig, { path: `${all}/${name}` })
    const changed = change(before)
    if (!changed) return before ?? {}
    const metadata = { ...(isObject(before?.metadata) ? before.metadata : {}), namespace, name }
    const body = { ...changed, apiVersion: 'v1', kind: 'ConfigMap', metadata }
    try {
      // With the resourceVersion that was read, the API server refuses to overwrite another one.
      return before
        ? await callApi(kubeconfig, { method: 'PUT', path: `${all}/${name}`, body })
        : await callApi(kubeconfig, { method: 'POST', path: all, body })
    } catch (error) {
      if (statusOf(error) !== CONFLICT) throw error
    }
    // Replicas do not try again at the same moment.
    await sleep(Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** attempt) * clock.random())
  }
  return undefined
}

/** Another version is there, or one was created. */
const CONFLICT = 409
