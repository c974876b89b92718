/** The API of the mesh: discovery, the configuration, who may do what, and what is refused in which form. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import request, { type Response } from 'supertest'
import { describe, expect, it, test } from 'vitest'
import { createMetrics } from '../../../src/http/metrics.ts'
import { apiNames } from '../../../src/kubernetes/api-groups.ts'
import { initialConfig } from '../../../src/mesh/config.ts'
import { createMeshMetrics } from '../../../src/servers/mesh/metrics.ts'
import { createFolder } from '../../files/folder.ts'
import { accessOf, BASE, serve } from './served.ts'

/** What any API server would refuse. */
function expectStatus(response: Response, code: number, reason: string): void {
  expect(response.status).toBe(code)
  expect(response.headers['content-type']).toBe('application/json')
  expect(response.body).toMatchObject({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code })
  expect(response.body.message).toMatch(/./)
}

/** What this API refuses. */
function expectRefusal(response: Response, code: number, message: string | RegExp): void {
  expect(response.headers['content-type']).toBe('application/json')
  expect(response.body.kind).toBeUndefined()
  expect(response.body).toMatchObject({ message: expect.stringMatching(message), code })
}

const replace = (field: object) => ({ op: 'replace', field })
const AUTO_OFF = replace({ injection: { isAutoInjectEnabled: false } })

describe('discovery', () => {
  it('has the group of another vendor', async () => {
    const { get } = serve({ names: apiNames({ vendor: 'acme', platform: 'k8s' }) })
    expect((await get('/apis/nsm.acme.com/v1alpha1')).body.groupVersion).toBe('nsm.acme.com/v1alpha1')
    const { body } = await get('/apis/nsm.acme.com/v1alpha1/config')
    expect(body).toMatchObject({ namespace: 'acme-mesh', sidecarImage: { name: 'acme-mesh-sidecar' } })
    expectStatus(await get(`${BASE}/config`), 404, 'NotFound')
  })

  it('describes the API, in both versions of OpenAPI, with a schema that fits the configuration', async () => {
    const { get, names } = serve()
    const index = (await get('/openapi/v3')).body
    const path: string = index.paths['apis/nsm.nginx.com/v1alpha1'].serverRelativeURL
    const [v2, v3] = [(await get('/openapi/v2')).body, (await get(path)).body]
    expect(v2.swagger).toBe('2.0')
    expect(v3.openapi).toBe('3.0.0')
    const paths = ['config', 'services', 'inject', 'clear', 'resources', 'version'].map((name) => `${BASE}/${name}`)
    for (const document of [v2, v3]) {
      expect(Object.keys(document.paths).sort()).toEqual(paths.sort())
      expect(document.info.description).toContain('beta')
      const text = JSON.stringify(document)
      for (const [, at = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g))
        expect(at.split('/').reduce((value, name) => value?.[name], document)).toBeDefined()
    }
    for (const schema of [v2.definitions.MeshConfig, v3.components.schemas.MeshConfig]) {
      const validate = new Ajv2020({ strict: true }).compile(schema)
      expect(validate(initialConfig(names)), JSON.stringify(validate.errors)).toBe(true)
      expect(validate({ ...initialConfig(names), nginxLogFormat: 'xml' })).toBe(false)
    }
  })
})

describe('probes', () => {
  test.each(['/healthz', '/livez', '/readyz'])('%s is for everybody', async (path) => {
    const { app } = serve()
    const { status, text } = await request(app).get(path)
    expect({ status, text }).toEqual({ status: 200, text: 'ok\n' })
  })

  it('is not ready with a reason', async () => {
    const { status, text } = await serve({ notReady: () => 'shutting down' }).get('/readyz')
    expect({ status, text }).toEqual({ status: 503, text: 'shutting down\n' })
  })
})

describe('the configuration', () => {
  it('is that of a new mesh, and is kept with its changes', async () => {
    const file = join(createFolder(), 'mesh-config.json')
    const first = serve({ file })
    expect((await first.get(`${BASE}/config`)).body).toEqual(initialConfig(first.names))
    expect(existsSync(file)).toBe(false)
    const changed = await first.patch([AUTO_OFF, { op: 'add', field: { injection: { enabledNamespaces: ['prod'] } } }])
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({
      injection: { isAutoInjectEnabled: false, enabledNamespaces: ['prod'] },
      enabledNamespaces: ['prod'],
    })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(changed.body)
    first.close()
    expect((await serve({ file }).get(`${BASE}/config`)).body).toEqual(changed.body)
  })

  it('belongs to one process', () => {
    const file = join(createFolder(), 'mesh-config.json')
    serve({ file })
    expect(() => serve({ file })).toThrow('in use by another process')
  })

  it('belongs to one process, whatever link leads to it', async () => {
    const file = join(createFolder(), 'mesh-config.json')
    const first = serve({ file })
    await first.patch(AUTO_OFF)
    first.close()
    serve({ file })
    const link = join(createFolder(), 'link.json')
    symlinkSync(file, link)
    expect(() => serve({ file: link })).toThrow('in use by another process')
  })

  test.each([
    ['{', '.json: it is not JSON'],
    ['\xff', '.json: it is not UTF-8'],
    ['{"mtls":{"mode":"off","mode":"off"}}', '.json: /mtls/mode: the member is there twice'],
    ['['.repeat(100), '.json: it is nested more than 64 levels deep'],
    ['[]', 'expected an object'],
    ['{"mtls":{"mode":"on"}}', 'mtls.mode: expected one of off, permissive, strict, got "on"'],
  ])('is not read from %s', (text, problem) => {
    const file = join(createFolder(), 'mesh-config.json')
    writeFileSync(file, text, 'latin1')
    expect(() => serve({ file })).toThrow(problem)
    expect(readFileSync(file, 'latin1')).toBe(text)
  })

  it('is a file, no folder', () => {
    const folder = createFolder()
    expect(() => serve({ file: folder })).toThrow(`${folder} is a folder, and a file is needed`)
  })

  it('is counted by operation and code, whoever is refused too', async () => {
    const metrics = createMetrics('0.0.0')
    const { get, patch, send } = serve({ metrics: createMeshMetrics(metrics) })
    await get(`${BASE}/config`).expect(200)
    await patch({ op: 'replace', field: { mtls: { mode: 'never' } } }).expect(400)
    await get(`${BASE}/config`).set('authorization', 'Bearer other').expect(401)
    await send('get', '/apis').expect(200)
    const text = await metrics.metrics()
    expect(text).toContain('sluice_mesh_requests_total{operation="readConfig",code="200"} 1')
    expect(text).toContain('sluice_mesh_requests_total{operation="readConfig",code="401"} 1')
    expect(text).toContain('sluice_mesh_requests_total{operation="patchConfig",code="400"} 1')
    expect(text).toContain('sluice_mesh_requests_total{operation="none",code="200"} 1')
    expect(text).toContain('sluice_mesh_request_duration_seconds_count{operation="readConfig"} 2')
  })

  it('loses none of many changes at once, and writes down each with its user', async () => {
    const { patch, get, lines } = serve()
    await patch(AUTO_OFF)
    const names = Array.from({ length: 50 }, (_, number) => `team-${number}`)
    const all = names.map((name) => patch({ op: 'add', field: { injection: { enabledNamespaces: [name] } } }))
    for (const { status } of await Promise.all(all)) expect(status).toBe(200)
    const { body } = await get(`${BASE}/config`)
    expect([...body.injection.enabledNamespaces].sort()).toEqual(names.sort())
    const audited = lines.filter(({ audit }) => audit === 'config')
    expect(audited).toHaveLength(51)
    expect(audited[0]).toMatchObject({
      user: 'standalone',
      fields: expect.arrayContaining([{ field: 'injection.isAutoInjectEnabled', from: true, to: false }]),
    })
  })

  it('writes down nothing where nothing changes', async () => {
    const { patch, lines } = serve()
    expect((await patch(replace({ nginxErrorLogLevel: 'warn' }))).status).toBe(200)
    expect(lines).toEqual([])
  })

  it('applies ten thousand operations, or none', async () => {
    const { patch, get } = serve()
    const levels = Array.from({ length: 10_000 }, (_, index) =>
      replace({ nginxErrorLogLevel: index % 2 ? 'error' : 'crit' }),
    )
    expect((await patch(levels)).body.nginxErrorLogLevel).toBe('error')
    const refused = await patch([...levels, replace({ nginxErrorLogLevel: 'loud' })])
    expectRefusal(refused, 7892, /operation 10000, nginxErrorLogLevel: expected one of debug/)
    const many = await patch(levels.map(() => ({ op: 'nope', field: {} })))
    expect(many.status).toBe(400)
    expect(many.body.details).toHaveLength(100)
    expect(many.body.details.at(-1)).toEqual({ description: 'and 19901 more' })
    expect((await get(`${BASE}/config`)).body.nginxErrorLogLevel).toBe('error')
  })

  it('is not changed by deep nesting', async () => {
    const { patch, get, names, lines } = serve()
    const response = await patch('['.repeat(100_000))
    expect(response.status).toBe(400)
    expectRefusal(response, 7892, /nested/)
    expect((await get(`${BASE}/config`)).body).toEqual(initialConfig(names))
    expect(lines).toEqual([])
  })

  it('answers 500 where it cannot be stored, and stays as it was', async () => {
    const file = join(createFolder(), 'mesh-config.json')
    const { patch, get, names } = serve({ file })
    mkdirSync(file)
    const response = await patch(AUTO_OFF)
    expect(response.status).toBe(500)
    expectRefusal(response, 7899, 'cannot be stored')
    expect((await get(`${BASE}/config`)).body).toEqual(initialConfig(names))
    rmSync(file, { recursive: true })
    expect((await patch(AUTO_OFF)).status).toBe(200)
  })
})

describe('the mesh as it runs', () => {
  it('is what the state says', async () => {
    const services = [{ name: 'a', namespace: 'b', serviceIP: '10.0.0.1', addresses: [], ports: [] }]
    const resources = { b: { deployment: ['a'] } }
    const versions = { 'nginx-mesh-api': ['1.7.0'] }
    const state = { services: () => services, resources: () => resources, versions: () => versions }
    const { get } = serve({ state })
    expect((await get(`${BASE}/services`)).body).toEqual(services)
    expect((await get(`${BASE}/resources`)).body).toEqual(resources)
    expect((await get(`${BASE}/version`)).body).toEqual(versions)
  })
})

describe('access', () => {
  it('refuses whoever sends no token', async () => {
    const { app } = serve()
    const anonymous = await request(app).get(`${BASE}/config`)
    expectStatus(anonymous, 403, 'Forbidden')
    expect(anonymous.body.message).toMatch(
      /^config\.nsm\.nginx\.com is forbidden: User "system:anonymous" cannot list resource "config" in API group "nsm\.nginx\.com" at the cluster scope: /,
    )
  })

  it('asks for the verb and the resource of the specification', async () => {
    const asked: string[] = []
    const access = accessOf('a<b>', (verb, resource) => {
      asked.push(`${verb} ${resource}`)
      return false
    })
    const { send } = serve({ access })
    const calls = [
      ['get', 'services'],
      ['get', 'config'],
      ['patch', 'config'],
      ['post', 'inject'],
      ['post', 'clear'],
      ['get', 'resources'],
      ['get', 'version'],
      ['delete', 'config'],
      ['put', 'config/a'],
    ] as const
    for (const [method, resource] of calls) {
      const response = await send(method, `${BASE}/${resource}`)
      const name = resource.split('/')[0]
      expectStatus(response, 403, 'Forbidden')
      expect(response.body.details).toEqual({ group: 'nsm.nginx.com', kind: name })
      expect(response.body.message).toMatch(
        new RegExp(
          `^${name}\\.nsm\\.nginx\\.com is forbidden: User "a&lt;b&gt;" cannot \\w+ resource "${name}" in API group "nsm\\.nginx\\.com" at the cluster scope$`,
        ),
      )
    }
    expect(asked).toEqual([
      ...['list services', 'list config', 'patch config', 'create inject', 'create clear', 'list resources'],
      ...['list version', 'deletecollection config', 'update config'],
    ])
  })

  it('asks for the path where it names no resource', async () => {
    const { get } = serve({ access: accessOf('alice', () => false) })
    const response = await get(BASE)
    expectStatus(response, 403, 'Forbidden')
    expect(response.body.message).toBe(`forbidden: User "alice" cannot get path "${BASE}"`)
  })

  it('lets a role through that allows one verb only', async () => {
    const access = accessOf('alice', (verb, resource) => verb === 'list' && resource === 'config')
    const { get, patch } = serve({ access })
    expect((await get(`${BASE}/config`)).status).toBe(200)
    expectStatus(await patch(AUTO_OFF), 403, 'Forbidden')
    expectStatus(await get(`${BASE}/services`), 403, 'Forbidden')
  })

  it('is closed where it cannot be decided', async () => {
    const fails = () => Promise.reject(new Error('a secret of the cluster'))
    const user = { username: 'alice', groups: [], extra: {} }
    for (const access of [
      { authenticate: fails, authorize: async () => ({ allowed: true, reason: '' }) },
      { authenticate: async () => user, authorize: fails },
    ]) {
      const response = await serve({ access }).patch(AUTO_OFF)
      expect(response.status).toBe(500)
      expectRefusal(response, 7899, /fault/)
      expect(response.text).not.toContain('secret')
    }
  })
})
