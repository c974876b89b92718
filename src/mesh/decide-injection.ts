/** Whether a new Pod gets the sidecar without being asked for. */
import { isObject, type JsonObject } from '../json/member.ts'
import { jsonAt } from './config.ts'

/** What decides. */
export type InjectionQuestion = {
  /** The mesh's configuration. */
  readonly config: JsonObject
  readonly namespace: string
  /** The value of the label `injector.nsm.nginx.com/auto-inject` of the namespace; any but `enabled` and `disabled` counts as none. */
  readonly namespaceLabel?: string | undefined
  /** The value of the same label of the Pod. */
  readonly podLabel?: string | undefined
  /** True where the Pod has the annotation `injector.nsm.nginx.com/status`. */
  readonly isInjected?: boolean | undefined
}

/** The answer, and what decided. */
export type InjectionDecision = { readonly inject: boolean; readonly by: InjectionReason }

/** What decided, the first that applies in this order. */
export type InjectionReason =
  | 'kube-system'
  | 'annotation'
  | 'pod-label'
  | 'namespace-label'
  | 'disabled-namespace'
  | 'enabled-namespace'
  | 'automatic-injection'

/** The namespace whose Pods never get the sidecar: without them there is no cluster. */
export const SYSTEM_NAMESPACE = 'kube-system'

/** Decides: the more specific word counts, and of the lists only the one of exceptions to `isAutoInjectEnabled`. */
export function decideInjection(question: InjectionQuestion): InjectionDecision {
  const { config, namespace, namespaceLabel, podLabel, isInjected } = question
  if (namespace === SYSTEM_NAMESPACE) return { inject: false, by: 'kube-system' }
  if (isInjected) return { inject: false, by: 'annotation' }
  if (isWord(podLabel)) return { inject: podLabel === 'enabled', by: 'pod-label' }
  if (isWord(namespaceLabel)) return { inject: namespaceLabel === 'enabled', by: 'namespace-label' }
  const isAutomatic = jsonAt(config, '/injection/isAutoInjectEnabled') === true
  const listed = (list: string): boolean => {
    const names = isObject(config.injection) ? config.injection[list] : undefined
    return Array.isArray(names) && names.includes(namespace)
  }
  if (isAutomatic && listed('disabledNamespaces')) return { inject: false, by: 'disabled-namespace' }
  if (!isAutomatic && listed('enabledNamespaces')) return { inject: true, by: 'enabled-namespace' }
  return { inject: isAutomatic, by: 'automatic-injection' }
}

const isWord = (label: string | undefined): boolean => label === 'enabled' || label === 'disabled'
