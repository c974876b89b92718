/** What somebody types on the page of the management API, and has not stored yet: it stays in its tab. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Browser, startBrowser } from './chromium.ts'
import { button, fill, signedIn } from './management-page.ts'
import { type ManagementServer, startManagement } from './management-server.ts'

let server: ManagementServer
let browser: Browser

beforeAll(async () => {
  ;[server, browser] = await Promise.all([startManagement({ hasNginx: false }), startBrowser()])
})

afterAll(async () => {
  await browser.stop()
  await server.stop()
})

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
    onTestFinished(() => page.close())
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
  onTestFinished(() => page.close())
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
  onTestFinished(() => page.close())
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
