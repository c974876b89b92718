/** Texts that are read otherwise than they look. */
import { casesOf } from '../support/cases.ts'

const { cases } = casesOf(import.meta.url)

/** Documents of a RateLimitPolicy whose kind only a parser can read. */
export const HIDDEN_KINDS: readonly string[] = cases<readonly string[]>('HIDDEN_KINDS').map(
  (kind) => `apiVersion: gateway.nginx.org/v1alpha1\n${kind}\nmetadata: {name: a}\nspec: 1\n`,
)

/** What kubectl reads and we refuse: the value that it reads is not the one that is written, or not worth the work. */
export const REFUSED: readonly string[] = cases('REFUSED')

/** The first lines of policies whose kind or group is damaged, and how many findings each has. */
export const DAMAGED: readonly (readonly [head: string, findings: number])[] = cases('DAMAGED')

/** Texts in which nothing is ours. */
export const NOT_OURS: readonly string[] = cases('NOT_OURS')
