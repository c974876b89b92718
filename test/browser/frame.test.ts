import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Browser, startBrowser } from './chromium.ts'
import { startStudio } from './studio-server.ts'

let browser: Browser
let studio: Awaited<ReturnType<typeof startStudio>>

beforeAll(async () => {
  ;[browser, studio] = await Promise.all([startBrowser(), startStudio()])
})

afterAll(async () => {
  await studio.stop()
  await browser.stop()
})

test('the page shows the view that its address names', async () => {
  const page = await browser.open(`${studio.url}playground`)
  await page.getByRole('heading', { name: 'Playground' }).waitFor()
  await page.getByRole('link', { name: 'Services' }).click()
  await page.getByRole('heading', { name: 'Services' }).waitFor()
  expect(await page.title()).toBe('Services – sluice')
})
