/** A kustomization file as typed data. Source: kustomize, api/types/kustomization.go. */
import { asString, type Json } from '../json/member.ts'
import { refused } from './failure.ts'
import { readFirst } from './read.ts'
import { checkShape, KUSTOMIZATION } from './schema.ts'
import { isList, itemsOf, memberOf, namesOf, type Place, stringAt, type TextFile, type Traced } from './traced.ts'

/** The names that kustomize looks for, in its order. */
export const KUSTOMIZATION_FILES: readonly string[] = ['kustomization.yaml', 'kustomization.yml', 'Kustomization']

/** What a member of a kustomization is for the build. */
type Support =
  /** It is built. */
  | 'built'
  /** It changes nothing that is judged. */
  | 'harmless'
  /** It adds objects that are not known. */
  | 'adds'
  /** It may change every object. */
  | 'changes'

const MEMBERS: Readonly<Record<string, Support>> = {
  apiVersion: 'built',
  kind: 'built',
  metadata: 'harmless',
  resources: 'built',
  bases: 'built',
  components: 'built',
  namespace: 'built',
  namePrefix: 'built',
  nameSuffix: 'built',
  labels: 'built',
  commonLabels: 'built',
  commonAnnotations: 'built',
  patches: 'built',
  patchesStrategicMerge: 'built',
  patchesJson6902: 'built',
  replacements: 'built',
  configurations: 'built',
  configMapGenerator: 'built',
  secretGenerator: 'built',
  generatorOptions: 'harmless',
  images: 'harmless',
  imageTags: 'harmless',
  replicas: 'harmless',
  sortOptions: 'harmless',
  buildMetadata: 'harmless',
  helmGlobals: 'harmless',
  vars: 'harmless',
  crds: 'harmless',
  helmCharts: 'adds',
  helmChartInflationGenerator: 'adds',
  generators: 'adds',
  transformers: 'changes',
  validators: 'changes',
  openapi: 'changes',
}

/** True for a member that a kustomization may have. */
export const isMember = (name: string): boolean => Object.hasOwn(MEMBERS, name)

/** A kustomization. */
export type Kustomization = {
  readonly source: TextFile
  readonly root: Traced
  /** The folder of the file, with forward slashes; empty for that of the run itself. */
  readonly folder: string
  readonly isComponent: boolean
  /** Names of members that add objects which are not known. */
  readonly adds: readonly string[]
  /** Names of members that may change every object. */
  readonly changes: readonly string[]
}

/** Reads a kustomization. Throws {@link BuildFailure} for one that kustomize rejects. */
export function readKustomization(source: TextFile, folder: string): Kustomization {
  const root = readFirst(source)
  if (!root || root.value === null) throw refused('empty', startOf(source), 'the kustomization is empty')
  checkShape(root, KUSTOMIZATION)
  const names = namesOf(root).filter((name) => !isNothing(memberOf(root, name)?.value))
  const isComponent = stringAt(root, 'kind') === 'Component'
  checkKind(root, isComponent)
  if (namesOf(root).every((name) => IDENTITY.includes(name) || isUnset(name, memberOf(root, name)?.value)))
    throw refused('empty', root.at, 'the kustomization is empty')
  const having = (support: Support) => names.filter((name) => MEMBERS[name] === support)
  return { source, root, folder, isComponent, adds: having('adds'), changes: having('changes') }
}

/** Where a text begins. */
export const startOf = (source: TextFile): Place => ({
  part: { source, document: { start: 0, end: source.text.length, value: null, problems: [] } },
  pointer: '',
  range: { start: 0, end: 0 },
})

const IDENTITY: readonly string[] = ['kind', 'apiVersion']

function checkKind(root: Traced, isComponent: boolean): void {
  const [kind, apiVersion] = IDENTITY.map((name) => memberOf(root, name))
  if (kind?.value && kind.value !== 'Kustomization' && !isComponent)
    throw refused('kind', kind.at, `kind must be Kustomization or Component, not ${kind.value}`)
  const version = `kustomize.config.k8s.io/${isComponent ? 'v1alpha1' : 'v1beta1'}`
  if (apiVersion?.value && apiVersion.value !== version)
    throw refused('kind', apiVersion.at, `apiVersion must be ${version}, not ${apiVersion.value}`)
}

/** Lists that kustomize appends to others, so that an empty one counts for nothing. */
const APPENDED: readonly string[] = ['bases', 'imageTags', 'helmChartInflationGenerator']

const isUnset = (name: string, value: Json | undefined): boolean =>
  value === null || value === '' || (APPENDED.includes(name) && isList(value) && value.length === 0)

const isNothing = (value: Json | undefined): boolean =>
  value === null || value === undefined || value === '' || (isList(value) && value.length === 0)

/** The items of a list in a kustomization. */
export function listIn({ root }: Kustomization, name: string): readonly Traced[] {
  const member = memberOf(root, name)
  return (member && itemsOf(member)) ?? []
}

/** The strings of a list, each with its place. */
export const stringsIn = (kustomization: Kustomization, name: string): readonly { text: string; at: Place }[] =>
  listIn(kustomization, name).map(({ value, at }) => ({ text: asString(value) ?? '', at }))

/** A string of a kustomization; undefined where it is empty or not there. */
export function textIn({ root }: Kustomization, name: string): { text: string; at: Place } | undefined {
  const member = memberOf(root, name)
  const text = member && asString(member.value)
  return member && text ? { text, at: member.at } : undefined
}

/** The strings of an object by name, such as the labels of `commonLabels`; null is an empty one. */
export function pairsOf(object: Traced | undefined): ReadonlyMap<string, Traced> {
  const pairs = new Map<string, Traced>()
  for (const name of object ? namesOf(object).toSorted() : []) {
    const member = object && memberOf(object, name)
    if (member) pairs.set(name, { ...member, value: asString(member.value) ?? '' })
  }
  return pairs
}

/** Joins a relative path to a folder. Both have forward slashes; the result has no `.` and no needless `..`. */
export function joinPath(folder: string, path: string): string {
  const isAbsolute = path.startsWith('/') || folder.startsWith('/')
  const parts: string[] = []
  for (const part of (path.startsWith('/') ? path : `${folder}/${path}`).split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else if (part !== '..' || !isAbsolute) parts.push(part)
  }
  return (isAbsolute ? '/' : '') + parts.join('/')
}

/** True for a path that is a folder, or below it. Both are as {@link joinPath} makes them. */
export function isWithin(path: string, folder: string): boolean {
  if (path.startsWith('/') !== folder.startsWith('/')) return false
  const isAbove = /^(?:\.\.(?:\/|$))*$/.test(folder)
  if (!isAbove) return path === folder || path.startsWith(folder === '/' ? folder : `${folder}/`)
  return levelsUp(path) <= levelsUp(folder)
}

const levelsUp = (path: string): number => path.split('/').filter((name) => name === '..').length

/** True for a path that leads to another server or repository. */
export const isRemote = (path: string): boolean =>
  /^[a-z][a-z\d+.-]*:\/\//i.test(path) ||
  /^(?:[\w-]+@[\w.-]+:|git@|git::|github\.com[/:]|gitlab\.com[/:]|bitbucket\.org[/:])/i.test(path) ||
  /[?&]ref=|\.git(?:$|[/?])/.test(path)
