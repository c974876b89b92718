/** What the steps of a build share. */
import type { Kustomization } from './kustomization.ts'
import type { TextFile } from './traced.ts'

/** Reads files of a build. */
export type BuildContext = {
  /** The file at a path of a kustomization. Throws `BuildFailure` where there is none. */
  file(kustomization: Kustomization, path: string): TextFile
  /** True where there are objects that are not known, so that the target of a patch may be one of them. */
  readonly allowsMissing: boolean
}
