/** The files of the page over HTTP: what a browser, a proxy or a stale page may ask. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { serve } from '../../../src/http/listen.ts'
import { readAssets } from '../../../src/servers/studio/assets.ts'
import { createStudioApp } from '../../../src/servers/studio/router.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-studio-'))
mkdirSync(join(folder, 'assets'))
for (const name of ['index.html', 'assets/main-1.js'])
  for (const end of ['', '.br', '.gz']) writeFileSync(join(folder, `${name}${end}`), `${name}${end}`)
const app = createStudioApp(readAssets(folder, 'index'), { error() {} })
const server = await serve(() => app, { host: '127.0.0.1', port: 0, material: undefined })
afterAll(async () => {
  await server.stop({ drain: 0, grace: 1_000, idle: 0 })
  rmSync(folder, { recursive: true })
})

const ask = (path: string, init: RequestInit = {}) => fetch(`http://127.0.0.1:${server.port}${path}`, init)

test.each(['/', '/playground'])('%s has a policy without anything inline', async (path) => {
  const { headers } = await ask(path)
  expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
  expect(headers.get('content-security-policy')).not.toContain('unsafe')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('cache-control')).toBe('no-cache')
})

test('a coding of weight 0 is not sent', async () => {
  const { headers } = await ask('/assets/main-1.js', {
    method: 'HEAD',
    headers: { 'accept-encoding': 'br;q=0, gzip;q=0.5' },
  })
  expect(headers.get('content-encoding')).toBe('gzip')
})

test('each form has a tag of its own, and one that the client has is not sent again', async () => {
  // `fetch` adds "cache-control: no-cache" to what is conditional.
  const head = (headers: Record<string, string>) => request(`http://127.0.0.1:${server.port}`).head('/').set(headers)
  const ask304 = async (encoding: string, tagged: (etag: string) => string = (etag) => etag) => {
    const headers = { 'accept-encoding': encoding }
    const etag = (await head(headers)).headers.etag ?? ''
    return [etag, (await head({ ...headers, 'if-none-match': tagged(etag) })).status] as const
  }
  const asked = [await ask304('br'), await ask304('gzip'), await ask304('identity')]
  expect(asked.map(([, status]) => status)).toEqual([304, 304, 304])
  expect(new Set(asked.map(([etag]) => etag)).size).toBe(3)
  expect((await ask304('br', (etag) => `"other", W/${etag}`))[1]).toBe(304)
  expect((await ask304('br', () => '"other"'))[1]).toBe(200)
})

test('a file of an earlier build is answered with what to do', async () => {
  const response = await ask('/assets/main-0.js')
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ detail: 'the page has no such file; load the page again' })
})
