/** Why something cannot be built. */

/** A build that fails in kustomize, or of which kustomize would make what is not known here. One line says why. */
export class BuildFailure extends Error {
  /** The path of the file that it is about. */
  readonly file: string

  constructor(file: string, reason: string) {
    super(reason)
    this.name = 'BuildFailure'
    this.file = file
  }
}
