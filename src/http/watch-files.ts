/** Files that may change while a server runs. */
import { readFileSync, unwatchFile, watchFile } from 'node:fs'

export type WatchedFiles = {
  readonly paths: readonly string[]
  /** Milliseconds between two looks. */
  readonly every?: number
  /** Hears the texts, in the order of the paths, whenever one of them is another than before. */
  onChange(texts: readonly string[]): void
  /** Hears that they cannot be read; they are looked at again when they change once more. */
  onProblem(error: unknown): void
}

/**
 * Looks at files again and again. Kubernetes swaps a mounted folder by a symbolic link, which notifications of the
 * file system miss: only looking at what the path leads to sees it. Answers what ends the watch.
 */
export function watchFiles(
  { paths, every = 1000, onChange, onProblem }: WatchedFiles,
  known: readonly string[],
): () => void {
  let latest = known
  const look = () => {
    try {
      const texts = paths.map((path) => readFileSync(path, 'utf8'))
      if (texts.every((text, index) => text === latest[index])) return
      latest = texts
      onChange(texts)
    } catch (error) {
      onProblem(error)
    }
  }
  for (const path of paths) watchFile(path, { interval: every, persistent: false }, look)
  return () => {
    for (const path of paths) unwatchFile(path, look)
  }
}
