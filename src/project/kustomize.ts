/** Kustomizations among texts at hand: for callers that have read no files. */
import { createBuilder } from '../kustomize/build.ts'
import { joinPath, KUSTOMIZATION_FILES } from '../kustomize/kustomization.ts'
import type { Texts } from '../yaml/documents.ts'
import { type DeploymentRoot, deploymentsIn, MENTIONS_DEPLOYMENT, withDeployments } from './deployments.ts'
import {
  followKustomizations,
  type Get,
  interpretKustomization,
  isMeantToBeBuilt,
  type Kustomizations,
  onceEach,
  relevantRoots,
} from './kustomizations.ts'
import { partsOf } from './parts.ts'
import type { KustomizationBuild, Reading, Source, TextSource } from './source.ts'

/**
 * The sources with every kustomization among them built, as `sluice lint` builds those of a folder: the texts of one in
 * which `mentions` matches are judged as it builds them. Its files are found by the names of the sources, as paths.
 */
export function withKustomizations({ sources, texts }: Reading, mentions: RegExp): readonly Source[] {
  const files = new Map<string, TextSource>()
  for (const source of sources) if (!('object' in source)) files.set(joinPath('', source.file), source)
  const { roots: plain, unreadable } = kustomizationsAmong(files, texts)
  const all = withDeployments(plain, deploymentsAmong(files, texts))
  const judged = [...files].flatMap(([path, { text }]) => (mentions.test(text) ? [path] : []))
  const around = {
    mentions: (path: string) => mentions.test(files.get(path)?.text ?? ''),
    exists: (path: string) => files.has(path),
    others: judged,
  }
  const roots = relevantRoots(all, around)
  const parts = new Map<TextSource, TextSource>()
  const made = partsOf(roots, {
    createBuilder: buildsOf('', files).createBuilder,
    nameOf: (path) => path || '.',
    worldOf: (file) => files.get(file)?.world,
    isJudged: () => true,
    sourceOf: (path) => files.get(path),
  })
  for (const [path, part] of made) {
    const source = files.get(path)
    if (source) parts.set(source, part)
  }
  // The build of such a one says why it cannot be built.
  for (const { file } of unreadable) {
    const folder = joinPath(file, '..')
    const isJudged = isMeantToBeBuilt({ folder, text: files.get(file)?.text ?? '', resolve: joinPath }, judged)
    const source = files.get(file)
    const builds = [{ ...buildsOf(folder, files), isJudged }]
    if (source && !parts.has(source)) parts.set(source, { ...source, isPart: true, builds })
  }
  return sources.map((source) => ('object' in source ? source : (parts.get(source) ?? source)))
}

function kustomizationsAmong(files: ReadonlyMap<string, TextSource>, texts: Texts): Kustomizations {
  const folders = new Set<string>()
  for (const path of files.keys()) {
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (KUSTOMIZATION_FILES.includes(name)) folders.add(joinPath(path, '..'))
  }
  return followKustomizations({ near: [...folders] }, readerOf(files, texts))
}

const readerOf =
  (files: ReadonlyMap<string, TextSource>, texts: Texts): Get =>
  (folder) => {
    const file = KUSTOMIZATION_FILES.map((name) => joinPath(folder, name)).find((path) => files.has(path))
    const source = file === undefined ? undefined : files.get(file)
    return file === undefined || !source ? undefined : interpretKustomization(source, { folder, file, texts }, joinPath)
  }

/** What objects of Flux and Argo CD deploy; the texts are all there is of their repository. */
function deploymentsAmong(files: ReadonlyMap<string, TextSource>, texts: Texts): readonly DeploymentRoot[] {
  const given = [...files].flatMap(([path, { text }]) => (MENTIONS_DEPLOYMENT.test(text) ? [{ path, text }] : []))
  if (given.length === 0) return []
  const folders = new Set([...files.keys()].flatMap((path) => foldersOf(path)))
  return deploymentsIn(given, {
    texts,
    get: onceEach(readerOf(files, texts)),
    resolve: joinPath,
    isFolder: (path) => folders.has(path),
    namesIn: (folder) => namesIn(folder, files),
    topsOf: (file) => foldersOf(file),
    addressesOf: () => [],
  })
}

/** The folders above a file, the outermost first, which is empty. */
function foldersOf(path: string): readonly string[] {
  const names = path.split('/').slice(0, -1)
  return ['', ...names.map((_, index) => names.slice(0, index + 1).join('/'))]
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
