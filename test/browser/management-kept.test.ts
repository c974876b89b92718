/** What somebody types on the page of the management API, and has not stored yet: it stays in its tab. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { useBrowser } from './chromium.ts'
import { button, fill, managementSteps, signedIn } from './management-page.ts'
import { useManagement } from './management-server.ts'
import { describeOnPage } from './scripts.ts'

const server = useManagement({ hasNginx: false })
// 401: what is asked while somebody signs out.
const browser = useBrowser(/status of 4(?:01|04|09|12)/)

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
  ['#/tokens', 'Add Token', { Name: 'ci' }],
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

describeOnPage(browser, 'kept', managementSteps(server))
