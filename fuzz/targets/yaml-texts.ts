/** Random texts that a reader of manifests may get: nearly YAML, nearly JSON, and what is neither. */
import type { Random } from '../../bench/random.ts'

const POLICY =
  'apiVersion: gateway.nginx.org/v1alpha1\nkind: RateLimitPolicy\nmetadata:\n  name: a\nspec:\n  rateLimit:\n'

/** Texts that are changed at random places. */
const SEEDS: readonly string[] = [
  `${POLICY}    rejectCode: 429 # c\n    local:\n      rules:\n      - rate: 10r/s\n        key: $binary_remote_addr\n`,
  `---\n${POLICY}    rejectCode: 429\n---\n# c\n${POLICY}    dryRun: yes\n`,
  '{"apiVersion":"gateway.nginx.org/v1alpha1","kind":"RateLimitPolicy","metadata":{"name":"a"},"spec":{"n":[1,-0.5e3,null]}}',
  '{"kind":"RateLimitPolicy","a":"\\u00e9\\n"}\n{"kind":"List","items":[{"kind":"RateLimitPolicy"}]}\n',
  'a: |\n  one\n    two\n\n  three\nb: >-\n  x\n  y\nc: "d\n  e \\\n  f"\ng: \'h\n\n  i\'\n',
  'a: &x {b: 1, c: [d, "e", \'f\']}\ng: *x\nh:\n  <<: *x\n  b: 2\n',
  '? a\n: - b\n  - c: 1\n    d: 2\n? |\n  e\n: f\n',
  '%YAML 1.1\n---\na: !!str 1\nb: !t [x, !!int "3"]\n...\n',
  '- a\n- - b\n  - c\n-\n  d: e\n- {f: g, h}\n- [i: j, k]\n',
  '\ufeffa: b\r\nc:\r\n- d\r\ne: |\r\n  f\r\n',
  'a:\n  b:\n    c: one\n      two\n\n      three # c\n  d: {\n    e: f,\n    g: [\n      h\n    ],\n  }\n',
]

/** What is put into a text, and what texts are made of. */
export const TOKENS: readonly string[] = [
  ...['\n', '\n', '\n  ', '\n    ', '\n- ', '\n\n', ' ', ' ', '  ', '\t', '\n\t', '\n \t\n', '\r', '\r\n'],
  ...['\u0085', '\u2028', '\u2029', '\ufeff', '\u00a0', '\u0000', '\u0007', '\u007f', '\u200b', 'é', '😀'],
  ...['- ', '-', ': ', ':', '? ', '?', ', ', ',', '[', ']', '{', '}', '[]', '{}', '{a: b}', '[a, b]'],
  ...[
    '&a ',
    '&a',
    '*a',
    '*a ',
    '&b.c ',
    '<<: *a',
    '<<',
    '!',
    '! ',
    '!!',
    '!!str ',
    '!!int ',
    '!!binary ',
    '!t ',
    '!e!t ',
    '!<x> ',
  ],
  ...[
    '|',
    '>',
    '|\n',
    '>\n  ',
    '|-\n  ',
    '|2\n  ',
    '|+',
    '"',
    "'",
    '"a"',
    "'a'",
    '\\',
    '\\n',
    '\\x50',
    '\\\n',
    '""',
    "''",
  ],
  ...['#', ' #', ' # c', '# c\n', '%', '%YAML 1.1', '%YAML 1.1\n---\n', '%TAG !e! x\n', '@', '`', '=', '~'],
  ...['---', '\n---\n', '\n--- ', '--- # c\n', '...', '\n...\n', '... '],
  ...['a', 'a', 'b', 'a: ', 'a: 1', 'b: ', '\nb: 2', '\n  c: ', 'x y', 'kind', '\nkind: RateLimitPolicy', '"kind": '],
  ...[
    '0',
    '1',
    '-1',
    '01',
    '0x1F',
    '1_0',
    '1e3',
    '.5',
    '.inf',
    '.nan',
    '12:30',
    '2001-01-01',
    'yes',
    'No',
    'y',
    'null',
    'true',
  ],
]

/** Ways to write the kind: a reader must find the policy in each that kubectl reads. */
const KINDS: readonly string[] = [
  'kind: "RateLimit\\x50olicy"',
  'kind: "RateLimit\\\n  Policy"',
  '"k\\x69nd": RateLimitPolicy',
  "'kind': 'RateLimitPolicy'",
  'kind: # c\n  RateLimitPolicy',
  'kind:\n\n\n  RateLimitPolicy',
  '? kind\n: RateLimitPolicy',
  '? "kind"\n# c\n: RateLimitPolicy',
  'x: &k RateLimitPolicy\nkind: *k',
  '&k kind: RateLimitPolicy',
  'x: &k kind\n*k : RateLimitPolicy',
  '!!str kind: !!str RateLimitPolicy',
  'kind: !!binary UmF0ZUxpbWl0UG9saWN5',
  '!!binary a2luZA==: RateLimitPolicy',
  'kind: >-\n  RateLimitPolicy',
  '? >-\n  kind\n: RateLimitPolicy',
  '<<: {kind: RateLimitPolicy}',
  'kind: !!str\n  RateLimitPolicy',
  '{kind: RateLimitPolicy}',
  '{"kind":RateLimitPolicy}',
  '{? kind : RateLimitPolicy}',
  'kind\t:\tRateLimitPolicy',
]

/** Half a character, which no file can contain. */
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

/** A random text. */
export const textOf = (random: Random): string => anyText(random).replace(LONE_SURROGATE, '')

function anyText(random: Random): string {
  switch (random.below(6)) {
    case 0:
      return random.below(4) === 0
        ? tokens(random, 1 + random.below(12))
        : `a:\n  ${tokens(random, 1 + random.below(12))}`
    case 1:
      return `a: ${tokens(random, 1 + random.below(5))}${random.pick(['', '\nb: 1'])}`
    case 2:
      return lines(random)
    case 3:
      return mutated(random, `apiVersion: gateway.nginx.org/v1alpha1\n${random.pick(KINDS)}\nspec: 1\n`)
    default:
      return mutated(random, random.pick(SEEDS))
  }
}

const tokens = (random: Random, count: number): string =>
  Array.from({ length: count }, () => random.pick(TOKENS)).join('')

/** Puts tokens into a text at random places, moves parts of it, or cuts them out. */
function mutated(random: Random, text: string): string {
  let changed = text
  for (let changes = random.below(4); changes > 0; changes--) {
    const at = random.below(changed.length + 1)
    const cut = random.below(3) === 0 ? random.below(8) : 0
    const from = random.below(changed.length + 1)
    const put = random.below(8) === 0 ? changed.slice(from, from + random.below(40)) : random.pick(TOKENS)
    changed = changed.slice(0, at) + put + changed.slice(at + cut)
  }
  return changed
}

const INDENTS = ['', '', '  ', '    ', ' ', '\t', '      '] as const
const DASHES = ['', '', '', '- ', '- - ', '-\n', '? '] as const
const KEYS = ['a: ', 'b: ', 'c:', 'yes: ', '"d": ', "'e' : ", '[f]: ', '1: ', '', '&a g: ', '<<: ', 'a : '] as const
const BREAKS = ['\n', '\n', '\n', '\n\n', ' # c\n', '\r\n', '\n# c\n', '\n  \n', '\r', '\u2028', '\n---\n', ''] as const

/** Lines that are indented at random. */
const lines = (random: Random): string =>
  Array.from({ length: 1 + random.below(8) }, () =>
    [
      random.pick(INDENTS),
      random.pick(DASHES),
      random.pick(KEYS),
      tokens(random, random.below(3)),
      random.pick(BREAKS),
    ].join(''),
  ).join('')
