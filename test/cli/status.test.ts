/** `sluice status`: its table, its objects, its errors. */
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readDocuments } from '../../src/yaml/documents.ts'
import { createFolder, policy, WRONG } from '../files/folder.ts'
import { sluice } from './run.ts'

const cwd = fileURLToPath(new URL('../..', import.meta.url))
const NOW = ['--now', '2026-01-31T12:00:00Z']

describe('sluice status', () => {
  it('shows a table', async () => {
    expect(await sluice(['status', 'examples/shop'], { cwd })).toEqual({
      code: 0,
      stderr: '',
      stdout: `POLICY           TARGET              ACCEPTED  REASON
shop/coffee      HTTPRoute/coffee    True      Accepted
shop/tea         HTTPRoute/tea       True      Accepted
shop/orders      GRPCRoute/orders    True      Accepted
shop/storefront  Gateway/storefront  True      Accepted

TARGET                   CONDITION                STATUS  POLICIES
Gateway shop/storefront  RateLimitPolicyAffected  True    shop/storefront
HTTPRoute shop/coffee    RateLimitPolicyAffected  True    shop/coffee
HTTPRoute shop/tea       RateLimitPolicyAffected  True    shop/tea
GRPCRoute shop/orders    RateLimitPolicyAffected  True    shop/orders

4 policies: 4 accepted
`,
    })
  })

  it('gives the reason why a policy is not accepted', async () => {
    const folder = createFolder({
      'a.yaml': WRONG,
      'b.yaml': policy({ name: 'tea' }),
      'c.yaml': 'kind: RateLimitPolicy\n',
    })
    const { code, stdout } = await sluice(['status'], { cwd: folder })
    expect(code).toBe(0)
    expect(stdout).toBe(`POLICY       TARGET            ACCEPTED  REASON
shop/coffee  HTTPRoute/coffee  False     Invalid
   The RateLimitPolicy is invalid: "10R/S" is not a valid rate
shop/tea     HTTPRoute/coffee  Unknown   TargetUnknown
   HTTPRoute shop/coffee is not among the given manifests; it may not exist

2 policies: 1 rejected, 1 unknown
`)
    const closed = await sluice(['status', '--closed-world'], { cwd: folder })
    expect(closed.stdout).toContain('shop/tea     HTTPRoute/coffee  False     TargetNotFound\n')
  })

  it('prints whole objects as YAML and JSON, the same each time', async () => {
    const yaml = await sluice(['status', 'examples/shop', '--format', 'yaml', ...NOW], { cwd })
    const json = await sluice(['status', 'examples/shop', '--format', 'json', ...NOW], { cwd })
    const objects = readDocuments(yaml.stdout, { mentions: /kind/ }).map(({ value }) => value)
    expect(objects).toHaveLength(8)
    expect(JSON.parse(json.stdout)).toEqual({ apiVersion: 'v1', kind: 'List', items: objects, notJudged: [] })
    expect(objects[0]).toMatchObject({
      metadata: { name: 'coffee', namespace: 'shop' },
      spec: { targetRefs: [{ name: 'coffee' }] },
      status: {
        ancestors: [
          {
            ancestorRef: { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'coffee', namespace: 'shop' },
            controllerName: 'gateway.nginx.org/nginx-gateway-controller',
            conditions: [{ type: 'Accepted', status: 'True', lastTransitionTime: '2026-01-31T12:00:00Z' }],
          },
        ],
      },
    })
    const again = await sluice(['status', '-', '--format', 'yaml', ...NOW], { cwd, stdin: yaml.stdout })
    expect(again.stdout).toBe(yaml.stdout)
  })

  it('takes another time, in any zone, and another controller', async () => {
    const { stdout } = await sluice(
      [
        'status',
        'examples/shop',
        '--format=json',
        '--now=2026-01-31T12:00:00.5+02:00',
        '--controller-name=example.com/ours',
      ],
      { cwd },
    )
    expect(stdout).toContain('"lastTransitionTime": "2026-01-31T10:00:00Z"')
    expect(stdout).toContain('"controllerName": "example.com/ours"')
  })

  it('lists worlds separately', async () => {
    const folder = createFolder({
      'sluice.config.yaml': 'worlds:\n- { name: eu, paths: [eu] }\n- { name: us, paths: [us] }\n',
      'eu/a.yaml': policy(),
      'us/a.yaml': policy(),
    })
    const { stdout } = await sluice(['status'], { cwd: folder })
    expect(stdout).toMatch(/^world eu\n\nPOLICY[\s\S]*\n\nworld us\n\nPOLICY/)
    const one = await sluice(['status', '--world', 'us'], { cwd: folder })
    expect(one.stdout).toMatch(/^world us\n/)
    expect((await sluice(['status', '--world', 'uss'], { cwd: folder })).stderr).toBe(
      'sluice: unknown world "uss"; did you mean "us"?\n',
    )
  })

  it('reports that there is nothing', async () => {
    expect(await sluice(['status'], { cwd: createFolder() })).toEqual({
      code: 0,
      stderr: '',
      stdout: 'these files contain no RateLimitPolicy\n',
    })
  })

  it('colours a terminal, unless NO_COLOR is set', async () => {
    const argv = ['status', 'examples/shop']
    expect((await sluice(argv, { cwd, columns: 80 })).stdout).toContain('\x1b[32mTrue')
    expect((await sluice(argv, { cwd, columns: 80, env: { NO_COLOR: '1' } })).stdout).not.toContain('\x1b')
  })

  it.each([
    [['--format', 'xml'], '--format must be one of table, yaml, json; got "xml"'],
    [['--now', 'yesterday'], '--now must be a time such as 2026-01-31T12:00:00Z; got "yesterday"'],
    [
      ['--now', '2026-02-31T99:00:00Z'],
      '--now must be a time such as 2026-01-31T12:00:00Z; got "2026-02-31T99:00:00Z"',
    ],
    [
      ['--controller-name', 'ours'],
      '--controller-name must be a name such as "example.com/gateway-controller"; got "ours"',
    ],
    [['--formt', 'json'], 'unknown flag --formt; did you mean --format?'],
  ])('rejects %j in one line', async (argv, message) => {
    expect(await sluice(['status', ...argv], { cwd })).toEqual({ code: 2, stdout: '', stderr: `sluice: ${message}\n` })
  })
})
