/** Events about Pods that are left without the sidecar: of what made them, or of their namespace. */
import { type Regarded, warnOnce } from '../../cluster/client/events.ts'
import type { KubeConfig } from '../../cluster/client/library.ts'
import type { Log } from '../../http/log.ts'
import { isObject } from '../../json/member.ts'
import { listAt, textAt } from '../../kubernetes/conditions.ts'
import type { LeftPod } from '../../servers/admission/inject-pod.ts'

/** Milliseconds in which the same is not said again of one object, and of how many objects that is remembered. */
const QUIET = 600_000
const MOST_REMEMBERED = 1000

/** Events that may be on their way at the same time: thousands of Pods must not become thousands of requests. */
const MOST_AT_ONCE = 10

/** Makes what writes an Event; it returns at once, and a failure is one line of the log. `wallClock` is in milliseconds since 1970. */
export function createTeller(kubeconfig: KubeConfig, log: Log, wallClock: () => number): (left: LeftPod) => void {
  const said = new Map<string, number>()
  let onTheWay = 0
  return (left) => {
    const about = regarded(left)
    const now = wallClock()
    const key = [about.kind, about.namespace, about.name, left.message].join('\n')
    if (onTheWay >= MOST_AT_ONCE || now - (said.get(key) ?? Number.NEGATIVE_INFINITY) < QUIET) return
    if (said.size >= MOST_REMEMBERED) said.clear()
    said.set(key, now)
    onTheWay += 1
    const event = { about, reason: 'SidecarNotInjected', message: `no sidecar: ${left.message}`, at: new Date(now) }
    warnOnce(kubeconfig, event, 'sluice-admission')
      .catch((error: unknown) => log.warn({ error, about }, 'the event could not be created'))
      .finally(() => {
        onTheWay -= 1
      })
  }
}

function regarded({ pod, namespace }: LeftPod): Regarded {
  const owner = listAt(pod.metadata, 'ownerReferences').find((one) => isObject(one) && one.controller === true)
  const [apiVersion, kind, name] = ['apiVersion', 'kind', 'name'].map((member) => textAt(owner, member))
  // A Node, which owns the mirror of a static Pod, is in no namespace.
  if (!apiVersion || !kind || !name || kind === 'Node')
    return { apiVersion: 'v1', kind: 'Namespace', namespace, name: namespace }
  return { apiVersion, kind, namespace, name, uid: textAt(owner, 'uid') }
}
