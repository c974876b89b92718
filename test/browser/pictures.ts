/** The pictures of the docs, made by the tests: `SLUICE_RECORD=1 npm run test:browser`. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Locator, Page } from 'playwright-core'

const IMAGES = fileURLToPath(new URL('../../docs/images/', import.meta.url))

/** Takes the picture of a page, or of a part of it, where pictures are recorded. `fullPage`: also what is below the window. */
export async function picture(of: Page | Locator, name: string, fullPage = false): Promise<void> {
  if (!process.env.SLUICE_RECORD) return
  mkdirSync(IMAGES, { recursive: true })
  await of.screenshot({ path: join(IMAGES, `${name}.png`), ...(fullPage ? { fullPage } : {}) })
}
