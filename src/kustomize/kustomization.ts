/** A kustomization file as typed data. Source: kustomize, api/types/kustomization.go. */
import { asString, isObject, type Json } from '../json/member.ts'
import { BuildFailure } from './failure.ts'
import { readFirst } from './read.ts'
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
  if (!root || !isObject(root.value)) throw new BuildFailure(source.file, 'not a kustomization')
  const names = namesOf(root).filter((name) => !isNothing(memberOf(root, name)?.value))
  const unknown = names.find((name) => !Object.hasOwn(MEMBERS, name))
  if (unknown !== undefined) throw new BuildFailure(source.file, `unknown field "${unknown}"`)
  const having = (support: Support) => names.filter((name) => MEMBERS[name] === support)
  return {
    source,
    root,
    folder,
    isComponent: stringAt(root, 'kind') === 'Component',
    adds: having('adds'),
    changes: having('changes'),
  }
}

const isNothing = (value: Json | undefined): boolean =>
  value === null || value === undefined || value === '' || (isList(value) && value.length === 0)

/** The items of a list in a kustomization. Throws {@link BuildFailure} where the member is something else. */
export function listIn({ root, source }: Kustomization, name: string): readonly Traced[] {
  const member = memberOf(root, name)
  if (!member || isNothing(member.value)) return []
  const items = itemsOf(member)
  if (!items) throw new BuildFailure(source.file, `${name}: expected a list`)
  return items
}

/** The strings of a list, each with its place. */
export function stringsIn(kustomization: Kustomization, name: string): readonly { text: string; at: Place }[] {
  return listIn(kustomization, name).map(({ value, at }) => {
    const text = asString(value)
    if (text === undefined) throw new BuildFailure(kustomization.source.file, `${name}: expected strings`)
    return { text, at }
  })
}

/** A string of a kustomization; undefined where it is empty or not there. */
export function textIn({ root, source }: Kustomization, name: string): { text: string; at: Place } | undefined {
  const member = memberOf(root, name)
  if (!member || isNothing(member.value)) return undefined
  const text = asString(member.value)
  if (text === undefined) throw new BuildFailure(source.file, `${name}: expected a string`)
  return { text, at: member.at }
}

/** The strings of an object by name, such as the labels of `commonLabels`. */
export function pairsOf(object: Traced | undefined, source: TextFile): ReadonlyMap<string, Traced> {
  const pairs = new Map<string, Traced>()
  for (const name of object ? namesOf(object).toSorted() : []) {
    const member = object && memberOf(object, name)
    if (typeof member?.value !== 'string')
      throw new BuildFailure(source.file, `the value of "${name}" must be a string: put it in quotes`)
    pairs.set(name, member)
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

/** True for a path that leads to another server or repository. */
export const isRemote = (path: string): boolean =>
  /^[a-z][a-z\d+.-]*:\/\//i.test(path) ||
  /^(?:git@|git::|github\.com[/:]|gitlab\.com[/:]|bitbucket\.org[/:])/i.test(path) ||
  /[?&]ref=|\.git(?:$|[/?])/.test(path)
