/** `sluice effective`: its text, its JSON, its errors. */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { fingerprint } from '../../src/text/fingerprint.ts'
import { createFolder, policy } from '../files/folder.ts'
import { sluice } from './run.ts'

const cwd = fileURLToPath(new URL('../..', import.meta.url))

describe('sluice effective', () => {
  it('lists every limit that applies, in order', async () => {
    expect(await sluice(['effective', 'HTTPRoute/coffee', 'examples/shop', '--closed-world'], { cwd })).toEqual({
      code: 0,
      stderr: '',
      stdout: `HTTPRoute shop/coffee

behind Gateway shop/storefront: menu.beans.example:443

  1. shop/storefront rules[0], on the Gateway
     limit     100r/s per $binary_remote_addr; a burst of 200 passes at once
     rejected  with 429
     logged    in the error log: rejections at warn
     zone      shop_rl_storefront_rule0, 20 MiB, up to 162,847 keys

  2. shop/coffee rules[0], on the route
     limit     20r/s per $binary_remote_addr; of a burst of 40, 10 pass at once
               and 30 are delayed by up to 1.5 s
     rejected  with 429 (set by shop/storefront)
     logged    in the error log: rejections at warn, delays at notice (set by
               shop/storefront)
     zone      shop_rl_coffee_rule0, 10 MiB, up to 81,375 keys

  at most   20r/s per $binary_remote_addr in the long run: shop/coffee rules[0]
  memory    30 MiB in 2 zones, in each proxy

composed  stack: the limits of Gateway and route both apply.
`,
    })
  })

  it('composes in another way with --composition, and lists what is replaced', async () => {
    const { stdout } = await sluice(
      ['effective', 'HTTPRoute/coffee', 'examples/shop', '--composition', 'inherit', '--closed-world'],
      { cwd },
    )
    expect(stdout).toContain('  replaced  shop/storefront rules[0], by the limits of the route\n')
    expect(stdout).toContain('composed  inherit: the limits of a route replace those of its Gateway.\n')
    expect(stdout).not.toContain('on the Gateway')
  })

  it('takes the composition of the settings', async () => {
    const folder = createFolder({ 'sluice.config.yaml': 'composition: inherit\n', 'a.yaml': policy() })
    expect((await sluice(['effective', 'HTTPRoute/coffee'], { cwd: folder })).stdout).toContain('composed  inherit')
    const stacked = await sluice(['effective', 'HTTPRoute/coffee', '--composition=stack'], { cwd: folder })
    expect(stacked.stdout).toContain('composed  stack')
  })

  it('names zones as the settings do', async () => {
    const zonesOf = async (settings: string) => {
      const folder = createFolder({ 'sluice.config.yaml': settings, 'a.yaml': policy() })
      const [text, json] = [
        await sluice(['effective', 'HTTPRoute/coffee'], { cwd: folder }),
        await sluice(['effective', 'HTTPRoute/coffee', '--format', 'json'], { cwd: folder }),
      ]
      return {
        text: /zone +([\w-]+)/.exec(text.stdout)?.[1],
        json: /"zone(?:Name)?": "([^"]+)"/.exec(json.stdout)?.[1],
      }
    }
    const indexed = 'shop_rl_coffee_rule0'
    const keyed = `${indexed}_${fingerprint('$binary_remote_addr')}`
    expect(await zonesOf('{}\n')).toEqual({ text: indexed, json: indexed })
    expect(await zonesOf('zoneNaming: keyed\n')).toEqual({ text: keyed, json: keyed })
  })

  it('describes a Gateway and the routes behind it', async () => {
    const { stdout } = await sluice(['effective', 'gateway/shop/storefront', 'examples/shop'], { cwd })
    expect(stdout).toContain('at Gateway shop/storefront\n\n  1. shop/storefront rules[0], on the Gateway\n')
    expect(stdout).toContain('routes behind it\n\n  HTTPRoute shop/coffee: 1 limit of its own\n')
  })

  it('reports what is unknown', async () => {
    const folder = createFolder({ 'a.yaml': policy() })
    const { stdout } = await sluice(['effective', 'HTTPRoute/coffee'], { cwd: folder })
    expect(stdout).toContain('behind Gateways that are not in these files\n')
    expect(stdout).toContain('note      Policies that are not in these files may add limits; --closed-world\n')
  })

  it('reports dry runs, conflicts, invalid policies and Gateways that reject the route', async () => {
    const limit = (settings: string, name: string) =>
      policy({ name }).replace('    local:', `    ${settings}\n    local:`)
    const gateway = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: edge, namespace: shop }
spec: { listeners: [{ name: http, port: 80, protocol: HTTP, hostname: other.example }] }
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: { name: coffee, namespace: shop }
spec: { hostnames: [coffee.example], parentRefs: [{ name: edge }] }
`
    const folder = createFolder({
      'a.yaml': [limit('dryRun: true', 'a'), limit('dryRun: false', 'b'), limit('rejectCode: 200', 'c'), gateway].join(
        '---\n',
      ),
    })
    const { stdout } = await sluice(['effective', 'HTTPRoute/coffee', '--closed-world'], { cwd: folder })
    expect(stdout).toContain('behind no Gateway: none accepts the route\n')
    expect(stdout).toContain('     rejected  never: in a dry run nginx only counts and logs\n')
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'conflict shop/b is rejected: conflicts with shop/a, which comes first by name (creation times are unknown), in dryRun on HTTPRoute/coffee',
    )
    expect(stdout).toContain('note      Gateway shop/edge does not accept the route: they have no hostname in\n')
    expect(stdout).toContain('note      shop/c is not applied: it has an error: rejectCode must be between 400\n')
  })

  it('keeps to 80 columns, and to fewer on a narrow terminal', async () => {
    for (const columns of [undefined, 200, 60]) {
      const terminal = columns === undefined ? {} : { columns }
      const { stdout } = await sluice(['effective', 'GRPCRoute/orders', 'examples/shop', '--color=never'], {
        cwd,
        ...terminal,
      })
      expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(
        Math.min(columns ?? 80, 80),
      )
    }
  })

  it('colours a terminal, unless NO_COLOR is set', async () => {
    const argv = ['effective', 'HTTPRoute/coffee', 'examples/shop']
    expect((await sluice(argv, { cwd, columns: 80 })).stdout).toContain('\x1b[1mHTTPRoute shop/coffee')
    expect((await sluice(argv, { cwd, columns: 80, env: { NO_COLOR: '1' } })).stdout).not.toContain('\x1b')
    expect((await sluice(argv, { cwd })).stdout).not.toContain('\x1b')
  })

  it('prints JSON for programs', async () => {
    const { code, stdout } = await sluice(['effective', 'HTTPRoute/coffee', 'examples/shop', '--format', 'json'], {
      cwd,
    })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      version: 1,
      target: { kind: 'HTTPRoute', namespace: 'shop', name: 'coffee', found: true },
      composition: 'stack',
      complete: false,
      requestPaths: [{ gateway: { name: 'storefront' }, limits: [{ level: 'gateway' }, { level: 'route' }] }],
    })
  })

  it('reads the standard input', async () => {
    const { code, stdout } = await sluice(['effective', 'HTTPRoute/coffee', '-', '-n', 'shop'], {
      cwd,
      stdin: policy({ namespace: '' }),
    })
    expect(code).toBe(0)
    expect(stdout).toContain('HTTPRoute shop/coffee\n')
  })

  it.each([
    [[], 'an object is missing; write KIND/NAME, such as "sluice effective HTTPRoute/coffee"'],
    [['HTTPRoute/cofee', 'examples/shop'], 'HTTPRoute cofee was not found; did you mean HTTPRoute/shop/coffee?'],
    [['HTTPRoute/coffee', 'examples/shop', '--format', 'xml'], '--format must be one of text, json; got "xml"'],
    [['HTTPRoute/coffee', '--composition', 'both'], '--composition must be one of stack, inherit; got "both"'],
    [['HTTPRoute/coffee', '--colour', 'never'], 'unknown flag --colour; did you mean --color?'],
    [['HTTPRoute/coffee', 'examples/shop', '--world', 'eu'], 'unknown world "eu"; these files belong to none'],
  ])('rejects %j in one line', async (argv, message) => {
    expect(await sluice(['effective', ...argv], { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr: `sluice: ${message}\n`,
    })
  })

  it('shows no control characters of a manifest to the terminal', async () => {
    const folder = createFolder({ 'a.yaml': policy().replace('name: coffee\n  rate', 'name: "co\\e[31mffee"\n  rate') })
    const { stderr } = await sluice(['effective', 'HTTPRoute/x'], { cwd: folder })
    expect(stderr).not.toContain('\x1b')
  })

  it('still prints a result if a file cannot be read, and reports it', async () => {
    const folder = createFolder({ 'a.yaml': policy() })
    const { code, stdout, stderr } = await sluice(['effective', 'HTTPRoute/coffee', '.', 'gone'], { cwd: folder })
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'sluice: gone: no such file or folder\n' })
    expect(stdout).toContain('shop/coffee rules[0]')
  })
})
