/** Debian's Chromium, driven by playwright-core, and what a page does in it that no page should. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'

export type { Page } from 'playwright-core'

/** Without them Chromium asks for addresses of its own. */
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** A browser with a user of its own. */
export type Browser = {
  readonly context: BrowserContext
  /** Opens an address in a new tab. The tab fails the test where it asks another origin, or says an error. */
  open(url: string): Promise<Page>
  /** Errors of pages and requests to other origins, which no page should have. */
  readonly wrong: readonly string[]
  stop(): Promise<void>
}

/** Starts it. */
export async function startBrowser(
  options: Parameters<typeof chromium.launchPersistentContext>[1] = {},
  /** What the console may say of requests that a test makes fail. */
  expected?: RegExp,
): Promise<Browser> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-chromium-'))
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: '/usr/bin/chromium',
    headless: true,
    args: ARGS,
    ignoreHTTPSErrors: true,
    ...options,
  })
  const wrong: string[] = []
  return {
    context,
    wrong,
    async open(url) {
      const page = await context.newPage()
      page.on(
        'console',
        (message) => message.type() === 'error' && !expected?.test(message.text()) && wrong.push(message.text()),
      )
      page.on('pageerror', (error) => wrong.push(String(error)))
      page.on('request', (request) => {
        const { protocol, origin } = new URL(request.url())
        if (/^https?:$/.test(protocol) && origin !== new URL(url).origin) wrong.push(`asks ${request.url()}`)
      })
      await page.goto(url)
      return page
    },
    async stop() {
      await context.close()
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
      expect(wrong, 'errors of the page').toEqual([])
    },
  }
}
