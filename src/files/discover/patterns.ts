/** What globs are to those who use them. */

/** Whether an absolute path is meant. */
export type PathTest = (path: string) => boolean

/** Means no path. */
export const NOTHING: PathTest = () => false

/** A glob of the command line: the folder to walk and what to take from it. */
export type Glob = { readonly folder: string; readonly matches: PathTest }

export type Globs = {
  /** A test for globs that are relative to a folder. A glob that matches a folder means everything in it. */
  matchPaths(globs: readonly string[], folder: string): PathTest
  /** Reads an argument that names no path as a glob; undefined where it is none either. */
  readGlob(argument: string, cwd: string): Glob | undefined
}

/** For runs without any glob. */
export const NO_GLOBS: Globs = { matchPaths: () => NOTHING, readGlob: () => undefined }
