/** The text of rendered configurations: the same for the same objects, complete, and safe against injected directives. */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keyPlatform } from '../../src/gateway/keys/keys.ts'
import { fileName } from '../../src/gateway/render/files.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { comment, directive, print, quoted } from '../../src/nginx/nodes.ts'
import { renderScene, type Scene } from '../nginx/rendered.ts'
import { gateway, perClient, policy, route } from './objects.ts'

const at = (path: string): JsonObject => ({
  rules: [{ matches: [{ path: { value: path } }], backendRefs: [{ name: 'coffee', port: 80 }] }],
})
const edge = (settings: JsonObject = {}) =>
  policy('edge', { on: ['Gateway shop'], limits: [perClient('10r/s')], settings })
const own = (settings: JsonObject = {}, limits = [perClient('1r/s')]) => policy('own', { limits, settings })
const scene = (...policies: Scene['policies']): Scene => ({ routes: [route('coffee', at('/coffee'))], policies })

describe('text', () => {
  it('is the same whatever the order of the objects', () => {
    const routes = ['a', 'b', 'c'].map((name) => route(name, at('/coffee')))
    const policies = [
      edge(),
      own({ rejectCode: 429 }),
      ...['x', 'y'].map((name) => policy(name, { on: ['HTTPRoute a', 'HTTPRoute c'], limits: [perClient('2r/s')] })),
    ]
    const render = (scene: Scene) =>
      [renderScene(scene, { files: true }), renderScene(scene, { complete: false })].map(({ files }) => files)
    const expected = render({ routes, policies })
    fc.assert(
      fc.property(
        fc.shuffledSubarray(routes, { minLength: 3 }),
        fc.shuffledSubarray(policies, { minLength: 4 }),
        (some, others) => {
          expect(render({ routes: some, policies: others })).toEqual(expected)
        },
      ),
      { numRuns: 30 },
    )
  })

  it('has files for each policy with --dir, and includes them', () => {
    const { files } = renderScene(scene(edge({ rejectCode: 429 }), own({ dryRun: true }), policy('idle')), {
      files: true,
    })
    const names = files.map(({ name }) => name)
    expect(names).toEqual([
      'RateLimitPolicy_Gateway_shop_edge_zones.conf',
      'RateLimitPolicy_Gateway_shop_edge_limits.conf',
      'RateLimitPolicy_Routes_shop_own_zones.conf',
      'RateLimitPolicy_Routes_shop_own_limits.conf',
      'nginx.conf',
    ])
    const included = [...(files.at(-1)?.text ?? '').matchAll(/include (\S+);/g)].map(([, name]) => name)
    expect(new Set(included)).toEqual(new Set(names.slice(0, -1)))
  })

  it('reports ports that are not valid or shared, and backends that are nginx itself', () => {
    const two = gateway('shop', [
      { name: 'a', port: 80, protocol: 'HTTP' },
      { name: 'b', port: 8080, protocol: 'HTTP' },
    ])
    const objects = { gateway: two, ...scene() }
    expect(renderScene(objects, { ports: new Map([[80, 8080]]) }).problems).toEqual([
      'ports 80 and 8080 would both become 8080; give one of them another with --port',
    ])
    expect(renderScene(objects, { portOffset: 60_000 }).problems).toEqual([
      'port 8080 would become 68080, which is not a valid port',
    ])
    expect(renderScene(objects).loops).toEqual(['shop/coffee:80'])
    expect(renderScene(objects, { addresses: new Map([['coffee', '127.0.0.1:9']]) })).toMatchObject({
      loops: [],
      used: new Set(['coffee']),
    })
  })

  it('reports a path of a socket that is too long', () => {
    const hop = scene(edge(), own({ dryRun: true }))
    expect(renderScene(hop, { socketDir: `/${'x'.repeat(80)}` }).problems).toEqual([
      'the path of --socket-dir is too long for a socket',
    ])
    expect(renderScene(scene(edge(), own()), { socketDir: `/${'x'.repeat(80)}` }).problems).toEqual([])
  })

  it('defines every variable that the rules take for defined', () => {
    const platform = { nginxVersion: '1.31', plus: false, variables: [] }
    for (const name of keyPlatform(platform, { defined: new Set(), isOpen: false, modules: new Set<string>() })
      .variables) {
      const text = renderScene(scene(own({}, [{ key: `$${name}`, rate: '1r/s' }]))).files[0]?.text
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
  it('wrap long comments between words', () => {
    expect(
      print([comment(`${'word '.repeat(30)}end`)])
        .split('\n')
        .every((line) => line.length <= 100),
    ).toBe(true)
  })
  it('shorten file names that a file system would reject, and keep them distinct', () => {
    const [a, b] = ['a', 'b'].map((end) => fileName('x'.repeat(260) + end, '.conf'))
    expect([a?.length, b?.length, a === b]).toEqual([255, 255, false])
    expect(fileName('x', '.conf')).toBe('x.conf')
  })
})
