/** `sluice render` from the command line to its output. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCommand } from '../../scripts/docs/run-command.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { gateway, perClient, policy, route } from '../gateway/objects.ts'

let root = ''
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-render-'))
})
afterAll(() => rmSync(root, { recursive: true }))

let count = 0
/** A folder with objects in one file; a path to it. */
function manifests(...objects: readonly { readonly object: JsonObject }[]): string {
  count += 1
  const folder = join(root, `m${count}`)
  mkdirSync(folder)
  writeFileSync(
    join(folder, 'all.json'),
    JSON.stringify({ kind: 'List', apiVersion: 'v1', items: objects.map(({ object }) => object) }),
  )
  return folder
}

const render = (...argv: readonly string[]) => runCommand(['render', ...argv])

const edge = policy('edge', { on: ['Gateway shop'], limits: [perClient('10r/s')] })
const coffee = route('coffee', { rules: [{ backendRefs: [{ name: 'coffee', port: 80 }] }] })

describe('which Gateway', () => {
  it('is the only one in the files', async () => {
    const { code, stdout, stderr } = await render(manifests(gateway('shop'), edge))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^# Gateway shop\/shop: /)
  })

  it('must be picked where there are several', async () => {
    const both = manifests(gateway('shop'), gateway('storefront', undefined, 'east'), edge)
    expect(await render(both)).toMatchObject({
      code: 2,
      stdout: '',
      stderr:
        'sluice: there are several Gateways: east/storefront, shop/shop; pick one with --gateway, or write all with --dir\n',
    })
    expect((await render(both, '--gateway', 'storefront')).stdout).toMatch(/^# Gateway east\/storefront: /)
    expect((await render(both, '--gateway', 'shop/shop')).stdout).toMatch(/^# Gateway shop\/shop: /)
    expect(await render(both, '--gateway', 'storefrnt')).toMatchObject({
      code: 2,
      stderr: 'sluice: Gateway "storefrnt" was not found; did you mean storefront?\n',
    })
    expect((await render(both, '--gateway', 'shop/x/y')).stderr).toMatch(/^sluice: --gateway must be \[NS\/\]NAME/)
  })

  it('may have its name in several namespaces', async () => {
    const twins = manifests(gateway('shop'), gateway('shop', undefined, 'east'))
    expect((await render(twins, '--gateway', 'shop')).stderr).toMatch(
      /east\/shop, shop\/shop; pick one with --gateway NS\/NAME\n$/,
    )
    expect(await render(twins, '--gateway', 'shop', '--namespace', 'east')).toMatchObject({ code: 0 })
  })

  it('may only be named by other objects', async () => {
    const { code, stdout } = await render(manifests(edge, coffee))
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('The Gateway is not among the given manifests'),
    })
    const far = policy('far', { on: ['Gateway far'], limits: [perClient('1r/s')] })
    expect(await render(manifests(gateway('shop'), far))).toMatchObject({
      code: 0,
      stderr:
        'note: Gateway shop/far is named by other objects, but its manifest was not found; render it with --gateway\n',
    })
  })

  it('is missing', async () => {
    expect((await render(manifests(policy('x')))).stderr).toMatch(
      /^sluice: no Gateway was found, and no object refers to one/,
    )
    const unplaced = gateway('shop', undefined, '')
    const far = gateway('far', undefined, 'east')
    expect((await render(manifests(unplaced, far), '--gateway', 'shop')).stderr).toBe(
      'sluice: Gateway shop has no namespace; set one with --namespace NS\n',
    )
    expect(await render(manifests(unplaced, far), '--gateway', 'shop', '-n', 'shop')).toMatchObject({ code: 0 })
    expect((await render(manifests(gateway('shop'), gateway('shop')))).stderr).toMatch(
      /is defined more than once in these files/,
    )
  })

  it('is in the namespace "default" where no object names one', async () => {
    const limits = [perClient('10r/s')]
    const nameless = [
      gateway('shop', undefined, ''),
      policy('edge', { on: ['Gateway shop'], limits, namespace: undefined }),
    ]
    const assumed = await render(manifests(...nameless))
    expect(assumed).toMatchObject({
      code: 0,
      stderr:
        'note: no object names a namespace, so all are rendered as those of "default"; --namespace sets another one\n',
    })
    expect(assumed.stdout).toContain('# Gateway default/shop: ')
    expect(assumed.stdout).toContain('zone=default_rl_edge_rule0')
    const named = await render(manifests(...nameless), '-n', 'cafe')
    expect(named).toMatchObject({ code: 0, stderr: '' })
    expect(named.stdout).toContain('zone=cafe_rl_edge_rule0')
  })

  it('keeps the name of a namespace that is filled in later', async () => {
    const limits = [perClient('10r/s')]
    const placed = [
      gateway('shop', undefined, '$(NS)'),
      policy('edge', { on: ['Gateway shop'], limits, namespace: '$(NS)' }),
    ]
    const { code, stdout, stderr } = await render(manifests(...placed))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('zone=$(NS)_rl_edge_rule0')
  })

  it('leaves out policies without a namespace or defined twice, and reports them', async () => {
    const unplaced = policy('lost', { on: ['Gateway shop'], namespace: undefined })
    const { code, stderr } = await render(manifests(gateway('shop'), unplaced, edge, edge))
    expect(code).toBe(0)
    expect(stderr.split('\n').map((line) => line.replace(/^note: \S+ /, ''))).toEqual([
      'RateLimitPolicy shop/edge is left out: it is defined more than once; pass only the paths that belong together',
      'RateLimitPolicy lost is left out: it has no namespace; set one with --namespace',
      '',
    ])
  })
})

it('a policy that nginx rejects is rendered as it is, and that is said', async () => {
  const wrong = policy('wrong', { on: ['Gateway shop'], limits: [perClient('0r/s', { zoneSize: '1g' })] })
  const { code, stdout, stderr } = await render(manifests(gateway('shop'), edge, wrong))
  expect([code, stderr]).toEqual([
    0,
    'note: RateLimitPolicy shop/wrong is rendered as it is, but nginx rejects the configuration: nginx refuses the rate "0r/s": it must be greater than zero (and 1 more error)\n',
  ])
  expect(stdout).toContain('zone=shop_rl_wrong_rule0:1g rate=0r/s;')
})

describe('flags', () => {
  it.each([
    [['--upstream', 'a=b:1'], '--upstream needs a whole configuration; add --complete'],
    [
      ['--complete', '--upstream', 'a'],
      '--upstream must be [NS/]SERVICE[:PORT]=HOST:PORT, such as coffee=127.0.0.1:9001; got "a"',
    ],
    [
      ['--complete', '--upstream', 'cofee=127.0.0.1:1'],
      '--upstream cofee: no route has such a backend; did you mean coffee?',
    ],
    [
      ['--complete', '--upstream', 'tomcat=127.0.0.1:1'],
      '--upstream tomcat: no route has such a backend; the backends are shop/coffee:80',
    ],
    [['--complete', '--port', '80'], '--port must be OLD=NEW, such as 443=8443; got "80"'],
    [['--complete', '--port', '80=70000'], '--port must be OLD=NEW, such as 443=8443; got "80=70000"'],
    [['--complete', '--port-offset', 'x'], '--port-offset must be a whole number, such as 8000; got "x"'],
    [
      ['--complete', '--port-offset', '65535'],
      'Gateway shop/shop: port 80 would become 65615, which is not a valid port',
    ],
    [['--complete', '--listen', 'a b'], '--listen must be an address without a port, such as 127.0.0.1; got "a b"'],
    [['--complete', '--tls-dir', 'no/such'], '--tls-dir no/such: no such file or folder'],
    [
      ['--socket-dir', '/a b'],
      '--socket-dir: nginx cannot use "/a b" in the path of a socket; use letters, digits and -._+@',
    ],
    [['--nginx-version', 'new'], '--nginx-version must be a version such as 1.31 or 1.22.1; got "new"'],
    [['--composition', 'both'], '--composition must be one of stack, inherit; got "both"'],
    [['--format', 'yaml'], '--format must be one of nginx, json; got "yaml"'],
    [['--dir', 'x', '--format', 'json'], '--dir writes files and --format prints; use only one of them'],
    [['--gatway', 'x'], 'unknown flag --gatway; did you mean --gateway?'],
  ])('%j', async (flags, problem) => {
    expect(await render(manifests(gateway('shop'), coffee), ...flags)).toEqual({
      code: 2,
      stdout: '',
      stderr: `sluice: ${problem}\n`,
    })
  })

  it('set the address to listen on and those of backends', async () => {
    const path = manifests(gateway('shop'), coffee)
    const flags = [
      '--complete',
      '--listen',
      '::1',
      '--port',
      '80=8080',
      '--upstream',
      'shop/coffee:80=backend.example:81',
    ]
    const { code, stdout, stderr } = await render(path, ...flags)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('listen [::1]:8080 default_server;')
    expect(stdout).toContain('server backend.example:81;')
    expect((await render(path, '--complete')).stderr).toBe(
      'note: the address of shop/coffee:80 would be 127.0.0.1:80, which is this nginx itself; set it with --upstream\n',
    )
  })
})

describe('--dir', () => {
  it('writes whole files, prints their paths, and does not touch others', async () => {
    const out = join(root, 'out', 'deep')
    mkdirSync(out, { recursive: true })
    writeFileSync(join(out, 'mine.conf'), 'mine')
    writeFileSync(join(out, 'http.conf'), 'old')
    const { code, stdout } = await render(manifests(gateway('shop'), coffee, edge), '--dir', out)
    expect(code).toBe(0)
    const written = [
      'RateLimitPolicy_Gateway_shop_edge_zones.conf',
      'RateLimitPolicy_Gateway_shop_edge_limits.conf',
      'http.conf',
      'location_HTTPRoute_shop_coffee.conf',
    ]
    expect(stdout).toBe(written.map((name) => `${out}/${name}\n`).join(''))
    expect(readdirSync(out).sort()).toEqual([...written, 'mine.conf'].sort())
    expect(readFileSync(join(out, 'mine.conf'), 'utf8')).toBe('mine')
    expect(readFileSync(join(out, 'http.conf'), 'utf8')).toContain(
      'include RateLimitPolicy_Gateway_shop_edge_zones.conf;',
    )
  })

  it('reports which file cannot be written, and writes none', async () => {
    const out = join(root, 'refused')
    const long = policy('p'.repeat(215), { on: ['Gateway shop'], limits: [perClient('1r/s')] })
    const { code, stderr } = await render(manifests(gateway('shop'), long), '--dir', out)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `sluice: ${out}/RateLimitPolicy_Gateway_shop_${'p'.repeat(215)}_limits.conf: the name is too long\n`,
    })
    expect(readdirSync(out)).toEqual([])
    mkdirSync(join(out, 'http.conf'))
    expect(await render(manifests(gateway('shop')), '--dir', out)).toMatchObject({
      code: 2,
      stderr: `sluice: ${out}/http.conf: expected a file, found a folder\n`,
    })
    writeFileSync(join(root, 'file'), '')
    expect(await render(manifests(gateway('shop')), '--dir', join(root, 'file'))).toMatchObject({ code: 2 })
  })
})

describe('for programs and people', () => {
  it('JSON holds the files of every Gateway', async () => {
    const { code, stdout } = await render(
      manifests(gateway('shop'), gateway('other'), edge),
      '--format',
      'json',
      '--composition',
      'inherit',
    )
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      version: 1,
      composition: 'inherit',
      apiManagement: [],
      gateways: [
        {
          world: null,
          namespace: 'shop',
          name: 'other',
          found: true,
          files: [expect.objectContaining({ name: 'http.conf' })],
        },
        {
          world: null,
          namespace: 'shop',
          name: 'shop',
          found: true,
          files: [
            'RateLimitPolicy_Gateway_shop_edge_zones.conf',
            'RateLimitPolicy_Gateway_shop_edge_limits.conf',
            'http.conf',
          ].map((name) => ({ name, content: expect.any(String) })),
        },
      ],
      notes: [],
      notJudged: [],
    })
  })

  it('a terminal gets faint comments and no control characters', async () => {
    const limits = [{ key: 'a\u001b[31mb', rate: '1r/s' }]
    const { stdout } = await runCommand(
      ['render', manifests(gateway('shop'), policy('x', { on: ['Gateway shop'], limits }))],
      80,
    )
    expect(stdout).toContain('\u001b[2m# Zones\u001b[22m')
    expect(stdout).toContain('limit_req_zone a\\x1b[31mb zone=')
  })

  it('a file that cannot be read is reported, and the rest is rendered', async () => {
    const path = manifests(gateway('shop'), edge)
    const { code, stdout, stderr } = await render(path, join(path, 'gone.yaml'))
    expect(code).toBe(2)
    expect(stdout).toContain('limit_req zone=shop_rl_edge_rule0;')
    expect(stderr).toMatch(/gone\.yaml: no such file or folder\n$/)
  })
})

it('renders the policies of a distribution with other API groups', async () => {
  const folder = manifests(gateway('shop'), route('coffee'), policy('coffee', { limits: [perClient('10r/s')] }))
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), 'utf8')
    const renamed = text
      .replaceAll('gateway.nginx.org', 'gateway.acme.org')
      .replaceAll('networking.k8s.io', 'networking.metal.io')
    writeFileSync(join(folder, name), renamed)
  }
  const config = join(root, 'groups.yaml')
  writeFileSync(config, 'apiGroups: { vendor: acme, platform: metal }\n')
  const { code, stdout } = await render(folder, '--config', config)
  expect(code).toBe(0)
  expect(stdout).toContain('zone=shop_rl_coffee_rule0:')
  expect(stdout).not.toContain('is left out')
})
