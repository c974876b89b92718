/** Adds the sidecar to the workloads of a text: YAML stays YAML, JSON stays JSON, and what is not touched stays as it is. */
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import { fieldPath } from '../../json/pointer.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import type { PodTemplates } from '../../kubernetes/pod-templates.ts'
import { readDocuments, type TextDocument } from '../../yaml/documents.ts'
import { applyEdits, type TextEdit } from '../../yaml/edit/edit.ts'
import { createLineIndex, createLocator, type LineColumn } from '../../yaml/locate.ts'
import { isJsonText } from '../../yaml/parse/split.ts'
import { type NotEnforced, notEnforcedIn } from '../not-enforced.ts'
import { factsAmong, type NamespaceLookup } from './around.ts'
import { editsOf, findInexact, rewritten } from './edits.ts'
import {
  type LeftAlone,
  leftAlone,
  type NamespaceFacts,
  obstacleTo,
  type Reason,
  windowsObstacle,
} from './left-alone.ts'
import { type InjectionPlan, planInjection } from './plan.ts'
import { type InjectSettings, type PodChoices, podSettings } from './settings.ts'
import { listItems, readWorkloads, type Untouched, untouched, type Workload, type WorkloadFault } from './workload.ts'

/** How sidecars are added. */
export type InjectOptions = {
  /** The mesh's configuration; what it lacks is as in a new mesh. */
  readonly config: JsonObject
  readonly names: ApiNames
  /** Ports of incoming connections that the sidecar leaves alone, beside its own. */
  readonly ignoreIncomingPorts?: readonly number[] | undefined
  readonly ignoreOutgoingPorts?: readonly number[] | undefined
  /** Of the settings; default: those of a new installation. */
  readonly choices?: PodChoices | undefined
  /** What is known of namespaces; default: what the text itself says. */
  readonly around?: NamespaceLookup | undefined
  /** Where custom kinds have their Pod templates, beside those that are known by their shape. */
  readonly podTemplates?: readonly PodTemplates[] | undefined
}

/** What became of one object. */
export type InjectedObject = {
  /** The number of its document, from 1; documents without content do not count. */
  readonly document: number
  /** Empty where the object does not say it. */
  readonly kind: string
  readonly name: string
  readonly outcome: 'injected' | Untouched | Reason
  /** Where the outcome is a reason to leave it without the sidecar: why. */
  readonly message?: string
}

const NOTES: Readonly<Partial<Record<InjectedObject['outcome'], string>>> = {
  'no-template': 'is left as it is: it has nothing where podTemplates of the settings say its Pods are',
  'too-many': 'is left as it is: podTemplates of the settings name more than 1,000 Pods in it',
  knative:
    'is left as it is: Knative refuses init containers and volumes of the host in it; let the webhook inject its Pods',
  'already-injected': 'has the sidecar already',
  'kube-system': 'is left as it is: kube-system is never injected',
}

/** Why an object did not get the sidecar: `document 2: Pod/web is left as it is: …`; undefined where nobody expects it to. */
export function noteOf({ document, kind, name, outcome, message }: InjectedObject): string | undefined {
  const note = message === undefined ? NOTES[outcome] : `is left as it is: ${message}`
  return note && `document ${document}: ${kind}/${name} ${note}`
}

/** What a Pod with the sidecar asks for, and the sidecar does not do. */
type InjectWarning = Omit<NotEnforced, 'pointer' | 'remedy'> & {
  /** The number of the document, from 1. */
  readonly document: number
  readonly line: number
  readonly column: number
}

/** Why a document, or a text, is not injected. */
export type InjectError = {
  /** The number of the document, from 1. */
  readonly document: number
  /** `spec.template.spec.containers[0].ports[1].protocol`; empty where the document cannot be read. */
  readonly field: string
  readonly message: string
  readonly line: number
  readonly column: number
}

/**
 * The text with sidecars, or everything that is wrong with it. A document at which kubectl stops as well stays as it is, byte
 * by byte, and is `unread`. One that kubectl would apply without the sidecar keeps the whole text from coming out, and
 * so does a text of which nothing can be read.
 */
export type Injected =
  | {
      readonly ok: true
      readonly text: string
      readonly objects: readonly InjectedObject[]
      readonly unread: readonly InjectError[]
      readonly warnings: readonly InjectWarning[]
    }
  | {
      readonly ok: false
      readonly errors: readonly InjectError[]
      /** True where all of it is unread. */
      readonly isUnread: boolean
    }

/** Adds the sidecar to every workload of a text. Never throws. */
export function inject(text: string, options: InjectOptions): Injected {
  const { config, names, ignoreIncomingPorts = [], ignoreOutgoingPorts = [], choices, podTemplates = [] } = options
  const documents = readDocuments(text, { mentions: /(?:)/ })
  const around = options.around ?? factsAmong(documents.map(({ value }) => value))
  const settings = { ...podSettings(config, names, choices), ignoreIncomingPorts, ignoreOutgoingPorts }
  const lineColumn = lineIndex(text)
  const edits: TextEdit[] = []
  const objects: InjectedObject[] = []
  const warnings: InjectWarning[] = []
  const errors: (InjectError & { readonly isUnread: boolean })[] = []
  for (const [index, document] of documents.entries()) {
    const number = index + 1
    const outcome = injectDocument(text, document, { settings, podTemplates, around, config })
    for (const { start, field, message, isUnread = false } of outcome.faults)
      errors.push({ document: number, field, message, ...lineColumn(start), isUnread })
    for (const { start, pointer: _, remedy: __, ...one } of outcome.warnings)
      warnings.push({ document: number, ...one, ...lineColumn(start) })
    for (const one of outcome.objects) objects.push({ document: number, ...one })
    for (const edit of outcome.edits) edits.push(edit)
  }
  const told = errors.map(({ isUnread: _, ...error }) => error)
  const isUnread = errors.every((error) => error.isUnread)
  return !isUnread || (objects.length === 0 && errors.length > 0)
    ? { ok: false, errors: told, isUnread }
    : { ok: true, text: applyEdits(text, edits), objects, unread: told, warnings }
}

/** The table of lines is made only where there is an error. */
function lineIndex(text: string): (offset: number) => LineColumn {
  let index: ReturnType<typeof createLineIndex> | undefined
  return (offset) => {
    index ??= createLineIndex(text)
    return index(offset)
  }
}

type Fault = {
  readonly start: number
  readonly field: string
  readonly message: string
  /** True where kubectl stops, too: what is not read is not applied either. */
  readonly isUnread?: boolean
}
type Outcome = {
  readonly edits: readonly TextEdit[]
  readonly objects: readonly Omit<InjectedObject, 'document'>[]
  readonly faults: readonly Fault[]
  readonly warnings: readonly (NotEnforced & { readonly start: number })[]
}

function injectDocument(text: string, document: TextDocument, how: How): Outcome {
  const unreadable = document.problems.filter(
    (problem) => problem.code !== 'duplicate-key' && !(problem.code === 'syntax' && problem.cause === 'json-separator'),
  )
  if (unreadable.length > 0)
    return {
      edits: [],
      objects: [],
      warnings: [],
      faults: unreadable.map((problem) => {
        // kubectl has no such limits.
        const isOurs = problem.code === 'unreadable' && (problem.cause === 'deep' || problem.cause === 'large')
        return { start: problem.start, field: '', message: problem.reason, isUnread: !isOurs }
      }),
    }
  const found: Found = { objects: [], plans: [], faults: [], warnings: [] }
  collect(document.value, '', how, found)
  const { objects } = found
  const locate = found.faults.length + found.warnings.length > 0 ? createLocator(text, document) : undefined
  const warnings = found.warnings.map((one) => ({ ...one, start: locate?.(one.pointer).start ?? document.start }))
  const faults = found.faults.map(({ pointer, ...fault }) => ({
    start: locate?.(pointer).start ?? document.start,
    field: pointer === '' ? '' : fieldPath(pointer),
    ...fault,
  }))
  faults.sort((a, b) => a.start - b.start)
  const outcome = { objects, warnings, faults }
  if (found.plans.length === 0) return { edits: [], ...outcome }
  const edits = editsOf(text, document, found.plans)
  if (edits) return { edits, ...outcome }
  const inexact = findInexact(document.value)
  return inexact === undefined
    ? { edits: [rewritten(text, document, found.plans)], ...outcome }
    : { edits: [], ...outcome, faults: [...faults, inexactNumber(text, document, inexact)] }
}

type Found = {
  readonly objects: Omit<InjectedObject, 'document'>[]
  readonly plans: InjectionPlan[]
  readonly faults: { readonly pointer: string; readonly message: string; readonly isUnread?: boolean }[]
  readonly warnings: NotEnforced[]
}

type How = {
  readonly settings: InjectSettings
  readonly podTemplates: readonly PodTemplates[]
  readonly around: NamespaceLookup
  /** As the user gave it. */
  readonly config: JsonObject
}

/** Plans the injection of an object, or of the items of a List. */
function collect(value: unknown, base: string, how: How, found: Found): void {
  if (!isObject(value)) {
    found.faults.push({ pointer: base, message: 'expected a Kubernetes object', isUnread: true })
    return
  }
  const missing = ['apiVersion', 'kind'].filter((name) => typeof value[name] !== 'string' || value[name] === '')
  for (const name of missing)
    found.faults.push({ pointer: `${base}/${name}`, message: 'is missing, or is not a string', isUnread: true })
  if (missing.length > 0) return
  const items = listItems(value)
  for (const [index, item] of (items ?? []).entries()) collect(item, `${base}/items/${index}`, how, found)
  if (items) return
  const read = readWorkloads(value, base, how.podTemplates)
  const decided =
    'without' in read ? [{ outcome: read.without }] : read.workloads.map((one) => planOne(one, how, found))
  const one = decided.find(({ outcome }) => outcome === 'injected') ?? decided[0] ?? { outcome: 'unsupported' as const }
  found.objects.push({ kind: textOf(value.kind), name: nameOf(value), ...one })
}

type Decided = Pick<InjectedObject, 'outcome' | 'message'>

const asDecided = ({ reason: outcome, message }: LeftAlone): Decided => ({ outcome, message })

function planOne(workload: Workload, { settings, around, config }: How, found: Found): Decided {
  const outcome = untouched(workload, settings.keys.status)
  if (outcome) return outcome === 'host-network' ? asDecided(leftAlone(outcome)) : { outcome }
  const { left, plan, faults = [] } = planOrLeave(workload, around(workload.object), settings)
  found.faults.push(...faults)
  if (plan) {
    found.plans.push(plan)
    found.warnings.push(...notEnforcedIn({ workload, plan, keys: settings.keys, config }))
  }
  return left ? asDecided(left) : { outcome: 'injected' }
}

type Planned = { readonly left?: LeftAlone; readonly plan?: InjectionPlan; readonly faults?: readonly WorkloadFault[] }

function planOrLeave(workload: Workload, facts: NamespaceFacts, settings: InjectSettings): Planned {
  const windows = windowsObstacle(workload)
  if (windows) return { left: windows }
  const plan = planInjection(workload, settings)
  if ('faults' in plan) return { faults: plan.faults }
  const left = obstacleTo(plan, workload, { facts, settings })
  return left ? { left } : { plan }
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const nameOf = ({ metadata }: JsonObject): string => (isObject(metadata) ? textOf(metadata.name) : '')

function inexactNumber(text: string, document: TextDocument, pointer: string): Fault {
  return {
    start: createLocator(text, document)(pointer).start,
    field: fieldPath(pointer),
    message:
      'the number cannot be kept exactly, as the document has to be written anew: write the values themselves where its aliases are',
  }
}

/** Joins texts, each of YAML or JSON, so that kubectl reads the objects of all; undefined where YAML follows JSON. */
export function joinTexts(texts: readonly string[]): string | undefined {
  let joined = ''
  for (const text of texts.filter((one) => one.trim() !== '')) {
    if (joined === '') {
      joined = text
      continue
    }
    const next = text.replace(/^\uFEFF/, '')
    if (isJsonText(joined) && !isJsonText(next)) return undefined
    const ended = joined.endsWith('\n') ? joined : `${joined}\n`
    joined = ended + (isJsonText(joined) || next.startsWith('---') ? '' : '---\n') + next
  }
  return joined
}
