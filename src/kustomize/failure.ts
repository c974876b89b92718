/** Why something cannot be built. */
import type { Resource } from './resource.ts'
import type { Place } from './traced.ts'

/** What kustomize refuses: each has its remedy in `rules/document/kustomization.ts`. */
export type RefusalCause =
  | 'syntax'
  | 'field'
  | 'value'
  | 'kind'
  | 'empty'
  | 'several-files'
  | 'missing'
  | 'outside'
  | 'cycle'
  | 'component'
  | 'object'
  | 'twice'
  | 'generator'
  | 'patch'
  | 'patch-target'
  | 'operation'
  | 'selector'
  | 'replacement'
  | 'replicas'
  | 'variable'
  | 'transformer'
  | 'deployment'
  | 'substitution'

/** Why it is not known what kustomize makes of something: a step of it that is not followed, or what is out of reach. */
export type GapCode = 'remote-base' | 'plugin' | 'helm' | 'kustomization'

/** What kustomize certainly refuses, and where. */
export type Refusal = { readonly cause: RefusalCause; readonly at: Place }

/** A build that fails in kustomize, or of which kustomize would make what is not known here. One line says why. */
export class BuildFailure extends Error {
  /** The path of the file that it is about. */
  readonly file: string
  /** Undefined where kustomize may well build it. */
  readonly refusal: Refusal | undefined
  /** The objects before the step that fails, where that step is one of several. */
  readonly before: readonly Resource[] | undefined
  readonly code: GapCode

  constructor(
    file: string,
    reason: string,
    more: { refusal?: Refusal; before?: readonly Resource[] | undefined; code?: GapCode } = {},
  ) {
    super(reason)
    this.name = 'BuildFailure'
    this.file = file
    this.refusal = more.refusal
    this.before = more.before
    this.code = more.code ?? 'kustomization'
  }
}

/** A build that kustomize refuses because of what is written at a place. */
export const refused = (cause: RefusalCause, at: Place, reason: string): BuildFailure =>
  new BuildFailure((at.part.inline ?? at).part.source.file, reason, { refusal: { cause, at } })

/** Runs a step on values of which not all is known: what it refuses is then not certain. */
export function withoutCertainty<Result>(step: () => Result): Result {
  try {
    return step()
  } catch (error) {
    if (error instanceof BuildFailure && error.refusal)
      throw new BuildFailure(error.file, error.message, { code: error.code })
    throw error
  }
}

/** Runs one of several steps. What there was before it goes with its failure. */
export function attempt(step: () => void, before: () => readonly Resource[]): void {
  try {
    step()
  } catch (error) {
    if (!(error instanceof BuildFailure) || !error.refusal || error.before) throw error
    throw new BuildFailure(error.file, error.message, { refusal: error.refusal, before: before() })
  }
}

/** What is not built, and why; `file` is the path of the file that it is about. */
export type BuildNote = {
  readonly file: string
  readonly reason: string
  readonly code: GapCode
  /** For what kustomize certainly refuses: where, and what. */
  readonly refusal?: Refusal
}

/** What is noted of a failure. */
export const noteOf = ({ file, message: reason, refusal, code }: BuildFailure): BuildNote => ({
  file,
  reason,
  code,
  ...(refusal ? { refusal } : {}),
})

/** What is not among the files. */
export const outOfReach = ({ file }: { readonly file: string }, what: string): BuildFailure =>
  new BuildFailure(file, `${what} is not followed`, { code: 'remote-base' })

const PLUGINS: readonly string[] = ['generators', 'transformers', 'validators']

/** What is named by a member of a kustomization that is not followed. */
export const notFollowed = ({ file }: { readonly file: string }, name: string): BuildFailure =>
  new BuildFailure(file, `"${name}" is not followed`, {
    code: name.startsWith('helm') ? 'helm' : PLUGINS.includes(name) ? 'plugin' : 'kustomization',
  })
