/** Events, as shown by `kubectl describe` and `kubectl get events`. */
import { CoreV1Api, type KubeConfig } from '@kubernetes/client-node'

/** A problem with a ConfigMap of sluice. */
export type ConfigMapEvent = {
  readonly namespace: string
  readonly name: string
  /** One word: `SettingsRejected`. */
  readonly reason: string
  readonly message: string
  readonly at: Date
}

/** Characters that the API server accepts. */
const LONGEST_MESSAGE = 1024

/** `kubectl describe` finds events by it. Without permission to read the ConfigMap, the event is written without it. */
async function uidOf(api: CoreV1Api, { namespace, name }: ConfigMapEvent): Promise<string | undefined> {
  try {
    return (await api.readNamespacedConfigMap({ namespace, name })).metadata?.uid
  } catch {
    return undefined
  }
}

/** Writes a warning event. Rejects where the API server does not accept it. */
export async function warnAboutConfigMap(kubeconfig: KubeConfig, event: ConfigMapEvent): Promise<void> {
  const { namespace, name, reason, message, at } = event
  const api = kubeconfig.makeApiClient(CoreV1Api)
  const uid = await uidOf(api, event)
  await api.createNamespacedEvent({
    namespace,
    body: {
      metadata: { generateName: `${name}.`, namespace },
      involvedObject: { apiVersion: 'v1', kind: 'ConfigMap', name, namespace, ...(uid && { uid }) },
      type: 'Warning',
      reason,
      message: message.slice(0, LONGEST_MESSAGE),
      source: { component: 'sluice-admission' },
      firstTimestamp: at,
      lastTimestamp: at,
      count: 1,
    },
  })
}
