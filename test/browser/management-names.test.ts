/** The longest names that the management API takes, on its page: none makes it wider than the screen. */
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { useBrowser } from './chromium.ts'
import { addRateLimit, button, fill, signedIn } from './management-page.ts'
import { proxy, useManagement } from './management-server.ts'

const longest = (letter: string): string => letter.repeat(128)
const [WORKSPACE, NAME, ENVIRONMENT, USER, TOKEN] = [...'wneut'].map(longest) as [
  string,
  string,
  string,
  string,
  string,
]
const HOSTNAME = `${['h', 'o', 's'].map((letter) => letter.repeat(63)).join('.')}.${'t'.repeat(61)}`
const VERSION = 'v'.repeat(64)
const PROXY = `#/services/${WORKSPACE}/proxies/${NAME}?hostname=${HOSTNAME}&version=${VERSION}`

const server = useManagement({ hasNginx: false })
const browser = useBrowser()

beforeAll(async () => {
  const made = async (path: string, body: object) =>
    expect((await server.call('POST', path, body)).status, path).toBeLessThan(300)
  await made('/services/workspaces', { name: WORKSPACE })
  const environments = `/infrastructure/workspaces/${WORKSPACE}/environments`
  await made(environments, { name: ENVIRONMENT, gateways: ['local', longest('g')] })
  await made('/users', { name: USER, password: 'a first password', roles: [`editor:${WORKSPACE}`] })
  const expires = new Date(Date.now() + 60_000).toISOString()
  await made('/tokens', { name: TOKEN, roles: [`editor:${WORKSPACE}`], expires })
  const hostnames = `/services/workspaces/${WORKSPACE}/hostnames`
  expect((await server.call('PUT', hostnames, { items: [{ hostname: HOSTNAME }] })).status).toBe(200)
  const { proxyConfig } = proxy(NAME, server.backendPort)
  await made(`/services/workspaces/${WORKSPACE}/proxies`, {
    ...{ name: NAME, version: VERSION, environment: ENVIRONMENT },
    proxyConfig: { ...proxyConfig, hostname: HOSTNAME, policies: { [longest('p')]: [] } },
  })
})

async function expectFits(page: Page, what: string): Promise<void> {
  for (const width of [360, 1200]) {
    await page.setViewportSize({ width, height: 800 })
    const wider = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    expect(wider, `${what}, wider than ${width} px`).toBeLessThanOrEqual(0)
  }
}

test.each([
  ['Services', '#/services', 'Add Workspace'],
  ['the workspace', `#/services/${WORKSPACE}`, 'Edit Proxy'],
  ['the environment', `#/services/${WORKSPACE}/environments/${ENVIRONMENT}`, 'Save and Submit'],
  ['the users', '#/users', 'Add User'],
  ['the tokens', '#/tokens', `Revoke ${TOKEN}`],
  ['the audit log', '#/audit', `token ${TOKEN}`],
])('%s fits', async (what, place, words) => {
  const page = await signedIn(browser, server, place)
  await page.getByText(words).first().waitFor()
  for (const summary of await page.locator('summary').all()) await summary.click()
  await expectFits(page, what)
})

test('the proxy fits, with each of its tabs and with changes', async () => {
  const page = await signedIn(browser, server, PROXY)
  await page.getByText('None. What you change').waitFor()
  await expectFits(page, 'without changes')
  for (const tab of ['Settings', 'JSON', 'nginx configuration', 'Simulation', 'History', 'Policies']) {
    await page.getByRole('tab', { name: tab }).click()
    await expect.poll(() => page.getByText('Loading …').count()).toBe(0)
    for (const summary of await page.locator('summary').all()) await summary.click()
    await expectFits(page, tab)
  }
  const group = await addRateLimit(page)
  await fill(group, 'Limit', '9'.repeat(128))
  await page.getByLabel('Correlation header').fill(longest('x'))
  await button(page, 'Add').click()
  await page.getByText('Not yet').waitFor()
  await expectFits(page, 'the form of a rate limit')
})
