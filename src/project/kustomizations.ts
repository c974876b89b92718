/** The kustomizations among files: which of them are built, and which files belong to them. Paths as the caller has them. */
import type { Deployment } from '../kustomize/deployment.ts'
import { isMember, KUSTOMIZATION_FILES } from '../kustomize/kustomization.ts'
import { append } from '../text/append.ts'
import type { TextDocument, Texts } from '../yaml/documents.ts'

/** One `kustomization.yaml`, reduced to the files that it names. */
export type Kustomization = {
  readonly folder: string
  /** The file itself. */
  readonly file: string
  /** Files and folders that it deploys. */
  readonly resources: readonly string[]
  /** Files that it reads and does not deploy as they are: patches, configuration, values. */
  readonly fragments: readonly string[]
  /** True for a component, which only others build. */
  readonly isComponent: boolean
  /** Why it cannot be read: `not encoded in UTF-8`. All lists are empty then. */
  readonly unreadable?: string
  /** What is certainly wrong with it, so that it is not known what it was meant to name. */
  readonly mistake?: 'empty' | 'unknown-member' | undefined
  /** True for what another program makes a kustomization of. */
  readonly isTemplate?: boolean
}

/** A kustomization that no other one builds on. */
export type KustomizationRoot = {
  readonly folder: string
  /** The file of the kustomization itself. */
  readonly file: string
  /** Every file that its build reads: kustomizations, resources, patches, configuration. Some may not exist. */
  readonly files: ReadonlySet<string>
  /** Those of the files that it deploys, and folders that hold no kustomization. */
  readonly deployed: readonly string[]
  /** Its kustomizations that have a mistake. */
  readonly mistaken: readonly Kustomization[]
  /** How Flux or Argo CD deploys it; `file` is then the one with their object. */
  readonly deployment?: Deployment
  /** `namespace/name` of that object. */
  readonly name?: string
  /** The namespace that it gives to objects without one. */
  readonly namespace?: string
}

/** A kustomization that cannot be read. */
export type UnreadableKustomization = { readonly file: string; readonly reason: string }

/** What the kustomizations say about the files. */
export type Kustomizations = {
  readonly roots: readonly KustomizationRoot[]
  /** Kustomizations that cannot be read, and why: what they say about other files is not known. */
  readonly unreadable: readonly UnreadableKustomization[]
}

/** Where kustomizations are. */
export type KustomizationFolders = {
  /** Folders whose kustomizations are followed, as are those of every folder that they deploy. */
  readonly near: readonly string[]
  /** Folders whose kustomizations count where they build on a file that is meant. */
  readonly others?: readonly string[]
  isMeant?(path: string): boolean
  /** Called with each path that the near ones deploy, before it is read. */
  onNear?(path: string): void
}

/** Follows kustomizations. `find` reads that of a folder; it is called once for each. */
export function followKustomizations(
  { near, others = [], isMeant = () => false, onNear = () => {} }: KustomizationFolders,
  find: Get,
): Kustomizations {
  const get = onceEach(find)
  const followed = new Set(
    reachable(near, (folder) => {
      onNear(folder)
      return get(folder)
    }),
  )
  const roots = rootsOf(reachable([...near, ...others], get), get).flatMap((root) => {
    const { files, ...named } = filesOf(root, get)
    const counts = followed.has(root) || [...files].some(isMeant)
    return counts ? [{ folder: root.folder, file: root.file, files, ...named }] : []
  })
  return { roots, unreadable: [...followed].flatMap(unreadableOf) }
}

/** Reads the kustomization of each folder once. */
export function onceEach(find: Get): Get {
  const known = new Map<string, Kustomization | undefined>()
  return (folder) => {
    if (!known.has(folder)) known.set(folder, looksLikeFile(folder) ? undefined : find(folder))
    return known.get(folder)
  }
}

/** What marks a text that another program makes a kustomization of. */
const TEMPLATE = '{{'

/** What looks like a path in a text that cannot be read. */
const RELATIVE = /\.\.?\/[\w./-]*/g

type UnreadableText = { readonly folder: string; readonly text: string; readonly resolve: ResolvePath }

/**
 * Whether kubectl would be asked to build a kustomization that cannot be read: it is no template, and judged files are
 * below its folder or a path that it names.
 */
export function isMeantToBeBuilt({ folder, text, resolve }: UnreadableText, judged: readonly string[]): boolean {
  if (text.includes(TEMPLATE)) return false
  const folders = [folder, ...(text.match(RELATIVE) ?? []).map((path) => resolve(folder, path))]
  return judged.some((path) => folders.some((one) => one === '' || path === one || path.startsWith(`${one}/`)))
}

const unreadableOf = ({ file, unreadable: reason }: Kustomization): readonly UnreadableKustomization[] =>
  reason === undefined ? [] : [{ file, reason }]

/** The kustomization of a folder. */
export type Get = (folder: string) => Kustomization | undefined

function reachable(folders: Iterable<string>, get: Get): readonly Kustomization[] {
  const all = new Map<string, Kustomization>()
  const waiting = [...folders]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const kustomization = all.has(folder) ? undefined : get(folder)
    if (!kustomization) continue
    all.set(folder, kustomization)
    append(waiting, kustomization.resources)
  }
  return [...all.values()].sort((a, b) => (a.folder < b.folder ? -1 : 1))
}

const looksLikeFile = (path: string): boolean => /\.(?:ya?ml|json)$/i.test(path)

/** Kustomizations that no other one deploys, and the first of those that deploy one another in a circle. */
function rootsOf(all: readonly Kustomization[], get: Get): readonly Kustomization[] {
  const deployed = new Set(all.flatMap(({ folder, resources }) => resources.filter((resource) => resource !== folder)))
  const readable = all.filter(({ unreadable }) => unreadable === undefined)
  const roots = readable.filter(({ folder }) => !deployed.has(folder))
  const known = new Set(reachable(foldersOf(roots), get))
  for (const one of readable) {
    if (known.has(one)) continue
    roots.push(one)
    for (const below of reachable([one.folder], get)) known.add(below)
  }
  return roots
}

const foldersOf = (all: readonly Kustomization[]): readonly string[] => all.map(({ folder }) => folder)

/** The files of a root. */
export function filesOf(root: Kustomization, get: Get): Pick<KustomizationRoot, 'files' | 'deployed' | 'mistaken'> {
  const files = new Set<string>()
  const deployed: string[] = []
  const mistaken: Kustomization[] = []
  const entered = new Set([root])
  for (const one of entered) {
    const { file, resources, fragments, mistake, isTemplate = false } = one
    files.add(file)
    if (mistake) mistaken.push(one)
    for (const fragment of fragments) files.add(fragment)
    for (const resource of resources) {
      const deeper = get(resource)
      if (deeper) entered.add(deeper)
      else {
        files.add(resource)
        if (!isTemplate) deployed.push(resource)
      }
    }
  }
  return { files, deployed, mistaken }
}

/** What is known of the files around kustomizations. */
export type FilesAround = {
  /** Whether an object of a system is named in a file. */
  mentions(path: string): boolean
  exists(path: string): boolean
  /** Files of no kustomization in which an object of a system is named. */
  readonly others: Iterable<string>
}

/** A root, and whether only what kustomize refuses of it is of interest. */
export type RelevantRoot = KustomizationRoot & { readonly isOnlyRefused: boolean }

/**
 * The roots in which an object of a system is named; and those that cannot be built, where what they were meant to name
 * may hold one: a file or folder that does not exist beside such an object, an empty kustomization, one with an unknown
 * member above such an object.
 */
export function relevantRoots(
  roots: readonly KustomizationRoot[],
  { mentions, exists, others }: FilesAround,
): readonly RelevantRoot[] {
  const known = new Map<string, boolean>()
  const isNamed = (path: string): boolean => {
    const isKnown = known.get(path) ?? mentions(path)
    known.set(path, isKnown)
    return isKnown
  }
  const named = roots.map(({ files }) => [...files].filter(isNamed))
  const holding = new Set<string>()
  for (const path of [...others, ...named.flat()])
    for (let folder = folderOf(path); folder !== undefined && !holding.has(folder); folder = folderOf(folder))
      holding.add(folder)
  const isNear = (path: string) => holding.has(folderOf(path) ?? path)
  const hides = ({ file, mistake }: Kustomization) => (mistake === 'empty' ? holding.size > 0 : isNear(file))
  return roots.flatMap((root, index) => {
    if (root.deployment?.problem) return holding.size > 0 ? [{ ...root, isOnlyRefused: false }] : []
    const isOnlyRefused = named[index]?.length === 0
    const isBroken = () => root.mistaken.some(hides) || root.deployed.some((path) => isNear(path) && !exists(path))
    return !isOnlyRefused || isBroken() ? [{ ...root, isOnlyRefused }] : []
  })
}

/** The folder of a file or folder; undefined for the topmost. */
function folderOf(path: string): string | undefined {
  if (path === '' || path === '/') return undefined
  const end = path.lastIndexOf('/')
  return end === 0 ? '/' : path.slice(0, Math.max(0, end))
}

/** How a path that a kustomization names is resolved: from its folder. */
export type ResolvePath = (folder: string, path: string) => string

/** The text of a file, or why it cannot be read. */
export type KustomizationText = { readonly text: string } | { readonly reason: string }

/** The kustomization in the text of a file. An empty one names nothing; one with another value than a mapping is unreadable. */
export function interpretKustomization(
  given: KustomizationText,
  { folder, file, texts }: Pick<Kustomization, 'folder' | 'file'> & { readonly texts: Texts },
  resolve: ResolvePath,
): Kustomization {
  const [document] = 'text' in given ? texts.of(given.text).documents({ mentions: /(?:)/ }) : []
  const unreadable = 'text' in given ? whyUnreadable(document) : given.reason
  const value = isMapping(document?.value) ? document.value : {}
  const paths = (...lists: readonly (readonly string[])[]) =>
    lists
      .flat()
      .filter(isPath)
      .map((path) => resolve(folder, path))
  return {
    folder,
    file,
    ...(unreadable === undefined ? {} : { unreadable }),
    ...('text' in given && given.text.includes(TEMPLATE)
      ? { isTemplate: true }
      : { mistake: unreadable === undefined ? mistakeOf(value) : undefined }),
    resources: paths(...['resources', 'bases', 'components'].map((key) => strings(value[key]))),
    fragments: paths(
      ...FRAGMENT_LISTS.map((key) => strings(value[key])),
      ...FRAGMENT_MEMBERS.map(([key, member]) => members(value[key], member)),
      ...GENERATORS.map((key) => dataFiles(value[key])),
      // Where there are several files, none of them counts.
      KUSTOMIZATION_FILES,
    ).filter((path) => path !== file),
    isComponent: value.kind === 'Component',
  }
}

/** Why a document is not a kustomization; undefined for one that is, and for none at all. */
function whyUnreadable(document: TextDocument | undefined): string | undefined {
  if (!document || isMapping(document.value)) return undefined
  return document.problems[0]?.reason ?? 'not a mapping'
}

function mistakeOf(value: Mapping): Kustomization['mistake'] {
  const names = Object.keys(value)
  if (names.length === 0) return 'empty'
  return names.every(isMember) ? undefined : 'unknown-member'
}

/** Lists of paths. */
const FRAGMENT_LISTS = [
  'patches',
  'patchesStrategicMerge',
  'configurations',
  'crds',
  'transformers',
  'generators',
  'validators',
]

/** Objects, or lists of them, in which a member is a path or a list of paths. */
const FRAGMENT_MEMBERS = [
  ['patches', 'path'],
  ['patchesJson6902', 'path'],
  ['replacements', 'path'],
  ['openapi', 'path'],
  ['helmCharts', 'valuesFile'],
  ['helmCharts', 'additionalValuesFiles'],
  ['helmChartInflationGenerator', 'values'],
] as const

/** Generators of ConfigMaps and Secrets: the files are data. */
const GENERATORS = ['configMapGenerator', 'secretGenerator']

const dataFiles = (value: unknown): readonly string[] => [
  ...members(value, 'files').map((entry) => entry.slice(entry.indexOf('=') + 1)),
  ...members(value, 'envs'),
  ...members(value, 'env'),
]

type Mapping = Readonly<Record<string, unknown>>

const isMapping = (value: unknown): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const strings = (value: unknown): readonly string[] =>
  [value].flat().filter((entry): entry is string => typeof entry === 'string')

const members = (value: unknown, member: string): readonly string[] =>
  [value]
    .flat()
    .filter(isMapping)
    .flatMap((entry) => strings(entry[member]))

/** Inline patches may stand in the place of paths; remote bases are not on the disk. */
const isPath = (text: string): boolean => text !== '' && !text.includes('\n') && !text.includes('://')
