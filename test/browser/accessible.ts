/** What axe-core finds in a page, in each of the forms in which people see it. */
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { share } from '../runs.ts'

const FORMS = [
  { colorScheme: 'light', width: 1200 },
  { colorScheme: 'dark', width: 1200 },
  { colorScheme: 'light', width: 360 },
] as const

/** Fails where it finds something, by day in one of the forms, or where a page is wider than its screen. The page is as before afterwards. */
export async function expectAccessible(page: Page): Promise<void> {
  const before = page.viewportSize()
  for (const { width } of FORMS) {
    await page.setViewportSize({ width, height: 800 })
    // A plot gets its new width a moment later.
    const wider = () => page.evaluate('document.documentElement.scrollWidth - innerWidth')
    await expect.poll(wider, { message: `wider than ${width} px` }).toBeLessThanOrEqual(0)
  }
  for (const { colorScheme, width } of share(FORMS, 1)) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    expect(await violationsOf(page), `${colorScheme}, ${width} px wide`).toEqual([])
  }
  await page.emulateMedia({ colorScheme: null })
  if (before) await page.setViewportSize(before)
}

/** What axe-core finds in a page as it is. */
async function violationsOf(page: Page): Promise<readonly string[]> {
  // By the protocol of the browser, to which the Content-Security-Policy does not apply.
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`)
}
