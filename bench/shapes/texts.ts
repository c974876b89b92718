/** Texts that make some linter slow: each is linted, or read as the part of a manifest that it is. */
import { splitByTemplate } from '../../src/files/discover/stdin.ts'
import { lint } from '../../src/lint/lint.ts'
import { readSnippet } from '../../src/nginx/snippets.ts'
import { gateway, gatewayApi, LIMIT, many, numbered, policy, route, target } from './objects.ts'
import type { Shape } from './shape.ts'

const text =
  (write: (size: number) => string): Shape =>
  (size) => {
    const written = write(size)
    return () => lint([{ file: 'a.yaml', text: written }], { closedWorld: true })
  }
const objects = (make: (size: number) => readonly object[]): Shape =>
  text((size) =>
    make(size)
      .map((object) => JSON.stringify(object))
      .join('\n---\n'),
  )
const repeated = (part: string, begin = '', end = ''): Shape => text((size) => `${begin}${part.repeat(size)}${end}`)
const snippet =
  (part: string, begin = ''): Shape =>
  (size) => {
    const written = begin + part.repeat(size)
    return () => readSnippet(written)
  }
const stream =
  (part: string, begin = '', end = ''): Shape =>
  (size) => {
    const written = begin + part.repeat(size) + end
    return () => splitByTemplate(written, 'stream')
  }

const OURS = 'kind: RateLimitPolicy\n'

export const TEXT_SHAPES: Readonly<Record<string, Shape>> = {
  'unknown fields': objects((size) => [policy({ more: numbered(size, 1) })]),
  'unknown fields of a limit': objects((size) => [policy({ limits: [{ ...LIMIT, ...numbered(size, 1) }] })]),
  'wrong limits': objects((size) => [
    policy({ limits: many(size, () => ({ key: 5, rate: 'x', zoneSize: 'y', z: 1 })) }),
  ]),
  limits: objects((size) => [
    policy({ limits: many(size, (index) => ({ ...LIMIT, rate: `${(index % 1000) + 1}r/s` })) }),
  ]),
  targets: objects((size) => [policy({ targets: many(size, (index) => target(`r${index}`)) })]),
  'targets that are one': objects((size) => [policy({ targets: many(size, () => target('r')) })]),
  'wrong targets': objects((size) => [
    policy({ targets: many(size, () => ({ group: 'x', kind: 'y', namespace: 'z' })) }),
  ]),
  annotations: objects((size) => [policy({ metadata: { annotations: numbered(size, 'x') } })]),
  'wrong labels': objects((size) => [policy({ metadata: { labels: numbered(size, 'x y') } })]),
  'policies on one route': objects((size) =>
    many(size, (index) => policy({ name: `p${index}`, settings: { rejectCode: 400 + (index % 99) } })),
  ),
  'policies in a chain of targets': objects((size) =>
    many(size, (index) =>
      policy({
        name: `p${index}`,
        settings: { rejectCode: 400 + (index % 99) },
        targets: [target(`r${index}`), target(`r${index + 1}`)],
      }),
    ),
  ),
  'one definition again and again': objects((size) => many(size, () => policy())),
  'JSON objects one after another': repeated(JSON.stringify(policy())),
  'findings in one line with a character of two units': objects((size) => [
    { kind: 'List', apiVersion: 'v1', items: many(size, (index) => policy({ name: `🦜${index}` })) },
  ]),
  'hostnames and listeners': objects((size) => [
    gateway(
      many(size, (index) => ({ name: `l${index}`, port: 80, protocol: 'HTTP', hostname: `*.h${index}.example.com` })),
    ),
    route(
      [{ name: 'gw' }],
      many(size, (index) => `a.h${index}.example.com`),
    ),
    policy(),
  ]),
  'sections of a Gateway': objects((size) => [
    gateway(many(size, (index) => ({ name: `l${index}`, port: 80, protocol: 'HTTP', hostname: `h${index}.example` }))),
    route(
      many(size, (index) => ({ name: 'gw', sectionName: `l${index}` })),
      [],
    ),
    policy(),
  ]),
  'Gateways of a route': objects((size) => [
    ...many(size, (index) =>
      gatewayApi('Gateway', `gw${index}`, {
        gatewayClassName: 'nginx',
        listeners: [{ name: 'l', port: 80, protocol: 'HTTP' }],
      }),
    ),
    route(
      many(size, (index) => ({ name: `gw${index}` })),
      [],
    ),
    policy(),
  ]),
  'rules of a route': objects((size) => [
    gateway([{ name: 'l', port: 80, protocol: 'HTTP' }]),
    route(
      [{ name: 'gw' }],
      ['a.example.com'],
      many(size, (index) => ({ matches: [{ path: { type: 'PathPrefix', value: `/p${index}` } }] })),
    ),
    policy(),
  ]),
  'parents of a route': objects((size) => [
    route(
      many(size, (index) => ({ name: `gw${index}` })),
      [],
    ),
    policy(),
  ]),
  'kinds with anchors': repeated('kind: &kind: '),
  'kinds with tags': repeated('kind: !!x '),
  'kinds in blocks': repeated('kind: >-\n'),
  'kinds in quotes': repeated('kind: "\\x52'),
  'blank lines before what cannot be read': repeated('  \n', '', `${OURS}  a: [`),
  'versions before what cannot be read': repeated('apiVersion: a\n', '', `${OURS}  a: [`),
  'JSON that does not end': repeated('{"kind":"RateLimitPolicy","a":'),
  'JSON before blanks': repeated(' \n', JSON.stringify(policy()), 'x'),
  'JSON before braces': repeated('}', JSON.stringify(policy())),
  'a line of blanks': repeated(' ', 'kind: RateLimitPolicy', '\napiVersion: gateway.nginx.org/v1alpha1\n'),
  'comments that disable rules': repeated('# sluice-disable-next-line gateway/rate-syntax\n', '', OURS),
  'a comment that disables a rule again and again': repeated('gateway/rate-syntax,', '# sluice-disable ', `\n${OURS}`),
  'a comment with blanks': repeated(' ', '# sluice-disable', `x\n${OURS}`),
  separators: repeated('---\n', '', OURS),
  'ends of documents': repeated('...\n', '', OURS),
  'versions of YAML': repeated('%YAML 1.1\n', '', `---\n${OURS}`),
  'merge markers': repeated('<<<<<<< a\n=======\n>>>>>>> b\n', OURS),
  'no-break spaces': repeated('\u00a0a: 1\n', OURS),
  tabs: repeated('\ta: 1\n', OURS),
  'keys that are one': repeated('a: 1\n', OURS),
  'braces of templates': repeated('{{', OURS),
  'marks of templates': repeated(' #@', OURS),
  placeholders: repeated('${A:__a_<path:$(A', `${OURS}a: `),
  'quotes that do not end': text((size) => OURS + many(size, (index) => `a${index}: "x`).join('\n')),
  'brackets that do not end': text((size) => OURS + many(size, (index) => `a${index}: [x`).join('\n')),
  'colons that are missing': text((size) => OURS + many(size, (index) => `a${index} x`).join('\n')),
  anchors: text((size) => OURS + many(size, (index) => `a${index}: &b${index} x`).join('\n')),
  'maps of a snippet': snippet('map $a '),
  'blocks of a snippet': snippet('map $a $b { '),
  'blanks of a snippet': snippet(' ', 'geo'),
  'quotes of a snippet': snippet('set $a "'),
  'groups of a snippet': snippet('map $a $b { "~(?<c'),
  'headings of templates': stream('---\n# Source: a/b.yaml\n'),
  'a heading with blanks': stream(' ', '---\n# Source:', 'x'),
}
