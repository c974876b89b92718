/**
 * The rules that CEL can say, as ValidatingAdmissionPolicies with their bindings: the API server evaluates them itself,
 * without a webhook. One policy has the errors, one the warnings. Every member that the API server would fill in is written,
 * as in the webhook configurations.
 */
import { RULES } from '../../rules/index.ts'
import { type CelRule, celText } from '../engine/cel.ts'
import { type AnyRule, judgedBy, type Message } from '../engine/rule.ts'
import { isActive } from '../engine/run.ts'
import type { JsonObject } from '../json/member.ts'
import { apiNames, IGNORE_ANNOTATION } from '../kubernetes/api-groups.ts'
import { SYSTEMS } from '../registry.ts'
import { onlyRule, ruleNames } from '../settings/rule-ids.ts'
import {
  type AdmissionSettings,
  LOCAL_PREFIX,
  type ProjectSettings,
  type Settings,
  type Severity,
} from '../settings/settings.ts'
import { kindTable } from '../world/kinds.ts'
import type { CelView, Kind } from '../world/system.ts'
import { lookupSpecs } from '../world/world.ts'
import { celFindings, type FindingText, onOneLine } from './cel-findings.ts'
import { type CarriedPolicy, carriedPolicies } from './local-policies.ts'
import { type KubeObject, LABELS, NAMES } from './object.ts'
import { type Reviewed, reviewedObjects } from './reviewed.ts'
import { POLICY_CONDITIONS } from './webhooks.ts'

/** What happens to an object that a policy does not accept. */
export const ENFORCEMENTS = ['deny', 'warn', 'audit'] as const
type Enforcement = (typeof ENFORCEMENTS)[number]

/** What a run of the export chooses. */
export type PolicyChoices = Pick<ProjectSettings, 'settings' | 'admission'> & {
  /** Default: as the settings of the webhook have it. */
  readonly enforce?: Enforcement | undefined
  /** Further conditions on the labels of namespaces, as `matchExpressions`. */
  readonly namespaces?: readonly JsonObject[]
}

/** A rule that a policy has. */
type CarriedRule = {
  readonly rule: string
  readonly severity: Severity
  /** The name of the policy. */
  readonly policy: string
  /** The ids of the messages that it can report. */
  readonly messages: readonly string[]
}

/** The policies, and what of the rules is in them. */
export type AdmissionPolicies = {
  readonly objects: readonly KubeObject[]
  readonly carried: readonly CarriedRule[]
  readonly notCarried: readonly { readonly rule: string; readonly reason: string }[]
}

/** A rule in CEL, with those of its messages that have one severity. */
type Part = { readonly rule: AnyRule; readonly cel: CelRule; readonly severity: Severity; readonly view: CelView }

/** Makes the policies of some settings. The same settings give the same objects. */
export function admissionPolicies(choices: PolicyChoices): AdmissionPolicies {
  const read = RULES.map((rule) => ({ rule, parts: partsOf(rule, choices) }))
  const parts = read.flatMap((one) => (typeof one.parts === 'string' ? [] : one.parts))
  const errors = parts.filter(({ severity }) => severity === 'error')
  const others = parts.filter(({ severity }) => severity !== 'error')
  const local = carriedPolicies(choices.settings, apiNames(choices.settings.apiGroups))
  const ownPolicies = local.flatMap((one) => ('reason' in one ? [] : [one]))
  return {
    objects: [
      ...errorPolicy(errors, choices),
      ...warningPolicy(others, choices),
      ...ownPolicies.flatMap((one) => localPolicy(one, choices)),
    ],
    carried: [
      ...parts.map(({ rule, cel, severity }) => ({
        rule: rule.id,
        severity,
        policy: severity === 'error' ? NAMES.errorPolicy : NAMES.warningPolicy,
        messages: [...new Set(cel.cases.map(({ message }) => message))],
      })),
      ...ownPolicies.map(({ rule, severity }) => ({ rule, severity, policy: nameOf(rule), messages: ['broken'] })),
    ],
    notCarried: [
      ...read.flatMap(({ rule, parts: reason }) => (typeof reason === 'string' ? [{ rule: rule.id, reason }] : [])),
      ...local.flatMap((one) => ('reason' in one ? [one] : [])),
    ],
  }
}

/** `sluice-local-rate-cap` for the rule `local/rate-cap`. */
const nameOf = (rule: string): string => `sluice-${rule.replace('/', '-')}`

/** A policy of the settings. An expression that fails counts as one that is not true. */
function localPolicy(
  { rule, severity, reviewed, variables, validation }: CarriedPolicy,
  choices: PolicyChoices,
): readonly KubeObject[] {
  const enforce = choices.enforce ?? choices.admission.enforce
  const warns = severity !== 'error'
  const action = enforce === 'deny' && warns ? ACTIONS.warn : ACTIONS[enforce]
  const { expression } = validation
  // What the API server says of an expression that fails has its text, and a warning with a line break is dropped.
  const unlessIgnored = `${ignoring(choices.settings)(rule)} || (${expression}${expression.includes('//') ? '\n' : ''})`
  return policyWithBinding(choices, {
    name: nameOf(rule),
    reviewed,
    failurePolicy: 'Fail',
    actions: [action],
    variables: warns ? [IGNORED, ...variables] : variables,
    validations: [{ ...validation, ...(warns ? { expression: unlessIgnored } : {}), reason: 'Invalid' }],
  })
}

/** A rule by severity, or why it is in no policy. */
function partsOf(rule: AnyRule, { settings }: PolicyChoices): readonly Part[] | string {
  if (!isActive(rule, settings))
    return rule.isOff && settings.rules[rule.id] === undefined ? 'it is off by default' : 'the settings switch it off'
  const names = apiNames(settings.apiGroups)
  const kind = kindTable(SYSTEMS, names).kinds.find((one) => isJudgedBy(rule, one))
  if (kind?.shape) return 'it judges bodies of an API, and no cluster has those'
  if (rule.isOff) return lookupReason(rule)
  const { kinds } = kindTable(SYSTEMS, names, { mesh: true })
  if (!kind && kinds.some((one) => isJudgedBy(rule, one)))
    return 'it judges roles, workloads and other objects of every cluster, and nothing is to stand in their way'
  const view = kind?.cel
  if (!view) return 'it judges texts, and the API server has only the objects that were read from them'
  const cel = typeof rule.cel === 'function' ? rule.cel({ ...settings, names }) : rule.cel
  if (typeof cel === 'string') return cel
  if (!cel) return lookupReason(rule)
  const set = settings.rules[rule.id]
  const severityOf = (id: string): Severity => {
    const message: Message | undefined = rule.messages[id]
    const own = typeof message === 'object' ? message.severity : undefined
    return set !== undefined && set !== 'off' ? set : (own ?? rule.severity)
  }
  const severities = [...new Set(cel.cases.map(({ message }) => severityOf(message)))]
  return severities.map((severity) => {
    const cases = cel.cases.filter(({ message }) => severityOf(message) === severity)
    return { rule, cel: { ...cel, cases }, severity, view }
  })
}

const isJudgedBy = (rule: AnyRule, { subjects = [] }: Kind): boolean =>
  judgedBy(rule).some((name) => subjects.includes(name))

/** Policies see one object. Throws for a rule that says neither how it is in CEL nor why it is not. */
function lookupReason({ id, reads = [] }: AnyRule): string {
  const lookups = lookupSpecs(SYSTEMS)
  const names = reads.filter((read) => lookups.has(read)).sort()
  if (names.length === 0) throw new Error(`${id} has no CEL, and no reason why`)
  return `it looks up ${names.join(', ')} in the cluster, and a policy sees one object only`
}

/** The variable with the findings of a rule. */
const variableOf = ({ id }: Pick<AnyRule, 'id'>): string => id.replace(/\W+/g, '_')

/** The variables of views and rules, each once: those that others use come first. */
function variablesOf(parts: readonly Part[], form: FindingText) {
  const all = [
    ...parts.flatMap(({ view }) => view.variables),
    ...parts.flatMap(({ cel }) => cel.variables ?? []),
    ...parts.map(({ rule, cel, view }) => ({
      name: variableOf(rule),
      expression: celFindings(rule, cel, view, form),
    })),
  ]
  return [...new Map(all.map((variable) => [variable.name, variable])).values()]
}

/** What the old version of an object has too does not deny its update, unless the settings are strict. */
const newFindings = ({ rule }: Part, { strict }: AdmissionSettings): string => {
  const name = `variables.${variableOf(rule)}`
  return strict ? `${name}[0]` : `${name}[0].filter(one, size(${name}) < 2 || !(one in ${name}[1]))`
}

/** How many findings the message of a denial has; the number of the others follows. */
const MOST_IN_MESSAGE = 3

/** The API server shows only the first expression that is false, so all errors are in one, with the webhook's message. */
function errorPolicy(parts: readonly Part[], choices: PolicyChoices): readonly KubeObject[] {
  if (parts.length === 0) return []
  const enforce = choices.enforce ?? choices.admission.enforce
  const verdict = enforce === 'deny' ? 'is denied' : 'would be denied'
  const message = `object.kind + ' "' + object.metadata.?namespace.orValue('') + '/' + object.metadata.?name.orValue('') + '" ${verdict}: '
  + variables.shown.join('; ')
  + (size(variables.denials) > ${MOST_IN_MESSAGE} ? '; and ' + string(size(variables.denials) - ${MOST_IN_MESSAGE}) + ' more' : '')`
  const denials = parts.map((part) => newFindings(part, choices.admission)).join('\n  + ')
  const places = Array.from({ length: MOST_IN_MESSAGE }, (_, index) => index).join(', ')
  return policyWithBinding(choices, {
    name: NAMES.errorPolicy,
    reviewed: reviewedBy(parts, choices),
    failurePolicy: 'Fail',
    actions: [ACTIONS[enforce]],
    variables: [
      ...variablesOf(parts, 'denial'),
      { name: 'denials', expression: denials },
      {
        name: 'shown',
        expression: `[${places}].filter(place, place < size(variables.denials)).map(place, variables.denials[place])`,
      },
    ],
    validations: [
      {
        expression: 'size(variables.denials) == 0',
        message: 'an error that "sluice lint" describes',
        messageExpression: onOneLine(message),
        reason: 'Invalid',
      },
    ],
  })
}

/** Each rule warns by itself. The annotation that ignores a rule in the cluster does so here, too. */
function warningPolicy(parts: readonly Part[], choices: PolicyChoices): readonly KubeObject[] {
  if (parts.length === 0) return []
  const enforce = choices.enforce ?? choices.admission.enforce
  const isIgnored = ignoring(choices.settings)
  return policyWithBinding(choices, {
    name: NAMES.warningPolicy,
    reviewed: reviewedBy(parts, choices),
    failurePolicy: 'Ignore',
    actions: [enforce === 'audit' ? ACTIONS.audit : ACTIONS.warn],
    variables: [IGNORED, ...variablesOf(parts, 'warning')],
    validations: parts.map(({ rule }) => ({
      expression: `${isIgnored(rule.id)} || size(variables.${variableOf(rule)}[0]) == 0`,
      message: rule.summary,
      messageExpression: onOneLine(`variables.${variableOf(rule)}[0].join('; ')`),
      reason: 'Invalid',
    })),
  })
}

/** The words of the annotation that ignores rules in the cluster. CEL has no clock: what it says of an end does not count. */
const IGNORED = {
  name: 'ignored',
  expression: `object.metadata.?annotations[?${celText(IGNORE_ANNOTATION)}].orValue('').split(' --')[0]
  .replace(',', ' ').replace('\\n', ' ').split(' ')`,
}

/** Says for rules whether the annotation ignores them: by their id, or what is behind its slash where no other ends so. */
function ignoring({ policies }: Settings): (rule: string) => string {
  const names = ruleNames([...RULES.map(({ id }) => id), ...policies.map(({ name }) => LOCAL_PREFIX + name)])
  return (rule) =>
    [rule, rule.slice(rule.indexOf('/') + 1)]
      .filter((name) => onlyRule(name, names) === rule)
      .map((name) => `${celText(name)} in variables.ignored`)
      .join(' || ')
}

const ACTIONS = { deny: 'Deny', warn: 'Warn', audit: 'Audit' } as const satisfies Record<Enforcement, string>

const API = { apiVersion: 'admissionregistration.k8s.io/v1' } as const

type Policy = {
  readonly name: string
  readonly reviewed: readonly Reviewed[]
  readonly failurePolicy: 'Fail' | 'Ignore'
  readonly actions: readonly string[]
  readonly variables: readonly JsonObject[]
  readonly validations: readonly JsonObject[]
}

/** What the rules judge, without versions that are not known. */
const reviewedBy = (parts: readonly Part[], { settings }: PolicyChoices): readonly Reviewed[] =>
  reviewedObjects(
    parts.map(({ rule }) => ({ ...rule, judges: judgedBy(rule).filter((judged) => judged !== 'UnknownVersion') })),
    SYSTEMS,
    apiNames(settings.apiGroups),
  )

function policyWithBinding(choices: PolicyChoices, policy: Policy): readonly KubeObject[] {
  const { name, reviewed, failurePolicy, actions, variables, validations } = policy
  const selectors = { namespaceSelector: {}, objectSelector: {} }
  return [
    {
      ...API,
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name, labels: LABELS },
      spec: {
        failurePolicy,
        matchConditions: POLICY_CONDITIONS,
        matchConstraints: {
          matchPolicy: 'Equivalent',
          ...selectors,
          resourceRules: reviewed.map(({ group, versions, resources, operations }) => ({
            apiGroups: [group],
            apiVersions: versions,
            operations,
            resources,
            scope: 'Namespaced',
          })),
        },
        validations,
        variables,
      },
    },
    {
      ...API,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name, labels: LABELS },
      spec: {
        matchResources: {
          matchPolicy: 'Equivalent',
          ...selectors,
          namespaceSelector: {
            matchExpressions: [
              { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system'] },
              { key: NAMES.enforceLabel, operator: 'NotIn', values: ['off'] },
              ...(choices.namespaces ?? []),
            ],
          },
        },
        policyName: name,
        validationActions: actions,
      },
    },
  ]
}
