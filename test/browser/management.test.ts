/** API management in a browser, with a real server and a real nginx behind it: what there is beside the form of a rate limit. */
import { expect, test } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { useBrowser } from './chromium.ts'
import {
  addRateLimit,
  button,
  fill,
  managementSteps,
  openProxy,
  proxyPlace,
  publish,
  signedIn,
  signIn,
} from './management-page.ts'
import { otherManagement, proxy, useManagement } from './management-server.ts'
import { picture } from './pictures.ts'
import { describeOnPage } from './scripts.ts'

const server = useManagement()
const browser = useBrowser()

test('hundreds of proxies are found by a part of their name', async () => {
  await server.call('POST', '/services/workspaces', { name: 'many' })
  const numbers = Array.from({ length: 230 }, (_, index) => index)
  for (let from = 0; from < numbers.length; from += 46)
    await Promise.all(
      numbers.slice(from, from + 46).map(async (number) => {
        const response = await server.call('POST', '/services/workspaces/many/proxies', { name: `proxy-${number}` })
        expect(response.status).toBe(202)
      }),
    )
  const page = await signedIn(browser, server, '#/services/many')
  await page.getByText('100 of 230 are shown').waitFor()
  await button(page, 'Show more').click()
  await page.getByText('200 of 230 are shown').waitFor()
  await button(page, 'Name').click()
  await expect.poll(() => page.getByRole('rowheader').first().textContent()).toBe('proxy-99')
  await page.getByLabel('Find').fill('PROXY-22')
  await expect.poll(() => page.getByRole('link', { name: 'Edit Proxy' }).count()).toBe(11)
  await page.getByLabel('Which are').selectOption('failed')
  await page.getByText('0 found').waitFor()
  await expectAccessible(page)
  await page.getByLabel('Which are').selectOption('any')
  await page.getByText('11 found').waitFor()
})

test('names with markup in them are text', async () => {
  const markup = '<img src=x onerror="document.title=\'broken\'">'
  const page = await openProxy(browser, server, 'markup', { 'x<b>y</b>': [{ note: markup }], [markup]: [] })
  await page
    .getByText(`Other policies, which stay as they are: ${markup}`, { exact: false })
    .or(page.getByText(markup, { exact: false }))
    .first()
    .waitFor()
  await page.getByRole('tab', { name: 'JSON' }).click()
  const text = page.getByLabel('Body of the proxy')
  await text.fill((await text.inputValue()).replaceAll('onerror', 'onload'))
  await page.getByRole('region', { name: 'Stored and With your changes' }).getByText('onload').first().waitFor()
  await publish(page, 2)
  await page.getByRole('tab', { name: 'History' }).click()
  await page.getByText('Revision 2: changed by admin').click()
  for (const tab of ['nginx configuration', 'Policies', 'Settings']) await page.getByRole('tab', { name: tab }).click()
  expect(await page.locator('img, b').count()).toBe(0)
  expect(await page.title()).toBe('API management – sluice')
})

test('with TLS the cookie has the prefix that binds it to the host', async () => {
  const secure = await otherManagement({ isEncrypted: true, hasNginx: false })
  const own = await browser.other()
  const page = await signedIn(own, secure)
  await page.getByRole('heading', { name: 'Services' }).waitFor()
  const cookies = await own.context.cookies()
  expect(cookies).toMatchObject([
    { name: '__Host-sluice-session', httpOnly: true, secure: true, sameSite: 'Strict', path: '/' },
  ])
  expect(await page.evaluate('document.cookie')).toBe('')
})

test('axe-core finds nothing in any view, light, dark, and on the width of a phone', async () => {
  const own = await browser.other(undefined, { viewport: { width: 1200, height: 900 } })
  const page = await own.open(server.url)
  await page.getByLabel('User').waitFor()
  await expectAccessible(page)
  await signIn(page)
  await page.getByRole('link', { name: 'shop' }).waitFor()
  await expectAccessible(page)
  for (const [place, words] of [
    ['#/services/shop', 'Edit Proxy'],
    ['#/services/shop/environments/default', 'Save and Submit'],
    ['#/users', 'Add User'],
    ['#/tokens', 'Add Token'],
    ['#/audit', 'Show more'],
    ['#/account', 'Change password'],
  ] as const) {
    await page.goto(server.url + place)
    await page.getByText(words).first().waitFor()
    await expectAccessible(page)
  }
  const body = proxy('checkout', server.backendPort)
  await server.call('POST', '/services/workspaces/shop/proxies', body)
  await page.goto(server.url + proxyPlace('checkout'))
  await page.getByText('nginx has revision 1.').waitFor()
  const group = await addRateLimit(page)
  await fill(group, 'Limit', '90')
  await group.getByLabel('Limit unit').selectOption('per minute')
  await group.getByLabel('Throttle excess requests').check()
  await button(page, 'Add').click()
  await expectAccessible(page)
  await fill(group, 'Limit', '120')
  await fill(group, 'Burst', '12')
  await fill(group, 'Delay', '4')
  await picture(page, 'management-form', true)
  await button(page, 'Add').click()
  for (const tab of ['Settings', 'JSON', 'nginx configuration', 'Simulation', 'History', 'Policies']) {
    await page.getByRole('tab', { name: tab }).click()
    await expect.poll(() => page.getByText('Loading …').count()).toBe(0)
    await expectAccessible(page)
  }
  await picture(page, 'management-proxy', true)
})

// At the end, as its last test ends the server.
describeOnPage(browser, 'management', managementSteps(server))
