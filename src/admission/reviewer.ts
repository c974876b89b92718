/** The rules of one set of settings, ready to judge objects that are about to be written. */
import { type DescribedFinding, describeFinding, type Finding, type Subject } from '../engine/finding.ts'
import type { AnyRule, Denial, PatchOperation } from '../engine/rule.ts'
import { createJudge, kindsAsked } from '../engine/run.ts'
import { clusterSuppression } from '../engine/suppression.ts'
import type { JsonObject } from '../json/member.ts'
import { apiNames } from '../kubernetes/api-groups.ts'
import { ruleNames } from '../settings/rule-ids.ts'
import type { AdmissionSettings, ProjectSettings, Settings, Severity } from '../settings/settings.ts'
import { type KindTable, kindTable } from '../world/kinds.ts'
import type { ObjectView } from '../world/objects.ts'
import type { System } from '../world/system.ts'
import { emptyWorld, lookupSpecs, type World } from '../world/world.ts'

/** A finding as the webhook reports it. */
export type AdmissionFinding = DescribedFinding & {
  /** True where other objects were looked up: they may only not have arrived yet. */
  readonly crossObject: boolean
  /** When it denies although it is {@link crossObject}; undefined for findings to which that does not apply. */
  readonly denies: Denial | undefined
  /** A patch that the mutating webhook may write; empty where there is none. */
  readonly patch: readonly PatchOperation[]
  /** True for a patch that changes no behaviour that the author can have meant. */
  readonly isSafe: boolean
}

/** A rule that threw. */
export type RuleFault = { readonly rule: string; readonly error: unknown }

type Judgement = { readonly findings: readonly AdmissionFinding[]; readonly faults: readonly RuleFault[] }

/** An object that rules judge. */
export type JudgedObject = {
  /** As manifests write it. */
  readonly kind: string
  /** The name under which rules judge it. */
  readonly judgedAs: string
  readonly view: ObjectView
  readonly previous?: ObjectView | undefined
}

export type Reviewer = {
  readonly settings: Settings
  readonly admission: AdmissionSettings
  readonly kinds: KindTable
  readonly systems: readonly System[]
  /** True where the settings let the mutating webhook write fixes that are not safe. */
  readonly writesOptIn: boolean
  /** Reads an object; undefined where no rule judges it. */
  read(object: JsonObject, namespace: string | undefined): JudgedObject | undefined
  /** What all rules find in an object, each finding once, errors first. */
  judge(judged: JudgedObject, world: World): Judgement
  /** The findings without those that the object's annotation suppresses; `now` is in milliseconds since 1970. */
  unsuppressed(findings: readonly AdmissionFinding[], judged: JudgedObject, now: number): readonly AdmissionFinding[]
}

export type ReviewerOptions = { readonly rules: readonly AnyRule[]; readonly systems: readonly System[] }

/** The rule about suppressions looks up nothing. */
const NOWHERE = emptyWorld([])

const ORDER: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 }

/** Makes the reviewer for one set of settings; it is kept until the settings change. */
export function createReviewer({ settings, admission }: ProjectSettings, options: ReviewerOptions): Reviewer {
  const { rules, systems } = options
  const asked = new Set(kindsAsked(rules, settings))
  const kinds = kindTable(systems, apiNames(settings.apiGroups), { asked })
  const describe = createDescriber(options, { settings, admission })
  let faults: RuleFault[] = []
  const names = ruleNames(rules.map(({ id }) => id))
  const judge = createJudge<Subject>({ rules, settings, onFault: (rule, error) => faults.push({ rule, error }) })
  return {
    settings,
    admission,
    kinds,
    systems,
    writesOptIn: rules.some((rule) => rule.fix === 'opt-in' && rule.mutatesWith?.(admission, settings) === true),
    read(object, namespace) {
      const recognised = kinds.recognise(object)
      if (recognised?.judgedAs === undefined) return undefined
      const { kind, judgedAs } = recognised
      return { kind: kind.kind, judgedAs, view: kind.read(object, namespace) }
    },
    judge({ judgedAs, view, previous }, world) {
      faults = []
      const { object, identity } = view
      const findings = judge({ kind: judgedAs, view, object, identity, world, previous }).map(describe)
      return { findings: withoutDuplicates(findings.sort((a, b) => ORDER[a.severity] - ORDER[b.severity])), faults }
    },
    unsuppressed(findings, { view: { object, identity } }, now) {
      const suppression = clusterSuppression(object, { names, now })
      if (!suppression) return findings
      const problem = suppression.expired(findings)
      const view = { object, problems: problem ? [problem] : [] }
      const subject = { kind: 'Suppressions', view, object, identity, world: NOWHERE, previous: undefined }
      const ended = problem ? judge(subject).map(describe) : []
      return [...ended, ...findings.filter((finding) => !suppression.isIgnored(finding))]
    },
  }
}

/** The rules with what the webhook needs to know of each. */
function createDescriber(
  { rules, systems }: ReviewerOptions,
  { settings, admission }: Pick<ProjectSettings, 'settings' | 'admission'>,
) {
  const lookups = lookupSpecs(systems)
  const known = new Map(
    rules.map((rule) => {
      const crossObject = (rule.reads ?? []).some((read) => lookups.has(read))
      const isSafe = rule.fix === 'safe'
      return [
        rule.id,
        { rule, crossObject, isSafe, mutates: isSafe || rule.mutatesWith?.(admission, settings) === true },
      ]
    }),
  )
  return (finding: Finding): AdmissionFinding => {
    const found = known.get(finding.rule)
    if (!found) throw new Error(`a finding has the rule "${finding.rule}", which does not exist`)
    const { rule, crossObject, isSafe, mutates } = found
    const { patch = [] } = finding
    return {
      ...describeFinding(rule, finding),
      crossObject,
      denies: rule.denies?.[finding.message],
      patch: mutates ? patch : [],
      isSafe,
    }
  }
}

/** What makes two findings the same. */
export const keyOf = ({ rule, pointer, message }: AdmissionFinding): string => `${rule}\n${pointer}\n${message}`

const withoutDuplicates = (findings: readonly AdmissionFinding[]): readonly AdmissionFinding[] =>
  findings.length < 2 ? findings : [...new Map(findings.map((finding) => [keyOf(finding), finding])).values()]
