/** What a snippet defines: the reader of snippets and real programs agree. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readSnippet } from '../../src/nginx/snippets.ts'
import { countOf, printCount, SEED } from './counts.ts'
import type { NginxProgram } from './real-nginx.ts'
import { benchFor, describeNginx } from './with-nginx.ts'

const SNIPPETS = countOf('SLUICE_SNIPPETS', 20)

const NAMES = ['tenant', 'Plan', 'x1', '_y', 'sub_9', 'Tier', 'area'] as const
const name = fc.constantFrom(...NAMES)
const quoted = (word: string) => fc.constantFrom(word, `"${word}"`, `'${word}'`)
const variable = name.chain((one) => quoted(`$${one}`))

/** Words that look like the end or the start of something. */
const text = fc.constantFrom(
  `'{$host}'`,
  `"a;b{c}#d"`,
  `'a" ; set x y; '`,
  `"it's \\" {"`,
  'a#b',
  '${host}x',
  '$host',
  '\\{',
  'a}b',
  '"${remote_addr}AAA"',
  "'#'",
)
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
  return fc.record({
    http: fc.array(http, { minLength: 1, maxLength: 3 }),
    server: fc.array(server, { maxLength: 4 }),
  })
}

const configurationWith = ({ http, server }: Snippet, keys: readonly string[]): string => {
  const zones = keys.map((key, index) => `limit_req_zone $${key} zone=z${index}:32k rate=1r/s;`)
  return [...http, ...zones, 'server { listen 127.0.0.1:65535;', ...server, '}'].join('\n')
}

describeNginx('the variables of a snippet', (program) => {
  const bench = benchFor(program)

  test(`${SNIPPETS} snippets: nginx knows exactly the variables that are read in them`, () => {
    const counts = { defined: 0, undefined: 0, invalid: 0 }
    const property = fc.property(snippetsFor(program), (snippet) => {
      if (!bench.check(configurationWith(snippet, [])).accepted) {
        counts.invalid += 1
        return
      }
      const { variables, isOpen } = readSnippet([...snippet.http, ...snippet.server].join('\n'))
      expect(isOpen).toBe(false)
      const together = bench.check(configurationWith(snippet, variables))
      expect([variables, together.accepted, together.output]).toEqual([variables, true, together.output])
      counts.defined += variables.length
      for (const one of NAMES.map((other) => other.toLowerCase()).filter((other) => !variables.includes(other))) {
        counts.undefined += 1
        expect([one, bench.check(configurationWith(snippet, [one])).accepted]).toEqual([one, false])
      }
    })
    fc.assert(property, { numRuns: SNIPPETS, seed: SEED })
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

  test.each([
    ['geoip2 /a.mmdb { $country default=US source=$remote_addr country iso_code; auto_reload 5m; }', ['country']],
    ['geoip2 "/a;b.mmdb" {\n$data_city source=$http_x city names en; # $no x;\n}', ['data_city']],
    ['js_set $tenant main.tenant; js_var $Seen 0;', ['tenant', 'seen']],
    ['keyval $remote_addr $blocked zone=one;', ['blocked']],
    ['perl_set $agent "sub { my $r = shift; }";', ['agent']],
    ['set_real_ip_from 10.0.0.0/8;', []],
    ['otel_span_attr $name value;', []],
    ['stream { map $remote_addr $port { default 1; } }', []],
    ['map $a $b', []],
    ['set $a "open', []],
    ['} set $a 1;', []],
    ['set $a 1; } set $b 1;', ['a']],
    ['; set $a 1;', []],
    ['set $a 1; { set $b 1; }', ['a']],
    ['', []],
    ['set $a "1" ;set\t$b\r\n1;', ['a', 'b']],
    ['set $a "1"x; set $b 1;', []],
    ['if ("$x") { set $a 1; } set $b "}" ;', ['a', 'b']],
    ["set $a 'it\\'s; '; set $b 1;", ['a', 'b']],
    ['set $a "\\";set $x 1;"; set $b 1;', ['a', 'b']],
    ['set $a a\\;b; set $b 1;', ['a', 'b']],
    ['set $a x#y; # set $x 1;\nset $b 1; # set $y 1;', ['a', 'b']],
    ['set $a ${x}{ set $b 1; }', ['a', 'b']],
    ['set "$A" 1; set \'$b\' 1; set $c-d 1; set ${e} 1; set f 1;', ['a', 'b']],
    ['map $x "$\\"y" {}', []],
    ['map $x $a { "~^(?<b>x)" 1; ~(?P<C>x) 1; "~(?\'d\'x)" 1; (?<e>x) 1; "~\\(?<f>x)" 1; }', ['a', 'b', 'c', 'd']],
    ['geo $a { $b 1; } geo $remote_addr $c { }', ['a', 'c']],
    ['types { $a b; } map $x $c { $d 1; }', ['c']],
    ['rewrite ^/(?<a>x) /(?<b>y);', ['a']],
    ['location ~(?<a>x) { } location "~*(?<b>y)" { } location /(?<c>z) { }', ['a', 'b']],
    ['location ~ (?<a>x) { } location ~* (?<b>y) { } location = (?<c>z) { } location ^~ (?<d>z) { }', ['a', 'b']],
    ['if ($x ~ (?<a>x)) { } if ($x !~* (?<b>x)) { } if ($x = (?<c>x)) { }', ['a', 'b']],
    ['server_name ~^(?<a>x)$ (?<b>x); valid_referers ~(?<c>x); server_names ~(?<d>x);', ['a', 'c']],
    ['proxy_redirect ~(?<a>x) /; proxy_cookie_path ~(?<b>x) /; proxy_cookie_domain ~(?<c>x) y;', ['a', 'b', 'c']],
    ['set_md5 $a x; set_ $b x; set_by_lua_block $c { return 1 } mail { set $d 1; }', ['a']],
    ['split_clients $x $a { 50% $b; } num_map $x $c { 1 $d; } js_set $e', ['a', 'c']],
    ['set $a 1; set $a 2; set $A 3;', ['a']],
  ])('%s', (snippet, variables) => expect(variablesIn(snippet)).toEqual(variables))

  test.each([
    ['include /etc/nginx/tenants.conf;', true],
    ['location /a { include "more.conf"; }', true],
    ['include mime.types; location /php { include fastcgi_params; }', false],
    ['map $host $tenant { include hosts.map; }', false],
    ['# include a.conf;\nadd_header X "include b.conf;";', false],
    ['access_by_lua_block { ngx.var.x = 1 }', true],
    ['types { include x; }', false],
    ['include /etc/nginx/mime.types; include scgi_params; include a/fastcgi.conf;', false],
    ['include mime.types.old;', true],
    ['include xmime.types;', true],
    ['set_by_lua $a "return 1"; # x', true],
    ['content_by_lua_file a.lua;', true],
    ['by_luax 1;', false],
    ['mail { include a.conf; }', false],
    ['load_module modules/ngx_http_geoip_module.so;', false],
    ['load_module x/ngx_http_geoip_module.so.so;', true],
    ['load_module modules/ngx_http_mine_module.so;', true],
  ])('%s may define more: %s', (snippet, isOpen) => expect(readSnippet(snippet).isOpen).toBe(isOpen))

  test('a module is named without its folder', () => {
    const text = 'load_module "/usr/lib/nginx/modules/ngx_http_geoip_module.so"; include a; load_module b;'
    expect(readSnippet(text).modules).toEqual(['ngx_http_geoip_module', 'b'])
  })
})
