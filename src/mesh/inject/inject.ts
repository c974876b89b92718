/** Adds the sidecar to the workloads of a text: YAML stays YAML, JSON stays JSON, and what is not touched stays as it is. */
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import { applyPatch } from '../../json/patch.ts'
import { escapeToken, fieldPath } from '../../json/pointer.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { readDocuments, type TextDocument, writeDocuments } from '../../yaml/documents.ts'
import { applyEdits, type TextEdit } from '../../yaml/edit/edit.ts'
import { fixDocument } from '../../yaml/edit/fix-document.ts'
import { jsonIndentation } from '../../yaml/edit/write-lines.ts'
import { createLineIndex, createLocator, type LineColumn } from '../../yaml/locate.ts'
import { isJsonText } from '../../yaml/parse/split.ts'
import { lineBreak, skipComments } from '../../yaml/scan.ts'
import { factsAmong, type NamespaceLookup } from './around.ts'
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
import { listItems, readWorkload, type Untouched, untouched, type Workload, type WorkloadFault } from './workload.ts'

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
  'already-injected': 'has the sidecar already',
  'kube-system': 'is left as it is: kube-system is never injected',
}

/** Why an object did not get the sidecar: `document 2: Pod/web is left as it is: …`; undefined where nobody expects it to. */
export function noteOf({ document, kind, name, outcome, message }: InjectedObject): string | undefined {
  const note = message === undefined ? NOTES[outcome] : `is left as it is: ${message}`
  return note && `document ${document}: ${kind}/${name} ${note}`
}

/** Why a text is not injected. */
type InjectError = {
  /** The number of the document, from 1. */
  readonly document: number
  /** `spec.template.spec.containers[0].ports[1].protocol`; empty where the document cannot be read. */
  readonly field: string
  readonly message: string
  readonly line: number
  readonly column: number
}

/** The text with sidecars, or everything that is wrong with it. */
export type Injected =
  | { readonly ok: true; readonly text: string; readonly objects: readonly InjectedObject[] }
  | { readonly ok: false; readonly errors: readonly InjectError[] }

/** Adds the sidecar to every workload of a text. Never throws. */
export function inject(text: string, options: InjectOptions): Injected {
  const { config, names, ignoreIncomingPorts = [], ignoreOutgoingPorts = [], choices } = options
  const documents = readDocuments(text, { mentions: /(?:)/ })
  const around = options.around ?? factsAmong(documents.map(({ value }) => value))
  const settings = { ...podSettings(config, names, choices), ignoreIncomingPorts, ignoreOutgoingPorts, around }
  const lineColumn = lineIndex(text)
  const edits: TextEdit[] = []
  const objects: InjectedObject[] = []
  const errors: InjectError[] = []
  for (const [index, document] of documents.entries()) {
    const number = index + 1
    const outcome = injectDocument(text, document, settings)
    for (const { start, field, message } of outcome.faults)
      errors.push({ document: number, field, message, ...lineColumn(start) })
    for (const one of outcome.objects) objects.push({ document: number, ...one })
    for (const edit of outcome.edits) edits.push(edit)
  }
  return errors.length > 0 ? { ok: false, errors } : { ok: true, text: applyEdits(text, edits), objects }
}

/** The table of lines is made only where there is an error. */
function lineIndex(text: string): (offset: number) => LineColumn {
  let index: ReturnType<typeof createLineIndex> | undefined
  return (offset) => {
    index ??= createLineIndex(text)
    return index(offset)
  }
}

type TextSettings = InjectSettings & { readonly around: NamespaceLookup }

type Fault = { readonly start: number; readonly field: string; readonly message: string }
type Outcome = {
  readonly edits: readonly TextEdit[]
  readonly objects: readonly Omit<InjectedObject, 'document'>[]
  readonly faults: readonly Fault[]
}

function injectDocument(text: string, document: TextDocument, settings: TextSettings): Outcome {
  const unreadable = document.problems.filter(
    (problem) => problem.code !== 'duplicate-key' && !(problem.code === 'syntax' && problem.cause === 'json-separator'),
  )
  if (unreadable.length > 0)
    return {
      edits: [],
      objects: [],
      faults: unreadable.map(({ start, reason }) => ({ start, field: '', message: reason })),
    }
  const found: Found = { objects: [], plans: [], faults: [] }
  collect(document.value, '', settings, found)
  const locate = found.faults.length > 0 ? createLocator(text, document) : undefined
  const faults = found.faults.map(({ pointer, message }) => ({
    start: locate?.(pointer).start ?? document.start,
    field: pointer === '' ? '' : fieldPath(pointer),
    message,
  }))
  faults.sort((a, b) => a.start - b.start)
  if (faults.length > 0 || found.plans.length === 0) return { edits: [], objects: found.objects, faults }
  const edits = editsOf(text, document, found.plans)
  if (edits) return { edits, objects: found.objects, faults }
  const inexact = findInexact(document.value)
  return inexact === undefined
    ? { edits: [rewritten(text, document, found.plans)], objects: found.objects, faults }
    : { edits: [], objects: found.objects, faults: [inexactNumber(text, document, inexact)] }
}

type Found = {
  readonly objects: Omit<InjectedObject, 'document'>[]
  readonly plans: InjectionPlan[]
  readonly faults: { readonly pointer: string; readonly message: string }[]
}

/** Plans the injection of an object, or of the items of a List. */
function collect(value: unknown, base: string, settings: TextSettings, found: Found): void {
  if (!isObject(value)) {
    found.faults.push({ pointer: base, message: 'expected a Kubernetes object' })
    return
  }
  for (const member of ['apiVersion', 'kind'])
    if (typeof value[member] !== 'string' || value[member] === '')
      found.faults.push({ pointer: `${base}/${member}`, message: 'is missing, or is not a string' })
  const items = listItems(value)
  for (const [index, item] of (items ?? []).entries()) collect(item, `${base}/items/${index}`, settings, found)
  if (!items) collectWorkload(value, base, settings, found)
}

function collectWorkload(value: JsonObject, base: string, settings: TextSettings, found: Found): void {
  const workload = readWorkload(value, base)
  const become = (outcome: InjectedObject['outcome'], left?: LeftAlone): void =>
    void found.objects.push({
      ...{ kind: textOf(value.kind), name: nameOf(value), outcome: left?.reason ?? outcome },
      ...(left ? { message: left.message } : {}),
    })
  const outcome = workload ? untouched(workload, settings.keys.status) : 'unsupported'
  if (!workload || outcome)
    become(outcome ?? 'unsupported', outcome === 'host-network' ? leftAlone(outcome) : undefined)
  else {
    const { left, plan, faults = [] } = planOrLeave(workload, settings.around(value), settings)
    become('injected', left)
    found.faults.push(...faults)
    if (plan) found.plans.push(plan)
  }
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

/**
 * Edits that carry out plans; undefined where something has no place in the text, such as a container behind an alias:
 * then the document has to be written anew.
 */
function editsOf(
  text: string,
  document: TextDocument,
  plans: readonly InjectionPlan[],
): readonly TextEdit[] | undefined {
  const options = { text, orderOf, isSpread: true }
  const first = fixDocument(
    options,
    document,
    plans.map(({ operations }) => operations),
  )
  if (first.outcomes.every((outcome) => outcome === 'fixed')) return first.edits
  const second = fixDocument(
    options,
    document,
    plans.map(({ operations, withOwnLabels }, index) =>
      first.outcomes[index] === 'fixed' ? operations : withOwnLabels,
    ),
  )
  return second.outcomes.every((outcome) => outcome === 'fixed') ? second.edits : undefined
}

/** The pointer of an integer that JavaScript may have rounded. Aliases make values that are in several places. */
function findInexact(value: unknown, base = '', seen = new Set<unknown>()): string | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value) ? base : undefined
  if (typeof value !== 'object' || value === null || seen.has(value)) return undefined
  seen.add(value)
  for (const [name, member] of Object.entries(value)) {
    const found = findInexact(member, `${base}/${escapeToken(name)}`, seen)
    if (found !== undefined) return found
  }
  return undefined
}

function inexactNumber(text: string, document: TextDocument, pointer: string): Fault {
  return {
    start: createLocator(text, document)(pointer).start,
    field: fieldPath(pointer),
    message:
      'the number cannot be kept exactly, as the document has to be written anew: write the values themselves where its aliases are',
  }
}

/** Metadata goes before the specification; anything else after what is there, with its comments. */
const orderOf = (pointer: string): readonly string[] => (pointer.endsWith('/template') ? ['metadata', 'spec'] : [])

/** The whole document written anew; comments above it stay. */
function rewritten(text: string, document: TextDocument, plans: readonly InjectionPlan[]): TextEdit {
  const { start, end, value, format } = document
  const patched = applyPatch(
    value,
    plans.flatMap(({ operations }) => operations),
  )
  const written =
    format === 'json'
      ? `${JSON.stringify(patched?.value, null, jsonIndentation(text.slice(start, end)))}\n`
      : writeDocuments([patched?.value])
  const hasSeparator = text.startsWith('---', start)
  const content = skipComments(text, hasSeparator ? start + 3 : start)
  return { start: Math.min(content, end), end, text: written.replaceAll('\n', lineBreak(text, start)) }
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
