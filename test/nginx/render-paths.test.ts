/** Paths and arguments as nginx compares them, paths that end in a slash, rules without a backend, bad expressions. */
import { expect, test } from 'vitest'
import { compilePattern } from '../../src/gateway/routing/pattern.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { simulateLogText } from '../../src/simulate/log-text.ts'
import { prepareSimulation } from '../../src/simulate/simulate.ts'
import { perClient, policy, route } from '../gateway/objects.ts'
import { casesOf } from '../support/cases.ts'
import { send } from './backends.ts'
import { at, rule } from './render-scenes.ts'
import { checkAllRendered, renderScene } from './rendered.ts'
import { running } from './running-gateway.ts'
import { describeNginx } from './with-nginx.ts'

const { cases } = casesOf(import.meta.url)

/** Matches of routes by their names, and what their backend has more. */
const MATCHES = cases<Record<string, { matches: JsonObject[]; backend?: JsonObject }>>('MATCHES')

const ROUTES = Object.entries(MATCHES).map(([name, { matches, backend = {} }]) =>
  route(name, {
    parentRefs: [{ name: 'shop', sectionName: 'http' }],
    rules: [{ matches, backendRefs: [{ name: 'web', port: 80, ...backend }] }],
  }),
)
const NAMES = Object.keys(MATCHES)

const CASES: readonly (readonly [path: string, route: string, code: number])[] = cases('CASES')

const GATEWAY = cases<JsonObject>('GATEWAY')

/** The limit of each route rejects with its own status. */
const POLICIES = NAMES.map((name, index) =>
  policy(name, {
    on: [`HTTPRoute ${name}`],
    limits: [perClient('1r/m', { zoneSize: '32k', key: '$http_x_client' })],
    settings: { rejectCode: 460 + index },
  }),
)

const SOURCES = [...ROUTES, ...POLICIES].map(({ object }) => ({ object }))
const PREPARED = prepareSimulation(
  {
    ...{ sources: [...SOURCES, { object: GATEWAY }], old: undefined, closedWorld: true },
    ...{ settings: DEFAULT_SETTINGS, route: undefined, gateway: 'shop', namespace: undefined },
    ...{ world: undefined, anywhere: false },
  },
  { constants: new Map(), top: 1 },
)

/** The route to which a log line of the request is simulated. */
function simulated(path: string): string | undefined {
  if (!PREPARED.ok) throw new Error(PREPARED.problem)
  const text = `192.0.2.1 - - [31/Jan/2026:12:00:00 +0000] "GET ${path} HTTP/1.1" 200 5 "-" "-"\n`
  const result = simulateLogText(PREPARED.value, { text })
  if (!result.ok) throw new Error(result.problem)
  return result.value.report.routes.find(({ requests }) => requests > 0)?.name
}

describeNginx('paths and arguments', (program) => {
  const now = running(program, { routes: ROUTES, policies: POLICIES })
  test.each(CASES)('%s meets the limit of %s', async (path, name, code) => {
    const { port } = now()
    const client = { method: 'GET', headers: { 'x-client': Buffer.from(path).toString('hex') } }
    const [first, second] = [await send(port, path, client), await send(port, path, client)]
    expect([first, NAMES[second - 460] ?? second]).toEqual([code, name])
    expect(simulated(path)).toBe(name)
  })
})

/** Patterns, and whether nginx takes them. */
const PATTERNS: Readonly<Record<string, readonly string[]>> = cases('PATTERNS')

describeNginx('regular expressions', (program) => {
  test.each(Object.entries(PATTERNS))('%s', (verdict, patterns) => {
    const isRejected = verdict === 'rejected'
    const scenes = patterns.map((pattern) => [at(pattern, 'RegularExpression'), at('/ok')])
    const rendered = scenes.map((matches) =>
      renderScene(
        { routes: [route('coffee', { rules: [rule(matches)] })], policies: [] },
        { nginxVersion: program.version },
      ),
    )
    const texts = rendered.map(({ files }) => files.map((file) => file.text).join(''))
    const raw = texts.map((text, index) => ({
      files: [{ name: 'nginx.conf', text: text.replace('location = /ok {', locationOf(patterns[index] ?? '')) }],
    }))
    const accepted = (all: Parameters<typeof checkAllRendered>[1]) =>
      checkAllRendered(program, all).map((one, index) => [patterns[index], one.accepted])
    const all = (value: boolean) => patterns.map((pattern) => [pattern, value])
    expect(patterns.map((pattern) => [pattern, compilePattern(pattern) === 'rejected'])).toEqual(all(isRejected))
    expect(texts.map((text, at) => [patterns[at], text.includes('is left out: nginx rejects')])).toEqual(
      all(isRejected),
    )
    expect(accepted(rendered)).toEqual(all(true))
    expect(accepted(raw)).toEqual(all(!isRejected))
  })
})

/** A location of a pattern before that of `/ok`. */
const locationOf = (pattern: string) => () =>
  `location ~ "^(?:${pattern.replace(/["\\]/g, '\\$&')})" { return 204; }\n location = /ok {`
