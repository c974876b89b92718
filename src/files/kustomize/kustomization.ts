/** One `kustomization.yaml`, reduced to the files that it names. */
import { join, resolve } from 'node:path'
import { decodeText } from '../../yaml/decode.ts'
import { readDocuments } from '../../yaml/documents.ts'
import type { FileTree } from '../discover/file-tree.ts'
import { systemErrorCode } from '../input-problem.ts'

/** The content of a kustomization. Paths are absolute. */
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
  /** The file, where it cannot be read. All other members are empty then. */
  readonly unreadable?: string
}

/** The names that kustomize looks for, in its order. */
export const KUSTOMIZATION_NAMES: readonly string[] = ['kustomization.yaml', 'kustomization.yml', 'Kustomization']

/** Reads the kustomization of a folder; undefined where there is none. */
export function readKustomization(folder: string, tree: FileTree): Kustomization | undefined {
  const found = findIn(folder, tree)
  if (found === undefined) return undefined
  const { text, problem } = decodeText(found.bytes)
  const [document] = problem ? [] : readDocuments(text, { mentions: /(?:)/ })
  if (isMapping(document?.value)) return interpret(document.value, folder, found.file)
  const isEmpty = !problem && document === undefined
  return { ...interpret({}, folder, found.file), ...(isEmpty ? {} : { unreadable: found.file }) }
}

/** Far more than a kustomization ever has. */
const MAX_BYTES = 4 * 1024 * 1024

function findIn(folder: string, tree: FileTree): { readonly file: string; readonly bytes: Uint8Array } | undefined {
  for (const name of KUSTOMIZATION_NAMES) {
    const file = join(folder, name)
    try {
      const stats = tree.exists(file) ? tree.stat(file) : undefined
      if (stats?.isFile()) return { file, bytes: stats.size > MAX_BYTES ? NO_TEXT : tree.read(file) }
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error
    }
  }
  return undefined
}

const NO_TEXT = Uint8Array.of(0xff)

function interpret(value: Mapping, folder: string, file: string): Kustomization {
  const paths = (...lists: readonly (readonly string[])[]) =>
    lists
      .flat()
      .filter(isPath)
      .map((path) => resolve(folder, path))
  return {
    folder,
    file,
    resources: paths(...['resources', 'bases', 'components'].map((key) => strings(value[key]))),
    fragments: paths(
      ...FRAGMENT_LISTS.map((key) => strings(value[key])),
      ...FRAGMENT_MEMBERS.map(([key, member]) => members(value[key], member)),
      ...GENERATORS.map((key) => dataFiles(value[key])),
    ),
    isComponent: value.kind === 'Component',
  }
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

const dataFiles = (value: unknown): readonly string[] =>
  members(value, 'files').map((entry) => entry.slice(entry.indexOf('=') + 1))

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
