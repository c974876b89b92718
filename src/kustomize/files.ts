/** The files of builds: what is at the paths that kustomizations name, and why nothing is. */
import { nearest } from '../text/nearest.ts'
import type { Texts } from '../yaml/documents.ts'
import { BuildFailure, type BuildNote, noteOf, outOfReach, refused } from './failure.ts'
import {
  isRemote,
  isWithin,
  joinPath,
  KUSTOMIZATION_FILES,
  type Kustomization,
  readKustomization,
  startOf,
} from './kustomization.ts'
import { textFile } from './read.ts'
import type { Place, TextFile } from './traced.ts'

/** Reads the file at a path with forward slashes, without `.` and with `..` only at its beginning; undefined where there is none. */
export type ReadFile = (path: string) => Pick<TextFile, 'file' | 'text'> | undefined

/** What else is known of the files: by default, all data exist. */
export type FilesAround = {
  /** Whether a file of data exists, which may be no text. */
  hasData?(path: string): boolean
  /** The names in a folder, to suggest one of them. */
  namesIn?(folder: string): readonly string[]
}

/** The files of builds, and how they are read. */
export type BuildFiles = {
  /** Files outside of the folder of a kustomization. Argo CD allows them where it is set up so. */
  readonly outside: 'refused' | 'allowed' | 'unknown'
  readonly texts: Texts
  readonly hasData: NonNullable<FilesAround['hasData']>
  readonly namesIn: NonNullable<FilesAround['namesIn']>
  readonly read: (path: string) => TextFile | undefined
  /** By folder. */
  readonly kustomizations: Map<string, Kustomization | BuildFailure | undefined>
  /** The texts of inline patches, by file and pointer. */
  readonly inlines: Map<string, TextFile>
}

/** That of a folder; a failure stands for one that cannot be read. */
export function kustomizationIn(
  { read, kustomizations }: BuildFiles,
  folder: string,
): Kustomization | BuildFailure | undefined {
  if (kustomizations.has(folder)) return kustomizations.get(folder)
  const kustomization = readFolder(
    folder,
    KUSTOMIZATION_FILES.flatMap((name) => read(joinPath(folder, name)) ?? []),
  )
  kustomizations.set(folder, kustomization)
  return kustomization
}

function readFolder(folder: string, [source, other]: readonly TextFile[]): Kustomization | BuildFailure | undefined {
  try {
    if (source && other) throw refused('several-files', startOf(other), `${source.file} is a kustomization, too`)
    return source && readKustomization(source, folder)
  } catch (error) {
    if (error instanceof BuildFailure) return error
    throw error
  }
}

/** A path as it is written. */
export type Written = { readonly text: string; readonly at: Place }

/** What is written as a path, and nothing is there. */
export function missing({ namesIn }: BuildFiles, folder: string, { text, at }: Written, what = ''): BuildFailure {
  const meant = meantPath(text, folder, namesIn)
  const hint = meant === undefined ? '' : ` (did you mean "${meant}"?)`
  return refused('missing', at, `${what}"${text}" does not exist${hint}`)
}

/** The path with its first name that does not exist replaced by one that does. */
export function meantPath(path: string, folder: string, namesIn: BuildFiles['namesIn']): string | undefined {
  const names = path.split('/')
  const folderAt = (index: number) => joinPath(folder, names.slice(0, index).join('/') || '.')
  const isThere = (name: string, index: number) =>
    ['', '.', '..'].includes(name) || namesIn(folderAt(index)).includes(name)
  const wrong = names.findIndex((name, index) => !isThere(name, index))
  const [name = '', extension = ''] = splitName(names[wrong] ?? '')
  const near = wrong < 0 ? [] : namesIn(folderAt(wrong)).map(splitName)
  const stems = near.flatMap(([stem = '', other = '']) => (other === extension ? [stem] : []))
  const stem = nearest(name, stems)
  const right = stem === undefined ? undefined : stem + extension
  if (right === undefined) return undefined
  names[wrong] = right
  return names.every(isThere) ? names.join('/') : undefined
}

/** A name without its extension, and that. */
const splitName = (name: string): readonly string[] => name.split(/(?=\.(?:ya?ml|json)$)/)

/** The text of an inline patch. */
export function inlineAt(
  { inlines, texts }: BuildFiles,
  { source: { file } }: Kustomization,
  { part, pointer }: Place,
  text: string,
): TextFile {
  const key = `${part.source.file}#${part.document.start}${pointer}`
  const inline = inlines.get(key) ?? textFile({ file, text }, texts)
  inlines.set(key, inline)
  return inline
}

type Reading = { readonly from: Kustomization; readonly path: string; readonly at: Place }

/** The file at a path that is written in a kustomization. Throws {@link BuildFailure}. */
export function fileAt(run: BuildFiles, { from, path, at }: Reading, note: (note: BuildNote) => void): TextFile {
  const { source, folder } = from
  if (isRemote(path)) throw outOfReach(source, `"${path}"`)
  const file = path === '' ? undefined : run.read(joinPath(folder, path))
  if (!file) throw missing(run, folder, { text: path, at })
  const outside = whyOutside(run, path, folder, at)
  if (outside) note(outside)
  return file
}

/** The text of a file of data; undefined where it is not known. Throws {@link BuildFailure}. */
export function dataAt(
  run: BuildFiles,
  { from: { folder }, path, at }: Reading,
  note: (note: BuildNote) => void,
): string | undefined {
  if (isRemote(path)) return undefined
  const target = joinPath(folder, path)
  if (path === '' || !run.hasData(target)) throw missing(run, folder, { text: path, at })
  const outside = whyOutside(run, path, folder, at)
  if (outside) note(outside)
  return run.read(target)?.text
}

/** kustomize reads no file outside of the folder of the kustomization. What is in it is known all the same. */
export function whyOutside({ outside }: BuildFiles, path: string, folder: string, at: Place): BuildNote | undefined {
  if (outside === 'allowed') return undefined
  const target = joinPath(folder, path)
  if (target.startsWith('/') !== folder.startsWith('/') || isWithin(target, folder)) return undefined
  const { refusal, ...note } = noteOf(
    refused('outside', at, `the file "${path}" is not in the folder of the kustomization`),
  )
  return outside === 'refused' && refusal ? { ...note, refusal } : note
}
