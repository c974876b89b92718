/** Complete configurations and real programs: they accept what is rendered, and reject what is wrong in a policy. */

import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runCommand } from '../../scripts/docs/run-command.ts'
import type { Rendered } from '../../src/gateway/render/render.ts'
import { createFolder } from '../files/folder.ts'
import { gateway, perClient, policy, route } from '../gateway/objects.ts'
import { readWorlds, renderWorld, type Wish } from '../render-worlds.ts'
import { testConfiguration } from './real-nginx.ts'
import { at, own, rule, scenes } from './render-scenes.ts'
import { checkAllRendered, checkRendered, renderScene, type Scene } from './rendered.ts'
import { describeNginx } from './with-nginx.ts'

/** Variables that the configuration around the fragments defines. */
const OF_OTHERS = ['$connection_upgrade', '$connection_keepalive', '$request_uri_path', '$tenant']

describeNginx('nginx accepts what is rendered', (program) => {
  const refusedOf = (all: readonly Pick<Rendered, 'files'>[]) =>
    checkAllRendered(program, all).flatMap(({ accepted, output }, at) => (accepted ? [] : [[output, all[at]?.files]]))
  const render = (scene: Scene, options = {}) => {
    const made = renderScene(scene, {
      nginxVersion: program.version,
      portOffset: 20_000,
      defined: new Set(['tenant']),
      ...options,
    })
    expect(made.problems).toEqual([])
    return made
  }

  describe.each(readWorlds())('the world $name', (world) => {
    const rendered = (wish: Wish) => {
      const { version: nginxVersion } = program
      const socketDir = tmpdir()
      const result = renderWorld(world, {
        nginxVersion,
        portOffset: 20_000,
        ports: { 65535: 28_000 },
        socketDir,
        ...wish,
      })
      const gateways = result.ok ? result.value.gateways : []
      expect(gateways).not.toEqual([])
      return gateways
    }

    test.each(['stack', 'inherit'] as const)('with composition %s, in one file and in several', (composition) => {
      const all = [false, true].flatMap((files) => {
        const some = rendered({ complete: true, files, composition, variables: ['$tenant'] })
        return files || !world.name.startsWith('long-names') ? some : []
      })
      expect(refusedOf(all)).toEqual([])
    })

    const releases = [...new Set(world.wishes.flatMap(({ fabricVersion }) => fabricVersion ?? []))]
    test.skipIf(releases.length === 0)('as each release writes it, but for one that writes no zones', () => {
      for (const fabricVersion of releases) {
        const all = [false, true].flatMap((files) => rendered({ complete: true, files, fabricVersion }))
        const isZoneless = fabricVersion === '2.6.2' && world.name.includes('listener-set')
        const expected = isZoneless ? all.map(() => [expect.stringContaining('zero size shared memory zone')]) : []
        expect(refusedOf(all).map(([output]) => [output])).toEqual(expected)
      }
    })

    test('context by context', () => {
      const all = rendered({ files: true }).map(({ files }) => {
        const locations = files.filter((file) => file.name.startsWith('location_'))
        const inServer = files.some((file) => file.name === 'server.conf') ? 'include server.conf;' : ''
        const text = `events {}
          http {
            map $http_host $gw_api_compliant_host { default $http_host; }
            ${OF_OTHERS.map((name) => `map $http_upgrade ${name} { default upgrade; }`).join('\n')}
            include http.conf;
            server { listen 127.0.0.1:20080; ${inServer} ${locations.map((file, index) => `location /${index} { include ${file.name}; }`).join('\n')} }
          }`
        return { files: [...files, { name: 'nginx.conf', text }] }
      })
      expect(refusedOf(all)).toEqual([])
    })
  })

  test('nginx and the file system reject a file name of 256 characters', () => {
    const name = 'p'.repeat(216)
    const scene = {
      routes: [route('coffee', { rules: [rule([at('/')])] })],
      policies: [policy(name, { limits: [perClient('1r/s')] })],
    }
    expect(() => checkRendered(program, render(scene, { files: true }))).toThrow(/ENAMETOOLONG/)
  })

  test.each([
    { key: '$nope', rate: '1r/s' },
    { key: '"open', rate: '1r/s' },
    { key: '$uri', rate: '0r/s' },
    { key: '$uri', rate: '1r/s', zoneSize: '1g' },
    { key: '$uri', rate: '1r/s', zoneSize: '31k' },
  ])('rejects what is bad in a policy: %o', (limit) => {
    const scene = { routes: [route('coffee', { rules: [rule([at('/')])] })], policies: [own({}, [limit])] }
    expect(checkRendered(program, render(scene))).toMatchObject({ accepted: false })
  })

  test('no value in a route becomes a directive', () =>
    expect(refusedOf(fc.sample(scenes, 100).map((scene) => render(scene)))).toEqual([]))
})

describeNginx('sluice render --complete', (program) => {
  const render = (...argv: readonly string[]) =>
    runCommand(['render', '--complete', '--nginx-version', program.version, '--port-offset', '20000', ...argv])

  test('examples/shop is accepted, in one file and in several', async () => {
    const [whole, several] = [createFolder(), createFolder()]
    const { code, stdout, stderr } = await render('examples/shop')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    writeFileSync(join(whole, 'nginx.conf'), stdout)
    expect(await render('examples/shop', '--dir', several)).toMatchObject({ code: 0, stderr: '' })
    for (const one of [whole, several]) expect(testConfiguration(program, one)).toMatchObject({ accepted: true })
    expect(readdirSync(several)).toContain('RateLimitPolicy_Gateway_shop_storefront_limits.conf')
  })

  test('real certificates are named by host or listener', async () => {
    const [certificates, out] = [createFolder(), createFolder()]
    /** Any is right, such as the default. */
    const { stdout } = await render('examples/shop')
    for (const [what, name] of [
      ['CERTIFICATE', 'https.crt'],
      ['PRIVATE KEY', 'https.key'],
    ] as const)
      writeFileSync(join(certificates, name), new RegExp(`-+BEGIN ${what}[^"]+`).exec(stdout)?.[0] ?? '')
    expect(await render('examples/shop', '--tls-dir', certificates, '--dir', out)).toMatchObject({ code: 0 })
    expect(testConfiguration(program, out)).toMatchObject({ accepted: true })
    cpSync(join(certificates, 'https.crt'), join(certificates, 'other.crt'))
    rmSync(join(certificates, 'https.crt'))
    const { code, stderr } = await render('examples/shop', '--tls-dir', certificates)
    expect(code).toBe(2)
    expect(stderr).toMatch(
      /^sluice: Gateway shop\/storefront: no certificate for menu\.beans\.example: --tls-dir needs .*\n$/,
    )
  })

  test('several Gateways have a folder each', async () => {
    const [manifests, out] = [createFolder(), createFolder()]
    const both = ['a', 'b'].map((name) => gateway(name).object)
    writeFileSync(join(manifests, 'all.json'), JSON.stringify({ kind: 'List', apiVersion: 'v1', items: both }))
    expect(await render(manifests, '--dir', out)).toMatchObject({ code: 0 })
    expect(readdirSync(out)).toEqual(['shop_a', 'shop_b'])
    for (const name of readdirSync(out))
      expect(testConfiguration(program, join(out, name))).toMatchObject({ accepted: true })
  })
})
