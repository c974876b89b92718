/** Why a Pod is left without the sidecar that it should have: with it, it would not be admitted, or could not run. */
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import { applyPatch } from '../../json/patch.ts'
import { valueAt } from '../../json/pointer.ts'
import { listAt } from '../../kubernetes/conditions.ts'
import { isPort } from '../config-fields.ts'
import type { InjectionPlan } from './plan.ts'
import { listOf } from './pod.ts'
import { type NamespaceLimits, roomFor } from './room.ts'
import type { InjectSettings, PodChoices } from './settings.ts'
import { readAt, type Workload } from './workload.ts'

/** The reasons, as metrics and JSON name them, each in words. */
export const REASONS = {
  'host-network': 'with hostNetwork the sidecar would take the traffic of the whole node',
  'static-pod': 'the Pod is the mirror of a static one, which runs already',
  windows: 'the Pod is for Windows, and there is no sidecar for that',
  'port-conflict': 'a container has one of its ports',
  'pod-security': 'the Pod Security level of the namespace forbids it',
  'limit-range': 'a LimitRange of the namespace has no room for it',
  'resource-quota': 'a ResourceQuota of the namespace has no room for it',
  'not-injectable': 'something in the Pod makes it impossible',
  'mesh-unknown': 'the configuration of the mesh is not known',
  'namespace-unknown': 'the labels of the namespace are not known',
  'limits-unknown': 'the LimitRanges and ResourceQuotas of the namespace are not known',
  fault: 'sluice has a fault, which its log describes',
} as const satisfies Readonly<Record<string, string>>

export type Reason = keyof typeof REASONS

/** A Pod that is left alone. */
export type LeftAlone = {
  readonly reason: Reason
  /** What is in the way; completes "no sidecar: …". */
  readonly message: string
  /** JSON Pointer in the document; empty where it is nowhere in the object. */
  readonly pointer: string
}

/** The reason in its usual words, or in closer ones. */
export const leftAlone = (reason: Reason, message: string = REASONS[reason], pointer = ''): LeftAlone => ({
  reason,
  message,
  pointer,
})

/** What is known of the namespace of a Pod. */
export type NamespaceFacts = {
  readonly labels: Readonly<Record<string, string>>
  readonly limits: NamespaceLimits
}

/** Where the Pod is for Windows. */
export function windowsObstacle(workload: Workload): LeftAlone | undefined {
  const spec = readAt(workload, `${workload.pod}/spec`)
  const windows = isObject(spec) ? windowsIn(spec) : undefined
  return windows && leftAlone('windows', windows.message, `${workload.pod}/spec${windows.pointer}`)
}

const OS_LABELS = ['kubernetes.io/os', 'beta.kubernetes.io/os']
const WINDOWS_IMAGE = /(?:^|[/:_.-])(?:nanoserver|servercore|windows)(?:$|[/:_.-])/i

type Where = { readonly pointer: string; readonly message: string }

/** How a Pod says that it is for Windows; an image counts only where nothing else says for what it is. */
function windowsIn(spec: JsonObject): Where | undefined {
  const selected = isObject(spec.nodeSelector) ? spec.nodeSelector : {}
  const written = [
    { pointer: '/os/name', system: isObject(spec.os) ? spec.os.name : undefined },
    ...OS_LABELS.map((label) => ({
      pointer: `/nodeSelector/${label.replace('/', '~1')}`,
      system: selected[label],
    })),
    { pointer: '/affinity/nodeAffinity', system: requiredSystem(spec.affinity) },
  ].filter(({ system }) => typeof system === 'string')
  const named = written.find(({ system }) => system === 'windows')
  if (named) return { pointer: named.pointer, message: REASONS.windows }
  const { windowsOptions } = isObject(spec.securityContext) ? spec.securityContext : {}
  if (isObject(windowsOptions)) return { pointer: '/securityContext/windowsOptions', message: REASONS.windows }
  if (written.length > 0) return undefined
  for (const list of ['containers', 'initContainers'])
    for (const [index, one] of listOf(spec[list]).entries())
      if (isObject(one) && typeof one.image === 'string' && WINDOWS_IMAGE.test(one.image))
        return {
          pointer: `/${list}/${index}/image`,
          message: 'its image seems to be for Windows; where it is not, write spec.os.name: linux',
        }
  return undefined
}

/** The one system that every term of a required node affinity demands. */
function requiredSystem(affinity: Json | undefined): string | undefined {
  const { nodeAffinity } = isObject(affinity) ? affinity : {}
  const required = isObject(nodeAffinity) ? nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution : undefined
  const terms = listAt(required, 'nodeSelectorTerms')
  const systems = new Set(
    terms.map((term) => {
      const expressions = listAt(term, 'matchExpressions').filter(isObject)
      const own = expressions.filter(({ key }) => OS_LABELS.includes(String(key)))
      const isNotLinux = own.some(({ operator, values }) => operator === 'NotIn' && listOf(values).includes('linux'))
      const only = own.find(({ operator, values }) => operator === 'In' && listOf(values).length === 1)
      return isNotLinux ? 'windows' : only ? String(listOf(only.values)[0]) : undefined
    }),
  )
  return systems.size === 1 ? [...systems][0] : undefined
}

/** Ports of containers that run beside the sidecar and are the sidecar's, at their place. */
export function portConflicts(workload: Workload, { proxyPorts, sidecar }: InjectSettings['mesh']): readonly Where[] {
  return ['containers', 'initContainers'].flatMap((list) => {
    const base = `${workload.pod}/spec/${list}`
    const containers = readAt(workload, base)
    return (Array.isArray(containers) ? containers : []).flatMap((one: Json, at): readonly Where[] => {
      // Those that end before the sidecar starts are not in its way.
      if (!isObject(one) || (list === 'initContainers' && one.restartPolicy !== 'Always')) return []
      return listOf(one.ports).flatMap((port, index) => {
        const number = isObject(port) ? port.containerPort : undefined
        const use = isPort(number) ? proxyPorts.get(number) : undefined
        const message = `port ${String(number)} is the ${use} port of "${sidecar.name}"`
        return use === undefined ? [] : [{ pointer: `${base}/${at}/ports/${index}/containerPort`, message }]
      })
    })
  })
}

const ENFORCE = 'pod-security.kubernetes.io/enforce'

/**
 * Why the Pod Security level of a namespace forbids what is added, whatever its version. A namespace without the label has
 * the level of the cluster, and may be exempt from its own: neither can be known. A level that is none counts as restricted.
 */
export function forbiddenBy(
  labels: Readonly<Record<string, string>>,
  { meshRedirect, meshSocket }: PodChoices,
): LeftAlone | undefined {
  const level = labels[ENFORCE]
  if (level === undefined || level === 'privileged') return undefined
  const forbidden = [
    ...(meshRedirect === 'init-container' ? ['its init container (meshRedirect)'] : []),
    ...(meshSocket === 'host-path' ? ['its hostPath volume (meshSocket)'] : []),
  ]
  if (forbidden.length === 0) return undefined
  return leftAlone('pod-security', `Pod Security "${level.slice(0, 20)}" forbids ${forbidden.join(' and ')}`)
}

/** What is in the way of a plan: ports of the Pod, or its namespace. */
export function obstacleTo(
  plan: InjectionPlan,
  workload: Workload,
  { facts: { labels, limits }, settings }: { readonly facts: NamespaceFacts; readonly settings: InjectSettings },
): LeftAlone | undefined {
  const [conflict] = portConflicts(workload, settings.mesh)
  if (conflict) return leftAlone('port-conflict', conflict.message, conflict.pointer)
  const forbidden = forbiddenBy(labels, settings.choices)
  if (forbidden) return forbidden
  const { object, base, pod } = workload
  const before = readAt(workload, `${pod}/spec`)
  const own = plan.operations.map((operation) => ({ ...operation, path: operation.path.slice(base.length) }))
  const after = valueAt(applyPatch(object, own)?.value, `${pod}/spec`.slice(base.length))
  if (!isObject(before) || !isObject(after)) return undefined
  const noRoom = roomFor({ before, after }, limits)
  return noRoom && leftAlone(noRoom.reason, noRoom.message)
}
