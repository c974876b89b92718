/** The API of the mesh where no transcript shows it: its description, many changes, and its file. All else: `test/fixtures/http/mesh/`. */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Response } from 'supertest'
import { describe, expect, it } from 'vitest'
import { initialConfig } from '../../../src/mesh/config.ts'
import { createFolder } from '../../files/folder.ts'
import { BASE, serve } from './served.ts'

/** What this API refuses. */
function expectRefusal(response: Response, code: number, message: string | RegExp): void {
  expect(response.headers['content-type']).toBe('application/json')
  expect(response.body.kind).toBeUndefined()
  expect(response.body).toMatchObject({ message: expect.stringMatching(message), code })
}

const replace = (field: object) => ({ op: 'replace', field })
const AUTO_OFF = replace({ injection: { isAutoInjectEnabled: false } })

it('describes the API, in both versions of OpenAPI, with a schema that fits the configuration', async () => {
  const { get, names: api } = serve()
  const index = (await get('/openapi/v3')).body
  const path: string = index.paths['apis/nsm.nginx.com/v1alpha1'].serverRelativeURL
  const [v2, v3] = [(await get('/openapi/v2')).body, (await get(path)).body]
  expect(v2.swagger).toBe('2.0')
  expect(v3.openapi).toBe('3.0.0')
  const names = ['config', 'config/{name}', 'services', 'services/{name}', 'inject', 'clear', 'resources', 'version']
  const paths = names.map((name) => `${BASE}/${name}`)
  for (const document of [v2, v3]) {
    expect(Object.keys(document.paths).sort()).toEqual(paths.sort())
    expect(document.info.description).toContain('beta')
    const text = JSON.stringify(document)
    for (const [, at = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g))
      expect(at.split('/').reduce((value, name) => value?.[name], document)).toBeDefined()
  }
  for (const schema of [v2.definitions.MeshConfig, v3.components.schemas.MeshConfig]) {
    const validate = new Ajv2020({ strict: true, keywords: ['x-kubernetes-group-version-kind'] }).compile(schema)
    expect(validate(initialConfig(api)), JSON.stringify(validate.errors)).toBe(true)
    expect(validate({ ...initialConfig(api), nginxLogFormat: 'xml' })).toBe(false)
  }
})

describe('the configuration', () => {
  it('belongs to one process, whatever link leads to it', async () => {
    const file = join(createFolder(), 'mesh-config.json')
    const first = serve({ file })
    await first.patch(AUTO_OFF)
    first.close()
    serve({ file })
    const link = join(createFolder(), 'link.json')
    symlinkSync(file, link)
    for (const path of [file, link]) expect(() => serve({ file: path })).toThrow('in use by another process')
  })

  it('is a file, no folder', () => {
    const folder = createFolder()
    expect(() => serve({ file: folder })).toThrow(`${folder} is a folder, and a file is needed`)
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
