/** Kustomizations among texts at hand: for callers that have read no files. */
import { createBuilder } from '../kustomize/build.ts'
import { joinPath, KUSTOMIZATION_FILES } from '../kustomize/kustomization.ts'
import type { Texts } from '../yaml/documents.ts'
import {
  followKustomizations,
  interpretKustomization,
  isMeantToBeBuilt,
  type Kustomizations,
  relevantRoots,
} from './kustomizations.ts'
import type { KustomizationBuild, Reading, Source, TextSource } from './source.ts'

/**
 * The sources with every kustomization among them built, as `sluice lint` builds those of a folder: the texts of one in
 * which `mentions` matches are judged as it builds them. Its files are found by the names of the sources, as paths.
 */
export function withKustomizations({ sources, texts }: Reading, mentions: RegExp): readonly Source[] {
  const files = new Map<string, TextSource>()
  for (const source of sources) if (!('object' in source)) files.set(joinPath('', source.file), source)
  const { roots: all, unreadable } = kustomizationsAmong(files, texts)
  const judged = [...files].flatMap(([path, { text }]) => (mentions.test(text) ? [path] : []))
  const around = {
    mentions: (path: string) => mentions.test(files.get(path)?.text ?? ''),
    exists: (path: string) => files.has(path),
    others: judged,
  }
  const roots = relevantRoots(all, around)
  const parts = new Map<TextSource, TextSource>()
  const addPart = (path: string, more: Partial<TextSource>) => {
    const text = files.get(path)
    if (text && !parts.has(text)) parts.set(text, { ...text, isPart: true, ...more })
  }
  for (const { folder, file, files: members, isOnlyRefused } of roots) {
    const world = files.get(file)?.world ?? [folder || '.']
    const builds = { ...buildsOf(folder, files), isOnlyRefused }
    for (const path of members) addPart(path, { world, ...(path === file && { builds }) })
  }
  // The build of such a one says why it cannot be built.
  for (const { file } of unreadable) {
    const folder = joinPath(file, '..')
    const isJudged = isMeantToBeBuilt({ folder, text: files.get(file)?.text ?? '', resolve: joinPath }, judged)
    addPart(file, { builds: { ...buildsOf(folder, files), isJudged } })
  }
  return sources.map((source) => ('object' in source ? source : (parts.get(source) ?? source)))
}

function kustomizationsAmong(files: ReadonlyMap<string, TextSource>, texts: Texts): Kustomizations {
  const folders = new Set<string>()
  for (const path of files.keys()) {
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (KUSTOMIZATION_FILES.includes(name)) folders.add(joinPath(path, '..'))
  }
  return followKustomizations({ near: [...folders] }, (folder) => {
    const file = KUSTOMIZATION_FILES.map((name) => joinPath(folder, name)).find((path) => files.has(path))
    const source = file === undefined ? undefined : files.get(file)
    return file === undefined || !source ? undefined : interpretKustomization(source, { folder, file, texts }, joinPath)
  })
}

/** How that of a folder is built: its files are read by the names of their sources. */
const buildsOf = (folder: string, files: ReadonlyMap<string, TextSource>): KustomizationBuild => ({
  folder: folder || '.',
  createBuilder: (read, texts) =>
    createBuilder((path) => read(files.get(path)?.file ?? path), texts, { namesIn: (at) => namesIn(at, files) }),
})

/** The names of files and folders in a folder. */
function namesIn(folder: string, files: ReadonlyMap<string, TextSource>): readonly string[] {
  const start = folder === '' || folder.endsWith('/') ? folder : `${folder}/`
  const within = [...files.keys()].filter((path) => path.startsWith(start))
  return [...new Set(within.map((path) => path.slice(start.length).split('/', 1)[0] ?? ''))]
}
