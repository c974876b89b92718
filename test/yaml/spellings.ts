import { casesOf } from '../support/cases.ts'

const { cases } = casesOf(import.meta.url)
/** Texts that are read otherwise than they look. */

/** Documents of a RateLimitPolicy whose kind only a parser can read. */
export const HIDDEN_KINDS: readonly string[] = [
  'kind: "RateLimit\\x50olicy"',
  'kind: "\\u0052ateLimitPolicy"',
  'kind: "RateLimit\\\n  Policy"',
  '"k\\x69nd": RateLimitPolicy',
  '"\\u006b\\u0069nd": RateLimitPolicy',
  'kind: # c\n  RateLimitPolicy',
  'kind:\n\n# c\n\n  RateLimitPolicy',
  'kind:\u0085 RateLimitPolicy',
  'kind:\u2028 RateLimitPolicy',
  '# c\u2028kind: RateLimitPolicy',
  '? kind\n: RateLimitPolicy',
  '? "kind"\n# c\n: RateLimitPolicy',
  '# c\u2028? kind\n: RateLimitPolicy',
  '? >-\n  kind\n: RateLimitPolicy',
  'x: &k RateLimitPolicy\nkind: *k',
  '&k kind: &v RateLimitPolicy',
  'x: &k kind\n*k : RateLimitPolicy',
  '!!str kind: !!str RateLimitPolicy',
  '!!binary a2luZA==: RateLimitPolicy',
  '!<tag:yaml.org,2002:binary> a2luZA==: RateLimitPolicy',
  'kind: !!binary UmF0ZUxpbWl0UG9saWN5',
  'kind: >-\n  RateLimitPolicy',
  '<<: {kind: RateLimitPolicy}',
  'kind: Service\n<<: [{kind: RateLimitPolicy}]',
].map((kind) => `apiVersion: gateway.nginx.org/v1alpha1\n${kind}\nmetadata: {name: a}\nspec: 1\n`)

/** What kubectl reads and we refuse: the value that it reads is not the one that is written, or not worth the work. */
export const REFUSED: readonly string[] = cases('REFUSED')

/** The first lines of policies whose kind or group is damaged, and how many findings each has. */
export const DAMAGED: readonly (readonly [head: string, findings: number])[] = cases('DAMAGED')

/** Texts in which nothing is ours. */
export const NOT_OURS: readonly string[] = cases('NOT_OURS')
