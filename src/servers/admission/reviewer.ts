/** The rules of one set of settings, ready to judge what comes through the door. */

import { type Finding, prose, type Subject } from '../../engine/finding.ts'
import type { AnyRule, PatchOperation, Read } from '../../engine/rule.ts'
import { createJudge } from '../../engine/run.ts'
import { type PolicyView, readPolicy } from '../../gateway/objects/policy.ts'
import { recognise } from '../../gateway/objects/recognise.ts'
import type { JsonObject } from '../../json/member.ts'
import { fieldPath } from '../../json/pointer.ts'
import { type ApiNames, apiNames } from '../../kubernetes/api-groups.ts'
import type { AdmissionSettings } from '../../settings/admission.ts'
import type { ProjectSettings } from '../../settings/project.ts'
import type { Severity } from '../../settings/settings.ts'
import type { World } from '../../world/world.ts'

/** A finding in words. */
export type Told = {
  readonly rule: string
  /** Message id within the rule. */
  readonly id: string
  readonly severity: Severity
  readonly pointer: string
  /** The pointer as Kubernetes writes it: `spec.rateLimit.local.rules[2].key`. */
  readonly field: string
  readonly message: string
  /** What to do. */
  readonly help: string
  /** True where other objects were looked at: they may merely not have arrived yet. */
  readonly crossObject: boolean
  readonly fix: AnyRule['fix']
  readonly patch: readonly PatchOperation[]
}

/** A rule that threw. */
export type Fault = { readonly rule: string; readonly error: unknown }

export type Judgement = { readonly findings: readonly Told[]; readonly faults: readonly Fault[] }

/** A policy, and where it lives. */
export type Policy = Pick<Subject, 'world'> & {
  readonly kind: 'RateLimitPolicy' | 'UnknownVersion'
  readonly view: PolicyView
  readonly previous?: PolicyView | undefined
}

export type Reviewer = {
  readonly admission: AdmissionSettings
  readonly names: ApiNames
  /** Reads an object; undefined where it is not ours to judge. */
  read(object: JsonObject, namespace: string | undefined): Pick<Policy, 'kind' | 'view'> | undefined
  /** What all rules say of a policy, each thing once, errors first. */
  judge(policy: Policy): Judgement
}

/** What a rule may read that is another object. */
const OTHER_OBJECTS: readonly Read[] = [
  'gateways',
  'routes',
  'policies',
  'namespaces',
  'variables',
] satisfies (keyof World)[]

const ORDER: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 }

/** Makes what judges by one set of settings; kept until the settings change. */
export function createReviewer({ settings, admission }: ProjectSettings, rules: readonly AnyRule[]): Reviewer {
  const names = apiNames(settings.apiGroups)
  const tell = createTeller(rules)
  let faults: Fault[] = []
  const judge = createJudge<Subject>({ rules, settings, onFault: (rule, error) => faults.push({ rule, error }) })
  return {
    admission,
    names,
    read(object, namespace) {
      const { type } = recognise(object, names)
      if (type !== 'policy' && type !== 'unknown-version') return undefined
      return { kind: type === 'policy' ? 'RateLimitPolicy' : 'UnknownVersion', view: readPolicy(object, namespace) }
    },
    judge({ kind, view, world, previous }) {
      faults = []
      const findings = judge({ kind, view, identity: view.identity, world, previous }).map(tell)
      const sorted = findings.sort((a, b) => ORDER[a.severity] - ORDER[b.severity])
      return { findings: withoutDoubles(sorted), faults }
    },
  }
}

function createTeller(rules: readonly AnyRule[]): (finding: Finding) => Told {
  const known = new Map(
    rules.map((rule) => [
      rule.id,
      { rule, crossObject: rule.reads?.some((read) => OTHER_OBJECTS.includes(read)) ?? false },
    ]),
  )
  return (finding) => {
    const found = known.get(finding.rule)
    if (!found) throw new Error(`a finding of ${finding.rule}, which is no rule`)
    const { rule, crossObject } = found
    const { severity, pointer, patch = [] } = finding
    const field = fieldPath(pointer)
    return {
      rule: rule.id,
      id: finding.message,
      severity,
      pointer,
      field,
      ...prose(rule, finding),
      crossObject,
      fix: rule.fix,
      patch,
    }
  }
}

/** What makes two findings the same. */
export const keyOf = ({ rule, pointer, message }: Told): string => `${rule}\n${pointer}\n${message}`

const withoutDoubles = (findings: readonly Told[]): readonly Told[] =>
  findings.length < 2 ? findings : [...new Map(findings.map((finding) => [keyOf(finding), finding])).values()]
