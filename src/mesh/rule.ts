/** Gives the rules of this system their types. */
import { ruleOf } from '../engine/rule.ts'
import type { BindingView, RoleView } from './objects/access.ts'
import type { APIServiceView } from './objects/api-service.ts'
import type { ConfigMapView } from './objects/stored.ts'
import type { LabelledNamespaceView, WorkloadView } from './objects/workloads.ts'
import type { MeshLookups } from './system.ts'

/** What rules of this system judge and look up. */
type MeshRules = {
  readonly views: {
    readonly ClusterRole: RoleView
    readonly Role: RoleView
    readonly ClusterRoleBinding: BindingView
    readonly RoleBinding: BindingView
    readonly APIService: APIServiceView
    readonly ConfigMap: ConfigMapView
    /** Every kind that has a Pod. */
    readonly Workload: WorkloadView
    readonly LabelledNamespace: LabelledNamespaceView
  }
  readonly lookups: MeshLookups
}

/** Returns a rule as it is, with the types of what it declares. */
export const rule = ruleOf<MeshRules>()
