/** Where API proxies answer, what backends get, and what clients get of errors. Source: API Connectivity Manager, "Publish an API Proxy". */
import { expect, test } from 'vitest'
import { casesOf } from '../../support/cases.ts'
import { describeNginx } from '../with-nginx.ts'
import { sceneOf, serving } from './serving.ts'

const { cases, each } = casesOf(import.meta.url)

const JSON_BODY = 'application/json'

describeNginx('the place of an API proxy', (program) => {
  const now = serving(program, sceneOf(cases('places')))

  each<[string, number]>('%s is %i where no proxy has the hostname', async (path, code) => {
    const { ask } = now()
    expect((await ask(path)).code).toBe(code)
    expect((await ask(path, { host: 'any.example' })).code).toBe(code)
  })

  each<[string, string, number]>('%s%s is %i', async (host, path, code) => {
    expect((await now().ask(path, { host })).code).toBe(code)
  })

  each<[string, string]>('a request for %s asks the backend for %s', async (path, passed) => {
    const { ask, web } = now()
    expect((await ask(path)).code).toBe(200)
    expect(web.heard.at(-1)?.path).toBe(passed)
    expect(web.heard.at(-1)?.headers).not.toHaveProperty('x')
  })

  test('the backend learns whom the client asked, and gets its own name as the host', async () => {
    const { ask, web } = now()
    await ask('/x', { host: 'api.shop.example', headers: { 'x-real-ip': '9.9.9.9' } })
    expect(web.heard.at(-1)?.headers).toMatchObject({
      host: web.address,
      'x-forwarded-host': 'api.shop.example',
      'x-forwarded-proto': 'http',
      'x-real-ip': '127.0.0.1',
    })
  })

  test('the correlation id of a request goes to the backend and into every answer, under the name of proxy or environment', async () => {
    const { ask, web, outcomes } = now()
    for (const [path, header] of [
      ['/v1/traced', 'x-trace'],
      ['/v1/limited', 'x-of-prod'],
    ] as const) {
      const [passed, rejected] = [
        await ask(path, { headers: { [header]: `one-${header}` } }),
        await ask(path, { headers: { [header]: `two-${header}` } }),
      ]
      expect(passed).toMatchObject({ code: 200, headers: { [header]: `one-${header}` } })
      expect(web.heard.at(-1)?.headers[header]).toBe(`one-${header}`)
      expect(rejected).toMatchObject({ code: 429, headers: { [header]: `two-${header}`, 'content-type': JSON_BODY } })
      expect(await outcomes(`two-${header}`, 1)).toEqual(['REJECTED'])
      const made = await ask(path)
      expect(made.headers[header]).toMatch(/^[0-9a-f]{32}$/)
    }
    expect((await ask('/nowhere')).headers['x-correlation-id']).toMatch(/^[0-9a-f]{32}$/)
  })

  each<[string, number, string]>('%s is answered in JSON: %i', async (path, code, message) => {
    const answer = await now().ask(path)
    expect(answer).toMatchObject({ code, headers: { 'content-type': JSON_BODY } })
    expect(answer.body).toBe(JSON.stringify({ message, status: String(code) }))
  })
})
