/** What is made of a manifest beside a lint: reports, fixes, suppressions, baselines, settings, simulations. */
import { RULES } from '../../rules/index.ts'
import { fix, formatLint, formatSimulation, lint, render, type SimulateOptions, simulate } from '../../src/index.ts'
import { IGNORE_ANNOTATION } from '../../src/kubernetes/api-groups.ts'
import { applyBaseline, knownFrom, readBaseline, writeBaseline } from '../../src/lint/baseline/baseline.ts'
import { readSettings } from '../../src/settings/file.ts'
import { gateway, gatewayApi, LIMIT, many, policy, route, sixDigits, target } from './objects.ts'
import type { Shape } from './shape.ts'

const WRONG = [{ ...LIMIT, rate: '10R/S' }]

/** Policies that can be fixed, as one List. */
const list = (size: number) => ({
  ...{ apiVersion: 'v1', kind: 'List' },
  items: many(size, (index) => policy({ name: `p${index}`, limits: WRONG })),
})
const inBlockStyle = (size: number) =>
  `apiVersion: v1\nkind: List\nitems:\n${many(
    size,
    (index) => `- apiVersion: gateway.nginx.org/v1alpha1
  kind: RateLimitPolicy
  metadata: { name: p${index}, namespace: shop }
  spec:
    targetRefs:
    - { group: gateway.networking.k8s.io, kind: HTTPRoute, name: coffee }
    rateLimit:
      local:
        rules:
        - key: $binary_remote_addr
          rate: 10R/S
          zoneSize: 10M
`,
  ).join('')}`
const minified = (size: number) => JSON.stringify(list(size))
const limitsOfOne = (size: number) =>
  JSON.stringify(policy({ limits: many(size, (index) => ({ ...LIMIT, rate: `${index % 1000}R/S` })) }))
/** A mistake that can be fixed, in a line with a great many spaces. */
const amongSpaces = (size: number) =>
  JSON.stringify(policy({ limits: WRONG })).replace('"rate"', `${' '.repeat(size)}"rate"${' '.repeat(size)}`)
const amongSpacesOfYaml = (size: number) =>
  inBlockStyle(1).replace('rate: 10R/S', `rate: ${' '.repeat(size)}10R/S${' '.repeat(size)}# c`)

type Text = (size: number) => string
type Written = ReturnType<typeof formatLint>

const must = <Value>(result: { readonly ok: true; readonly value: Value } | { readonly ok: false }): Value => {
  if (!result.ok) throw new Error('it is refused')
  return result.value
}

const sarif =
  (textOf: Text): Shape =>
  (size) => {
    const sources = [{ file: 'a.yaml', text: textOf(size) }]
    return (): Written => formatLint(must(lint(sources, { fixes: true })), 'sarif', { sources })
  }
const fixed =
  (textOf: Text): Shape =>
  (size) => {
    const sources = [{ file: 'a.yaml', text: textOf(size) }]
    return () => fix(sources)
  }
const suppressing =
  (write: (policies: string, size: number) => string): Shape =>
  (size) => {
    const text = write(many(size, (index) => JSON.stringify(policy({ name: `p${index}` }))).join('\n---\n'), size)
    return () => must(lint([{ file: 'a.yaml', text }]))
  }

const baseline =
  (named: (index: number) => string): Shape =>
  (size) => {
    const first = must(lint([{ file: 'a.yaml', text: limitsOfOne(1) }])).findings[0]
    if (!first) throw new Error('nothing is found')
    const findings = many(size, (index) => ({ ...first, line: index, message: named(index) }))
    const summary = { files: 1, documents: 1, errors: size, warnings: 0, infos: 0, suppressed: 0 }
    const report = { version: 1 as const, findings, suppressed: [], notJudged: [], summary }
    const nameFile = (file: string) => file
    return () => {
      const text = writeBaseline(knownFrom(findings, [], nameFile))
      const read = readBaseline(text)
      return 'known' in read && applyBaseline(report, read.known, nameFile)
    }
  }

const IDS = RULES.map(({ id }) => id)
const settings =
  (write: Text): Shape =>
  (size) => {
    const text = write(size)
    return () => readSettings(text, IDS)
  }
const lines = (size: number, line: (index: number) => string): string => many(size, line).join('\n')

const TIME = '05/Jan/2026:12:00:59 +0000'
const combined = (host: string, path = '/a') =>
  `${host}:443 10.0.0.1 - bob [${TIME}] "GET ${path} HTTP/1.1" 200 12 "-" "curl/8.5.0"`
const WORLD = [
  { file: 'policy.json', text: JSON.stringify(policy()) },
  { file: 'route.json', text: JSON.stringify(route([], ['menu.example'])) },
]

type Log = { readonly log: string; readonly logFormat?: string; readonly host?: string }
const replayed =
  (logOf: (size: number) => Log, options: SimulateOptions = { route: 'HTTPRoute/shop/coffee' }): Shape =>
  (size) => {
    const traffic = logOf(size)
    return () => {
      const result = simulate(WORLD, traffic, options)
      return result.ok && formatSimulation(result.value, 'text')
    }
  }

/** A Gateway with routes, each with a path of one type and a policy. */
const rendered =
  (type: string): Shape =>
  (size) => {
    const routeTo = (index: number) =>
      gatewayApi('HTTPRoute', `r${index}`, {
        parentRefs: [{ name: 'gw' }],
        rules: [{ matches: [{ path: { type, value: `/p${index}/` } }], backendRefs: [{ name: 'web', port: 80 }] }],
      })
    const objects = [
      gateway([{ name: 'http', port: 80, protocol: 'HTTP' }]),
      ...many(size, routeTo),
      ...many(size, (index) => policy({ name: `p${index}`, targets: [target(`r${index}`)] })),
    ]
    const text = objects.map((object) => JSON.stringify(object)).join('\n---\n')
    return () => must(render([{ file: 'a.yaml', text }], { closedWorld: true }))
  }

export const SURFACE_SHAPES: Readonly<Record<string, Shape>> = {
  'SARIF of a List in block style': sarif(inBlockStyle),
  'SARIF of minified JSON': sarif(minified),
  'SARIF of the limits of a policy': sarif(limitsOfOne),
  'SARIF of a line of spaces': sarif(amongSpaces),
  'SARIF of a line of spaces in block style': sarif(amongSpacesOfYaml),
  'fixes of a List in block style': fixed(inBlockStyle),
  'fixes of minified JSON': fixed(minified),
  'fixes of the limits of a policy': fixed(limitsOfOne),
  'fixes of a line of spaces': fixed(amongSpaces),
  'fixes of a line of spaces in block style': fixed(amongSpacesOfYaml),
  'an annotation that ignores many rules': (size) => {
    const ignore = `${many(size, (index) => `gateway/r${sixDigits(index)}`).join(', ')} -- meant`
    const annotations = { [IGNORE_ANNOTATION]: ignore }
    const text = JSON.stringify(policy({ metadata: { annotations }, limits: many(size, () => LIMIT) }))
    return () => must(lint([{ file: 'a.yaml', text }]))
  },
  'comments that disable rules of the whole file': suppressing(
    (policies, size) =>
      `${lines(size, (index) => `# sluice-disable-file gateway/r${sixDigits(index)} -- x`)}\n${policies}`,
  ),
  'a comment that disables many rules of the whole file': suppressing(
    (policies, size) =>
      `# sluice-disable-file ${many(size, (index) => `gateway/r${sixDigits(index)}`).join(',')} -- x\n${policies}`,
  ),
  'a baseline of findings': baseline((index) => `message ${index}`),
  'a baseline of equal findings': baseline(() => 'message'),
  'worlds of the settings': settings(
    (size) => `worlds:\n${lines(size, (index) => `- { name: w${index}, paths: [p${index}/**] }`)}\n`,
  ),
  'worlds of one name': settings((size) => `worlds:\n${lines(size, () => '- { name: w, paths: [a] }')}\n`),
  'unknown keys of the settings': settings((size) => lines(size, (index) => `k${sixDigits(index)}: 1`)),
  'unknown rules of the settings': settings(
    (size) => `rules:\n${lines(size, (index) => `  gateway/r${sixDigits(index)}: off`)}`,
  ),
  'overrides of the settings': settings(
    (size) => `overrides:\n${lines(size, (index) => `- { files: ['*${index}*'], rules: { gateway/x: off } }`)}\n`,
  ),
  'rendered prefixes': rendered('PathPrefix'),
  'rendered exact paths': rendered('Exact'),
  'rendered expressions': rendered('RegularExpression'),
  'lines of a log': replayed((size) => ({ log: lines(size, () => combined('menu.example')) })),
  'lines of a log that cannot be read': replayed((size) => ({
    log: `${lines(64, () => combined('menu.example'))}\n${lines(size, () => 'x "y')}`,
  })),
  'hosts of a log': replayed((size) => ({ log: lines(size, (index) => combined(`h${index}.example`)) }), {}),
  'a host of dots': replayed((size) => ({ log: combined('a.'.repeat(size)) }), {}),
  'a host of dashes': replayed((size) => ({ log: combined('-'.repeat(size)) }), {}),
  'a host of colons': replayed((size) => ({ log: combined(':'.repeat(size)) }), {}),
  'a host of brackets': replayed((size) => ({ log: combined('['.repeat(size)) }), {}),
  'a host of spaces': replayed((size) => ({ log: combined(`a${' '.repeat(size)}`) }), {}),
  'a host that is named': replayed((size) => ({ log: combined('a'), host: 'a.'.repeat(size) }), {}),
  'a path of slashes': replayed((size) => ({ log: combined('menu.example', '/'.repeat(size)) })),
  'a path of dots': replayed((size) => ({ log: combined('menu.example', '/../a'.repeat(size)) })),
  'a path of escapes': replayed((size) => ({ log: combined('menu.example', `/${'%2e'.repeat(size)}`) })),
  'a path of question marks': replayed((size) => ({ log: combined('menu.example', `/${'?'.repeat(size)}`) })),
  'quotes of a log': replayed((size) => ({ log: `10.0.0.1 - - [${TIME}] ${'"a '.repeat(size)}` })),
  'JSON of a log': replayed((size) => ({ log: `{"time":"2026-01-05T12:00:59Z","a":${'{"a":'.repeat(size)}` })),
  'blanks of a log': replayed((size) => ({ log: `10.0.0.1${' '.repeat(size)}- - [${TIME}] "GET / HTTP/1.1" 200 1` })),
  'variables of a format': replayed((size) => ({ log: combined('a'), logFormat: '$remote_addr '.repeat(size) })),
  'variables of a format without a separator': replayed((size) => ({
    log: 'a'.repeat(size),
    logFormat: '$a$b'.repeat(size),
  })),
  'quotes of a format': replayed((size) => ({ log: combined('a'), logFormat: `log_format a ${"'".repeat(size)}` })),
  'blanks of a format': replayed((size) => ({ log: combined('a'), logFormat: `log_format${' '.repeat(size)}x` })),
}
