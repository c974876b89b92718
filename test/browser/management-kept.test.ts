/** What somebody types on the page of the management API, and has not stored yet: it stays in its tab. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useBrowser } from './chromium.ts'
import { addRateLimit, button, fill, proxyPlace, signedIn } from './management-page.ts'
import { limits, proxy, useManagement } from './management-server.ts'

const server = useManagement({ hasNginx: false })
const browser = useBrowser(/status of 4(?:04|09|12)/)

/** The fields of a form below what opens it, by their names. */
const fieldsOf = (page: Page, summary: string) =>
  page.locator('details').filter({ has: page.getByText(summary, { exact: true }) })

const typedIn = (page: Page, summary: string, label: string) =>
  fieldsOf(page, summary).getByLabel(label, { exact: true }).inputValue()

test.each([
  ['#/services/shop', 'Add Proxy', { Name: 'half', 'Base path': '/half', 'Backend port': '81' }],
  ['#/services/shop', 'Add Environment', { Name: 'stage' }],
  ['#/services', 'Add Workspace', { Name: 'team' }],
  ['#/users', 'Add User', { Name: 'eve' }],
] as const)(
  'at %s, %s keeps what is typed on a reload and on the way to another view',
  async (place, summary, typed) => {
    const page = await signedIn(browser, server, place)
    await page.getByText(summary, { exact: true }).click()
    for (const [label, value] of Object.entries(typed)) await fill(fieldsOf(page, summary), label, value)
    const expectKept = async () => {
      for (const [label, value] of Object.entries(typed)) {
        await fieldsOf(page, summary).getByLabel(label, { exact: true }).waitFor()
        expect(await typedIn(page, summary, label)).toBe(value)
      }
    }
    await page.reload()
    await expectKept()
    await page.getByRole('link', { name: 'admin' }).click()
    await page.getByRole('heading', { name: 'Your password' }).waitFor()
    await page.goBack()
    await expectKept()
    await button(page, 'Sign out').click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
  },
)

test('what is added is forgotten, with the form', async () => {
  const page = await signedIn(browser, server, '#/services/shop')
  await page.getByText('Add Environment', { exact: true }).click()
  await fill(fieldsOf(page, 'Add Environment'), 'Name', 'made')
  await button(page, 'Add environment').click()
  await page.getByRole('link', { name: 'made' }).waitFor()
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Add Environment')
  await page.reload()
  await page.getByRole('link', { name: 'made' }).waitFor()
  expect(await button(page, 'Add environment').isVisible()).toBe(false)
  await page.getByText('Add Environment', { exact: true }).click()
  expect(await typedIn(page, 'Add Environment', 'Name')).toBe('')
})

test('a password is kept nowhere', async () => {
  const page = await signedIn(browser, server, '#/users')
  await page.getByText('Add User', { exact: true }).click()
  await fill(fieldsOf(page, 'Add User'), 'Name', 'mallory')
  await page.getByLabel('First password').fill('a very secret password')
  await fieldsOf(page, 'Add User').getByLabel('reader').check()
  expect(await page.evaluate('JSON.stringify([sessionStorage, localStorage])')).not.toContain('secret')
  await page.reload()
  await page.getByLabel('First password').waitFor()
  expect(await page.getByLabel('First password').inputValue()).toBe('')
  expect(await fieldsOf(page, 'Add User').getByLabel('reader').isChecked()).toBe(true)
})

/** Makes a change of a proxy that is not stored. */
async function changed(page: Page, limit: string): Promise<void> {
  await fill(await addRateLimit(page), 'Limit', limit)
  await button(page, 'Add').click()
  await page.getByText(`${limit} per second by client.ip`).waitFor()
}

test('changes of a proxy that somebody deletes meanwhile can be stored as a new one', async () => {
  await server.call('POST', '/services/workspaces/shop/proxies', proxy('gone', server.backendPort))
  const page = await signedIn(browser, server, proxyPlace('gone'))
  await changed(page, '55')
  await server.call('DELETE', '/services/workspaces/shop/proxies/gone')
  const told = page.getByRole('region', { name: 'Your changes' })
  await told.getByText('"rate": "55r/s"').waitFor()
  await page.reload()
  await told.getByText('Your changes are not stored.').waitFor()
  await button(page, 'Store it as a new proxy').click()
  await page.getByText('None. What you change in gone').waitFor()
  expect(await limits(server, 'gone')).toMatchObject([{ rate: '55r/s' }])
  expect(await told.count()).toBe(0)
})

test('they can be dropped, too', async () => {
  await server.call('POST', '/services/workspaces/shop/proxies', proxy('dropped', server.backendPort))
  const page = await signedIn(browser, server, proxyPlace('dropped'))
  await changed(page, '56')
  await server.call('DELETE', '/services/workspaces/shop/proxies/dropped')
  await button(page, 'Drop my changes').click()
  await page.reload()
  await page.getByText('There is no such proxy').waitFor()
  expect(await page.getByRole('region', { name: 'Your changes' }).count()).toBe(0)
})

test('what replaces the changes of somebody else is said until it is published', async () => {
  await server.call('POST', '/services/workspaces/shop/proxies', proxy('both', server.backendPort))
  const page = await signedIn(browser, server, proxyPlace('both'))
  await changed(page, '57')
  const theirs = { ...proxy('both', server.backendPort), metadata: { by: 'them' } }
  await server.call('PUT', '/services/workspaces/shop/proxies/both', theirs)
  await button(page, 'Replace theirs with mine').click()
  const said = page.getByText('Nothing is replaced yet: Save & Publish replaces theirs with yours.')
  await said.waitFor()
  await page.reload()
  await said.waitFor()
  await button(page, 'Save & Publish').click()
  await page.getByText('None. What you change in both').waitFor()
  expect(await said.count()).toBe(0)
})
