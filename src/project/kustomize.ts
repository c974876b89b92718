/** Kustomizations among texts at hand: for callers that have read no files. */
import { createBuilder } from '../kustomize/build.ts'
import { joinPath, KUSTOMIZATION_FILES } from '../kustomize/kustomization.ts'
import { followKustomizations, interpretKustomization, type KustomizationRoot } from './kustomizations.ts'
import type { KustomizationBuild, Source, TextSource } from './source.ts'

/**
 * The sources with every kustomization among them built, as `sluice lint` builds those of a folder: the texts of one in
 * which `mentions` matches are judged as it builds them. Its files are found by the names of the sources, as paths.
 */
export function withKustomizations(sources: readonly Source[], mentions: RegExp): readonly Source[] {
  const texts = new Map<string, TextSource>()
  for (const source of sources) if (!('object' in source)) texts.set(joinPath('', source.file), source)
  const roots = rootsAmong(texts).filter(({ files }) =>
    [...files].some((path) => mentions.test(texts.get(path)?.text ?? '')),
  )
  const parts = new Map<TextSource, TextSource>()
  for (const { folder, file, files } of roots)
    for (const path of files) {
      const text = texts.get(path)
      if (!text || parts.has(text)) continue
      const world = texts.get(file)?.world ?? [folder || '.']
      parts.set(text, { ...text, isPart: true, world, ...(path === file && { builds: buildsOf(folder, texts) }) })
    }
  return sources.map((source) => ('object' in source ? source : (parts.get(source) ?? source)))
}

/** The kustomizations that no other one builds on. */
function rootsAmong(texts: ReadonlyMap<string, TextSource>): readonly KustomizationRoot[] {
  const folders = new Set<string>()
  for (const path of texts.keys()) {
    const name = path.slice(path.lastIndexOf('/') + 1)
    if (KUSTOMIZATION_FILES.includes(name)) folders.add(joinPath(path, '..'))
  }
  return followKustomizations({ near: [...folders] }, (folder) => {
    const file = KUSTOMIZATION_FILES.map((name) => joinPath(folder, name)).find((path) => texts.has(path))
    return file === undefined ? undefined : interpretKustomization(texts.get(file)?.text, { folder, file }, joinPath)
  }).roots
}

/** How that of a folder is built: its files are read by the names of their sources. */
const buildsOf = (folder: string, texts: ReadonlyMap<string, TextSource>): KustomizationBuild => ({
  folder: folder || '.',
  createBuilder: (read) => createBuilder((path) => read(texts.get(path)?.file ?? path)),
})
