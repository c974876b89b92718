/** API management in a browser, with a real server and a real nginx behind it: what there is beside the form of a rate limit. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { useBrowser } from './chromium.ts'
import {
  addRateLimit,
  button,
  descriptionOf,
  fill,
  openProxy,
  proxyPlace,
  publish,
  signedIn,
  signIn,
  statuses,
  stipulation,
} from './management-page.ts'
import { limits, otherManagement, PASSWORD, proxy, useManagement } from './management-server.ts'
import { picture } from './pictures.ts'

const server = useManagement()
const browser = useBrowser()

test('two tabs that edit the same proxy: the second one is told, and decides', async () => {
  const own = await browser.other(/status of 412/)
  await server.call('POST', '/services/workspaces/shop/proxies', proxy('shared', server.backendPort))
  const [mine, theirs] = [
    await signedIn(own, server, proxyPlace('shared')),
    await signedIn(own, server, proxyPlace('shared')),
  ]
  const typed = async (page: Page, limit: string) => {
    // Browsers let the timers of other tabs wait.
    await page.bringToFront()
    await fill(await addRateLimit(page), 'Limit', limit)
    await button(page, 'Add').click()
  }
  await typed(mine, '11')
  await typed(theirs, '22')
  await publish(theirs, 2)
  const told = mine.getByRole('alert', { name: 'Changed meanwhile' })
  await told.getByText('22r/s').waitFor()
  expect(await button(mine, 'Save & Publish').isDisabled()).toBe(true)
  await mine.bringToFront()
  await button(mine, 'Replace theirs with mine').click()
  await publish(mine, 3)
  expect(await limits(server, 'shared')).toMatchObject([{ rate: '11r/s' }])
  await theirs.getByText('11 per second').waitFor()
  await typed(mine, '33')
  await theirs.bringToFront()
  await button(theirs, 'Remove Rate Limit 1').click()
  await publish(theirs, 4)
  await told.waitFor()
  await mine.bringToFront()
  await button(mine, 'Drop my changes').click()
  await mine.getByText('There is no rate limit yet.').waitFor()
})

test('the state of what nginx refuses is told by events, with its words', async () => {
  const page = await openProxy(browser, server, 'refused')
  const body = proxy('refused', server.backendPort)
  const [backend] = body.proxyConfig.backends
  const lost = { ...body.proxyConfig, backends: [{ ...backend, serviceTargets: [{ hostname: 'nowhere.invalid' }] }] }
  await server.call('PUT', '/services/workspaces/shop/proxies/refused', { ...body, proxyConfig: lost })
  await page
    .getByText(/Failed.*host not found in upstream.*The last form that nginx accepted stays in force/i)
    .waitFor()
})

test('an environment has gateways, what each has, and policies for all of its proxies', async () => {
  await server.call('POST', '/infrastructure/workspaces/shop/environments', { name: 'prod', gateways: [] })
  await server.call('POST', '/services/workspaces/shop/proxies', {
    ...proxy('pears', server.backendPort),
    environment: 'prod',
  })
  const page = await signedIn(browser, server, proxyPlace('pears'))
  await page.getByText('No gateway', { exact: true }).waitFor()
  await button(page, 'Save and Submit').click()
  await page.getByText('The environment prod names no gateway, so nothing is in force.').waitFor()
  await page.getByRole('link', { name: 'prod' }).click()
  await page.getByLabel('local: the nginx of this server').check()
  await fill(await openNewPolicy(page), 'Limit', '1')
  await button(page, 'Add').click()
  await button(page, 'Save and Submit').click()
  await page.getByRole('list', { name: 'What it has' }).getByText('In force').waitFor()
  expect(new Set(await statuses(server.nginxPort, '/pears'))).toEqual(new Set([200, 429]))
  await page.getByLabel('local: the nginx of this server').uncheck()
  await button(page, 'Save and Submit').click()
  await page.getByText('No gateway is named').waitFor()
  await expect.poll(() => statuses(server.nginxPort, '/pears', 1)).toEqual([404])
})

async function openNewPolicy(page: Page) {
  await button(page, 'Add Policy').click()
  await page.getByRole('menuitem', { name: 'Rate Limit' }).click()
  return stipulation(page, 1)
}

test('the history says who changed what, and leads back', async () => {
  const page = await openProxy(browser, server, 'history', {
    'rate-limit': [{ action: { limits: [{ rate: '3r/s' }] } }],
  })
  await button(page, 'Remove Rate Limit 1').click()
  await publish(page, 2)
  await page.getByRole('tab', { name: 'History' }).click()
  await page.getByText('Revision 2: changed by admin').click()
  await page.getByRole('region', { name: 'Changes of revision 2' }).getByText('3r/s').waitFor()
  await button(page, 'Go back to revision 1').click()
  await page.getByText('nginx has revision 3.').waitFor()
  expect(await limits(server, 'history')).toMatchObject([{ rate: '3r/s' }])
  await page.getByText('Revision 3: restored by admin').waitFor()
})

test('a user is added, signs in, chooses a password, and sees what the roles allow', async () => {
  const page = await signedIn(browser, server, '#/users')
  await page.getByText('Add User', { exact: true }).click()
  await page.getByLabel('Name', { exact: true }).fill('ada')
  await page.getByLabel('First password').fill('a first password')
  const made = page.getByRole('group').filter({ has: page.getByLabel('First password') })
  await made.getByLabel('reader').check()
  await button(page, 'Add user').click()
  await page.getByRole('list', { name: 'Users' }).getByText('ada', { exact: true }).waitFor()
  const own = await browser.other(/status of 40[13]/)
  const hers = await own.open(server.url)
  await signIn(hers, 'ada', 'a wrong password')
  await hers.getByText('There is no such user with this password.').waitFor()
  await signIn(hers, 'ada', 'a first password')
  await hers.getByLabel('Password now').fill('a first password')
  await hers.getByLabel('New password', { exact: true }).fill('a second password')
  await hers.getByLabel('New password, again').fill('a second passwort')
  await hers.getByText('These are two different passwords.').waitFor()
  await hers.getByLabel('New password, again').fill('a second password')
  await button(hers, 'Change password').click()
  await hers.getByRole('link', { name: 'shop' }).click()
  await hers.getByRole('link', { name: 'Edit Proxy' }).first().click()
  await hers.getByRole('tab', { name: 'Policies' }).click()
  await hers
    .getByText(/There is no rate limit yet|per second/)
    .first()
    .waitFor()
  expect(await hers.getByRole('button', { name: /Save|Add Policy/ }).count()).toBe(0)
  await page.getByText('ada', { exact: true }).click()
  await button(page, 'Delete ada').click()
  await expect.poll(() => page.getByRole('list', { name: 'Users' }).getByText('ada', { exact: true }).count()).toBe(0)
  await hers.getByRole('link', { name: 'Services' }).click()
  await hers.getByRole('heading', { name: 'Sign in again' }).waitFor()
})

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
  await page.getByText('200 of 230 are shown').waitFor()
  await page.getByLabel('Find').fill('proxy-22')
  await expect.poll(() => page.getByRole('link', { name: 'Edit Proxy' }).count()).toBe(11)
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

// The last one, as the server ends here.
test('a session that has ended is begun again, and nothing that was typed is lost', async () => {
  const page = await signedIn(await browser.other(/status of 401|ERR_/), server, proxyPlace('orders'))
  await fill(await addRateLimit(page), 'Limit', '44')
  // The server forgets its sessions, and its page is told nothing.
  await server.end()
  await page.getByText('The server does not answer.').waitFor()
  await server.start()
  await page.getByRole('heading', { name: 'Sign in again' }).waitFor()
  expect(await page.getByLabel('User').inputValue()).toBe('admin')
  await page.getByLabel('Password').fill(PASSWORD)
  await button(page, 'Sign in').click()
  expect(await stipulation(page, 1).getByLabel('Limit', { exact: true }).inputValue()).toBe('44')
  await button(page, 'Add').click()
  await publish(page, 2)
  expect(await page.getByText('The server does not answer.').count()).toBe(0)
  await button(page, 'Sign out').click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('what another workspace has, and where no proxy may pass requests, is said at the field', async () => {
  await server.call('POST', '/services/workspaces', { name: 'beside' })
  const own = await browser.other(/status of 40[39]/)
  const page = await signedIn(own, server, '#/services/beside')
  await page.getByText('Add Proxy', { exact: true }).click()
  const form = page.getByRole('region', { name: 'API proxies' })
  const field = (label: string) => form.getByLabel(label, { exact: true })
  const typed = { Name: 'taking', Hostname: 'any.example', 'Base path': '/x', 'Backend host': '0xa9fea9fe' }
  for (const [label, value] of Object.entries(typed)) await field(label).fill(value)
  const said = async (label: string, words: RegExp) => {
    await button(page, 'Add proxy').click()
    await expect.poll(() => descriptionOf(field(label))).toMatch(words)
    expect(await field(label).getAttribute('aria-invalid')).toBe('true')
  }
  await said('Backend host', /is where clouds tell secrets, which only an administrator allows/)
  await field('Backend host').fill('127.0.0.1')
  await said('Hostname', /would take requests for any\.example that the proxy \S+ of the workspace shop answers/)
  expect(await descriptionOf(field('Backend host'))).toBe('')
  await field('Hostname').fill('')
  await field('Version').fill('orders')
  await field('Base path').fill('/inner')
  await said('Base path', /would take requests that the proxy orders of the workspace shop answers/)
  await expectAccessible(page)
  await field('Version').fill('v7')
  await button(page, 'Add proxy').click()
  await page.getByRole('heading', { name: 'taking' }).waitFor()
  await page.getByRole('tab', { name: 'Settings' }).click()
  await page.getByLabel('Hostname', { exact: true }).fill('any.example')
  await button(page, 'Save & Publish').click()
  await expect.poll(() => descriptionOf(page.getByLabel('Hostname', { exact: true }))).toMatch(/would take requests/)
})
