/** What the lint gets: texts, with what their surroundings say of them. */

import type { RuleSetting } from '../settings/settings.ts'
import type { TextProblem } from '../yaml/parse/problem.ts'

/** A text to judge. */
export type Source = {
  /** How the report names it: a path relative to the working directory, with forward slashes. */
  readonly file: string
  readonly text: string
  /** Why it is no text of manifests (its encoding, its size); it is then shown, not read. */
  readonly problem?: TextProblem
  /** What the surroundings say of the namespaces of its objects. */
  readonly namespace?: NamespaceHint
  /** Texts of one world see each other's objects. Default: all in one. */
  readonly world?: string
  /** True where names are changed before they reach the cluster (a kustomization's namePrefix): no look-up by them. */
  readonly renamed?: boolean
  /** True where others look up in it, and nobody asked what is wrong with it. */
  readonly unjudged?: boolean
  /** Severities that hold for this text alone. */
  readonly rules?: Readonly<Record<string, RuleSetting>>
}

export type NamespaceHint = {
  /** Holds whatever the manifest says (a kustomization's `namespace`). */
  readonly override?: string
  /** Holds where the manifest says nothing (`--namespace`). */
  readonly fallback?: string
}
