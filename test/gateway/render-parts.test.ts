/** Parts of rendered configurations of which the recorded worlds have too few: `render-worlds.test.ts` has the whole. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyPlatform } from '../../src/gateway/keys/keys.ts'
import { fileName, fileNameSize, fileNamesOf } from '../../src/gateway/render/files.ts'
import type { RenderOptions } from '../../src/gateway/render/render.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { comment, directive, print, quoted } from '../../src/nginx/nodes.ts'
import { LONGEST_FILE_NAME } from '../../src/nginx/rejections.ts'
import { renderScene, type Scene } from '../nginx/rendered.ts'
import { casesOf } from '../support/cases.ts'
import { holdsFor } from '../support/holds.ts'
import { gateway, perClient, policy, route } from './objects.ts'

const { each } = casesOf(import.meta.url)

const BACKENDS = [{ name: 'coffee', port: 80 }]
const HTTPS = { name: 'https', port: 443, protocol: 'HTTPS' }

/** The lines of a configuration. */
const linesOf = (scene: Scene, options?: Partial<RenderOptions>): readonly string[] =>
  (renderScene(scene, options).files[0]?.text ?? '').split('\n').map((line) => line.trim())

/** A scene of one rule for `/coffee`. */
const ruleScene = (rule: JsonObject, listeners?: readonly JsonObject[]): Scene => ({
  gateway: gateway('shop', listeners),
  routes: [route('coffee', { rules: [{ matches: [{ path: { value: '/coffee' } }], ...rule }] })],
  policies: [],
})

describe('a redirect', () => {
  const redirectOf = (
    requestRedirect: JsonObject,
    listeners?: readonly JsonObject[],
    options?: Partial<RenderOptions>,
  ) =>
    linesOf(ruleScene({ filters: [{ type: 'RequestRedirect', requestRedirect }] }, listeners), options).find((line) =>
      line.startsWith('return 3'),
    )

  each<[JsonObject, string]>(
    '%j is %s',
    (redirect, expected) => expect(redirectOf(redirect)).toBe(`return ${expected};`),
    'a redirect',
  )

  each<[JsonObject, string]>('%j over TLS goes to %s', (redirect, origin) =>
    expect(redirectOf(redirect, [HTTPS])).toBe(`return 302 "${origin}$request_uri";`),
  )

  it('names the port that is listened on', () => {
    const ports = new Map([[80, 8080]])
    expect(redirectOf({}, undefined, { ports })).toBe('return 302 "http://$host:8080$request_uri";')
    expect(redirectOf({ scheme: 'https' }, undefined, { ports })).toBe('return 302 "https://$host$request_uri";')
  })
})

describe('a backend', () => {
  const serversOf = (...backendRefs: readonly JsonObject[]) =>
    [...new Set(linesOf(ruleScene({ backendRefs })))].filter((line) =>
      /^(?:upstream|server) [^{]|^try_files/.test(line),
    )

  each<[JsonObject, readonly string[]]>('%j is %j', (ref, lines) => expect(serversOf(ref)).toEqual(lines), 'a backend')
})

describe('the listeners of a Gateway', () => {
  const rules = [{ matches: [{ path: { type: 'Exact', value: '/coffee' } }], backendRefs: BACKENDS }]

  it('are assumed where it has none', () => {
    const listens = (parent: JsonObject) =>
      linesOf({
        gateway: gateway('shop', []),
        routes: [route('coffee', { parentRefs: [{ name: 'shop', ...parent }], rules })],
        policies: [],
      }).filter((line) => line.startsWith('listen '))
    expect(listens({ port: 8080 })).toEqual(['listen 127.0.0.1:8080 default_server;'])
    expect(listens({})).toEqual(['listen 127.0.0.1:80 default_server;'])
    expect(listens({ name: 'other' })).toEqual(['listen 127.0.0.1:80 default_server;'])
  })
})

describe('the text of a configuration', () => {
  it('is the same whatever the order of the objects', () => {
    const routes = ['a', 'b', 'c'].map((name) => route(name, { rules: [{ backendRefs: BACKENDS }] }))
    const policies = [
      policy('edge', { on: ['Gateway shop'], limits: [perClient('10r/s')] }),
      policy('own', { limits: [perClient('1r/s')], settings: { rejectCode: 429 } }),
      ...['x', 'y'].map((name) => policy(name, { on: ['HTTPRoute a', 'HTTPRoute c'], limits: [perClient('2r/s')] })),
    ]
    const render = (scene: Scene) =>
      [renderScene(scene, { files: true }), renderScene(scene, { complete: false })].map(({ files }) => files)
    const expected = render({ routes, policies })
    holdsFor(30)(
      fc.shuffledSubarray(routes, { minLength: 3 }),
      fc.shuffledSubarray(policies, { minLength: 4 }),
      (some, others) => void expect(render({ routes: some, policies: others })).toEqual(expected),
    )
  })

  it('defines every variable that the rules take for defined', () => {
    const platform = { nginxVersion: '1.31', plus: false, variables: [] }
    for (const name of keyPlatform(platform, { defined: new Set(), isOpen: false, modules: new Set<string>() })
      .variables) {
      const text = renderScene({
        routes: [route('coffee', { rules: [{}] })],
        policies: [policy('own', { limits: [{ key: `$${name}`, rate: '1r/s' }] })],
      }).files[0]?.text
      expect(text).toContain(`$${name} {`)
    }
  })
})

describe('nodes', () => {
  it('keep a comment in its line and a value in its quotes', () => {
    expect(print([comment('a\nb\r\u2028c'), directive(`x ${quoted('a"b\\c d')}`)])).toBe(
      '# a?b??c\nx "a\\"b\\\\c d";\n',
    )
    expect(quoted('/plain-1.0_x')).toBe('/plain-1.0_x')
  })
  it('wrap long comments between words', () =>
    expect(
      print([comment(`${'word '.repeat(30)}end`)])
        .split('\n')
        .every((line) => line.length <= 100),
    ).toBe(true))
  it('shorten file names that a file system would reject, and keep them distinct', () => {
    const [a, b] = ['a', 'b'].map((end) => fileName('x'.repeat(260) + end, '.conf'))
    expect([a?.length, b?.length, a === b]).toEqual([255, 255, false])
    expect(fileName('x', '.conf')).toBe('x.conf')
  })
})

it('files are named as those of NGINX Gateway Fabric, which limits the length of the name of a policy', () => {
  const [onGateway, onRoute] = [policy('', { on: ['Gateway shop'], namespace: '' }), policy('', { namespace: '' })]
  const room = (one: typeof onRoute) => LONGEST_FILE_NAME - fileNamesOf(one).limits.length
  expect([room(onGateway), room(onRoute)]).toEqual([fileNameSize(onGateway).most, fileNameSize(onRoute).most])
})
