/** What the steps of a build share. */
import type { Kustomization } from './kustomization.ts'
import type { Place, TextFile } from './traced.ts'

/** Reads files of a build. */
export type BuildContext = {
  /** The file at a path that is written at a place of a kustomization. Throws `BuildFailure` where there is none. */
  file(kustomization: Kustomization, path: string, at: Place): TextFile
  /** The text of a file of data; undefined where it is not known. Throws `BuildFailure` where there is certainly none. */
  data(kustomization: Kustomization, path: string, at: Place): string | undefined
  /** The text of an inline patch, which is written at a place of a kustomization: the same object each time. */
  inline(kustomization: Kustomization, at: Place, text: string): TextFile
  /** True where there are objects that are not known, so that the target of a patch may be one of them. */
  readonly allowsMissing: boolean
}
