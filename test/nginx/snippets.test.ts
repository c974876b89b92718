/** What a snippet defines: the reader of snippets and real programs agree. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readSnippet } from '../../src/nginx/snippets.ts'
import { casesOf } from '../support/cases.ts'
import { countOf, printCount, SEED } from './counts.ts'
import type { NginxProgram } from './real-nginx.ts'
import { benchFor, describeNginx } from './with-nginx.ts'

const { cases, each } = casesOf(import.meta.url)

const SNIPPETS = countOf('SLUICE_SNIPPETS', 20)

const NAMES = ['tenant', 'Plan', 'x1', '_y', 'sub_9', 'Tier', 'area'] as const
const name = fc.constantFrom(...NAMES)
const quoted = (word: string) => fc.constantFrom(word, `"${word}"`, `'${word}'`)
const variable = name.chain((one) => quoted(`$${one}`))

/** Words that look like the end or the start of something. */
const text = fc.constantFrom(...cases<string[]>('text'))
const blank = fc.constantFrom(' ', '  ', '\n', '\t', ' # set $tenant 1; map a $Plan { }\n', '\r\n  ')
const words = (...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(blank, { minLength: parts.length, maxLength: parts.length }), ...parts)
    .map(([blanks, ...all]) => all.map((part, index) => (index === 0 ? part : (blanks[index] ?? ' ') + part)).join(''))
const just = (word: string) => fc.constant(word)

const pattern = name.chain((one) =>
  fc.constantFrom(`^/(?<${one}>a)`, `^/(?P<${one}>[^;]+)`, `^/(?'${one}'a)`, `^/\\(?<${one}>`, '^/(a)', '^/(?:a)'),
)
const quotedPattern = pattern.map((one) => `"${one}"`)
const mapEntry = fc.oneof(
  text.map((key) => `${key} 1;`),
  quotedPattern.map((one) => one.replace('"', '"~')).map((key) => `${key} 2;`),
  name.map((one) => `# ${one} { $${one} }\n`),
)
const entries = fc.uniqueArray(mapEntry, { maxLength: 3, selector: (one) => one }).map((all) => all.join('\n'))

const mapOf = fc
  .tuple(words(just('map'), text, variable), entries)
  .map(([head, all]) => `${head} { ${all} default 0; }`)
const geoOf = fc
  .tuple(fc.constantFrom('', '$remote_addr '), variable)
  .map(([source, one]) => `geo ${source}${one} { default "a;b"; 127.0.0.0/8 '}'; }`)
const splitOf = words(just('split_clients'), text, variable).map((head) => `${head} { 50% "{"; * b; }`)
const setOf = words(just('set'), variable, text).map((one) => `${one};`)
const braced = name.map((one) => `set \${${one}} 1;`)
const commented = name.map((one) => `# set $${one} 1;\n`)
const header = words(just('add_header'), just('X-A'), text).map((one) => `${one};`)
const rewriteOf = quotedPattern.map((one) => `rewrite ${one} /b;`)
const ifOf = fc
  .tuple(fc.constantFrom('~', '~*', '!~'), quotedPattern, setOf)
  .map(([operator, one, inner]) => `if ($uri ${operator} ${one}) { ${inner} }`)
const subrequest = variable.map((one) => `auth_request_set ${one} $upstream_status;`)
const hostOf = name.map((one) => `server_name "~^(?<${one}>a;{1,2})\\.example$";`)

/** A location has a pattern of its own, so that no two are the same. */
const locationOf = fc
  .tuple(
    fc.constantFrom('~ ', '~* ', '~'),
    pattern,
    fc.nat(99_999),
    fc.array(fc.oneof(setOf, header), { maxLength: 2 }),
  )
  .map(([operator, one, number, inner]) => `location ${operator}"${one}${number}" { ${inner.join(' ')} }`)
  .map((one) => one.replace('location ~"', 'location ~ "'))

type Snippet = { readonly http: readonly string[]; readonly server: readonly string[] }

function snippetsFor({ built }: NginxProgram): fc.Arbitrary<Snippet> {
  const http = fc.oneof(mapOf, mapOf, geoOf, splitOf, commented, header)
  const further = /set-misc/.test(built) ? [variable.map((one) => `set_md5 ${one} a;`)] : []
  const server = fc.oneof(setOf, braced, commented, header, rewriteOf, ifOf, locationOf, subrequest, hostOf, ...further)
  return fc.record({ http: fc.array(http, { minLength: 1, maxLength: 3 }), server: fc.array(server, { maxLength: 4 }) })
}

const configurationWith = ({ http, server }: Snippet, keys: readonly string[]): string => {
  const zones = keys.map((key, index) => `limit_req_zone $${key} zone=z${index}:32k rate=1r/s;`)
  return [...http, ...zones, 'server { listen 127.0.0.1:65535;', ...server, '}'].join('\n')
}

describeNginx('the variables of a snippet', (program) => {
  const bench = benchFor(program)

  test(`${SNIPPETS} snippets: nginx knows exactly the variables that are read in them`, () => {
    const all = fc.sample(snippetsFor(program), { numRuns: SNIPPETS, seed: SEED })
    const isValid = bench.checkAll(all.map((snippet) => configurationWith(snippet, []))).map(({ accepted }) => accepted)
    const asked = all
      .filter((_, index) => isValid[index])
      .map((snippet) => {
        const { variables, isOpen } = readSnippet([...snippet.http, ...snippet.server].join('\n'))
        expect(isOpen).toBe(false)
        const others = NAMES.map((other) => other.toLowerCase()).filter((other) => !variables.includes(other))
        return { snippet, variables, others }
      })
    const counts = {
      defined: asked.reduce((sum, { variables }) => sum + variables.length, 0),
      undefined: asked.reduce((sum, { others }) => sum + others.length, 0),
      invalid: all.length - asked.length,
    }
    const together = asked.map(({ snippet, variables }) => configurationWith(snippet, variables))
    expect(bench.checkAll(together).flatMap(({ accepted, output }) => (accepted ? [] : [output]))).toEqual([])
    const apart = asked.flatMap(({ snippet, others }) => others.map((one) => configurationWith(snippet, [one])))
    const verdicts = bench.checkAll(apart)
    expect(apart.filter((_, index) => verdicts[index]?.accepted)).toEqual([])
    printCount(
      'SLUICE_SNIPPETS',
      `nginx ${program.version}: ${counts.defined} variables defined, ${counts.undefined} not, ${counts.invalid} snippets invalid`,
    )
    expect(counts.invalid).toBeLessThan(SNIPPETS / 2)
    for (const count of [counts.defined, counts.undefined]) expect(count).toBeGreaterThan(SNIPPETS / 2)
  }, 600_000)
})

describe('what a snippet adds', () => {
  const variablesIn = (snippet: string) => readSnippet(snippet).variables

  each<[string, readonly string[]]>(
    '%s',
    (snippet, variables) => expect(variablesIn(snippet)).toEqual(variables),
    'what a snippet adds',
  )

  each<[string, boolean]>('%s may define more: %s', (snippet, isOpen) =>
    expect(readSnippet(snippet).isOpen).toBe(isOpen),
  )

  test('a module is named without its folder', () => {
    const text = 'load_module "/usr/lib/nginx/modules/ngx_http_geoip_module.so"; include a; load_module b;'
    expect(readSnippet(text).modules).toEqual(['ngx_http_geoip_module', 'b'])
  })
})
