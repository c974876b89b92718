/** What the page may do in a browser, and what nobody can make it do. */
import { describe, expect, test } from 'vitest'
import { toFragment } from '../../src/studio/playground/state.ts'
import { casesOf } from '../support/cases.ts'
import { useBrowser } from './chromium.ts'
import { signedIn } from './management-page.ts'
import { useManagement } from './management-server.ts'

const server = useManagement({ hasNginx: false })
const browser = useBrowser()

const { cases, each } = casesOf(import.meta.url)

const POLICY = cases<string[]>('policy').join('; ')

test.each(['', 'playground'])('the page at /%s has a policy without any exception', async (path) => {
  const { headers } = await fetch(server.url + path)
  expect(headers.get('content-security-policy')).toBe(POLICY)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
})

/** Tries something in the page, in a browser whose console may say that it was refused. */
async function attempt(script: string): Promise<unknown> {
  const own = await browser.other(/Content Security Policy|Content-Security-Policy|Trusted/i)
  const page = await own.open(`${server.url}playground`)
  await page.getByRole('heading', { name: 'Playground' }).waitFor()
  const outcome = await page.evaluate(script).catch((error: unknown) => String(error))
  await page.waitForTimeout(200)
  return [outcome, await page.evaluate('globalThis.broken')]
}

describe('the browser refuses', () => {
  each<[string, string, RegExp]>(
    '%s',
    async (_, script, words) => {
      const [outcome, broken] = (await attempt(script)) as [unknown, unknown]
      expect(String(outcome)).toMatch(words)
      expect(broken).toBeUndefined()
    },
    'attempts',
  )

  test('a frame around the page', async () => {
    const own = await browser.other(/frame-ancestors/)
    const page = await own.context.newPage()
    await page.setContent(`<iframe src="${server.url}"></iframe>`)
    await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error/)
  })
})

test('names with markup in them are text in the playground', async () => {
  const markup = '<img src=x onerror="broken = 1">'
  const text = `apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata: { name: '${markup}', namespace: '${markup}' }
spec:
  targetRefs: [{ group: gateway.networking.k8s.io, kind: HTTPRoute, name: '${markup}' }]
  rateLimit: { local: { rules: [{ key: '${markup}', rate: '${markup}', zoneSize: 10m }] } }
`
  const fragment = await toFragment({ files: [{ file: `${markup}.yaml`, text }], target: `HTTPRoute/${markup}` })
  const page = await browser.open(`${server.url}playground#${fragment}`)
  await page.getByRole('region', { name: 'Findings' }).getByText('is not a valid rate').waitFor()
  for (const tab of await page.getByRole('tab').all()) {
    await tab.click()
    await expect.poll(() => page.getByText('Loading …').count()).toBe(0)
  }
  expect(await page.locator('img[src="x"]').count()).toBe(0)
  expect(await page.evaluate('globalThis.broken')).toBeUndefined()
})

test('nothing of a session is left in the browser but its cookie', async () => {
  const page = await signedIn(browser, server)
  await page.getByRole('heading', { name: 'Services' }).waitFor()
  const kept = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')
  expect(kept).toBe('[{},{},""]')
})
