/** Events, as shown by `kubectl describe` and `kubectl get events`. */

import { isObject } from '../../json/member.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { withoutEnd } from '../../text/trim.ts'
import { callApi, callUnless } from './api.ts'
import type { KubeConfig } from './library.ts'

/** An object that an event is about. */
export type Regarded = {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** `kubectl describe` finds events by it. */
  readonly uid?: string | undefined
}

/** Something that somebody should know who looks after an object. */
export type WarningEvent = {
  readonly about: Regarded
  /** One word: `Conflicted`. */
  readonly reason: string
  readonly message: string
  readonly at: Date
}

/** A problem with a ConfigMap of sluice. */
export type ConfigMapEvent = Omit<WarningEvent, 'about'> & Pick<Regarded, 'namespace' | 'name'>

/** Characters that the API server accepts. */
const LONGEST_MESSAGE = 1024
const LONGEST_NAME = 253

/** `kubectl describe` finds events by it. Without permission to read the ConfigMap, the event is written without it. */
async function uidOf(kubeconfig: KubeConfig, { namespace, name }: ConfigMapEvent): Promise<string | undefined> {
  try {
    const { metadata } = await callApi(kubeconfig, { path: `/api/v1/namespaces/${namespace}/configmaps/${name}` })
    const { uid } = isObject(metadata) ? metadata : {}
    return typeof uid === 'string' ? uid : undefined
  } catch {
    return undefined
  }
}

/** Writes that a ConfigMap was changed as somebody wanted. Rejects where the API server does not accept it. */
export async function tellOfConfigMap(kubeconfig: KubeConfig, event: ConfigMapEvent, component: string): Promise<void> {
  const { namespace, name } = event
  const about = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name, uid: await uidOf(kubeconfig, event) }
  const body = { ...bodyOf({ ...event, about }, component, { generateName: `${name}.` }), type: 'Normal' }
  await callApi(kubeconfig, { method: 'POST', path: pathOf(about), body })
}

/** Writes a warning event of the webhook. Rejects where the API server does not accept it. */
export async function warnAboutConfigMap(kubeconfig: KubeConfig, event: ConfigMapEvent): Promise<void> {
  const { namespace, name } = event
  const about = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name, uid: await uidOf(kubeconfig, event) }
  const body = bodyOf({ ...event, about }, 'sluice-admission', { generateName: `${name}.` })
  await callApi(kubeconfig, { method: 'POST', path: pathOf(about), body })
}

/**
 * Writes a warning event, or counts once more the one that says the same of the same object: its name follows from what it
 * says, so that neither replicas nor a restart repeat it. Rejects where the API server does not accept it.
 */
export async function warnOnce(kubeconfig: KubeConfig, event: WarningEvent, component: string): Promise<void> {
  const { about, reason, message } = event
  const end = `.${fingerprint([about.kind, about.uid, component, reason, message].join('\n'))}`
  const name = withoutEnd(about.name.slice(0, LONGEST_NAME - end.length), '-.') + end
  const body = bodyOf(event, component, { name })
  if (await callUnless(409, kubeconfig, { method: 'POST', path: pathOf(about), body })) return
  const path = `${pathOf(about)}/${name}`
  const { count } = await callApi(kubeconfig, { path })
  const again = { count: typeof count === 'number' ? count + 1 : 2, lastTimestamp: body.lastTimestamp }
  await callApi(kubeconfig, { method: 'PATCH', path, contentType: 'application/merge-patch+json', body: again })
}

const pathOf = ({ namespace }: Regarded): string => `/api/v1/namespaces/${namespace}/events`

function bodyOf({ about, reason, message, at }: WarningEvent, component: string, name: object) {
  const { apiVersion, kind, namespace, name: aboutName, uid } = about
  return {
    metadata: { ...name, namespace },
    involvedObject: { apiVersion, kind, name: aboutName, namespace, ...(uid ? { uid } : {}) },
    type: 'Warning',
    reason,
    message: message.slice(0, LONGEST_MESSAGE),
    source: { component },
    firstTimestamp: toSeconds(at),
    lastTimestamp: toSeconds(at),
    count: 1,
  }
}

/** As the API server writes times: without a fraction. */
const toSeconds = (at: Date): string => at.toISOString().replace(/\.\d+Z$/, 'Z')
