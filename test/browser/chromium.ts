/** Debian's Chromium, driven by playwright-core, and what a page does in it that no page should. */
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'

export type { Page } from 'playwright-core'

/** Without them Chromium asks for addresses of its own. */
const ARGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  ...['--disable-component-update', '--disable-sync'],
]

/** Somebody who uses the browser: with cookies and a storage of their own. */
export type User = {
  /** Opens an address in a new tab. It is wrong of the tab to ask another origin, or to say an error. */
  open(url: string): Promise<Page>
}

type Session = User & {
  readonly context: BrowserContext
  /** Errors of pages and requests to other origins, which no page should have. */
  readonly wrong: readonly string[]
}

/** A browser with a user. */
export type Browser = Session & {
  /** Another user. The console may say what is expected of requests that are made to fail. */
  other(expected?: RegExp, options?: BrowserContextOptions): Promise<Session>
  stop(): Promise<void>
}

/** Starts it. */
export async function startBrowser(expected?: RegExp): Promise<Browser> {
  const chrome = await chromium.launch({ executablePath: '/usr/bin/chromium', headless: true, args: ARGS })
  const other: Browser['other'] = async (words, options = {}) => {
    const context = await chrome.newContext({ ignoreHTTPSErrors: true, ...options })
    const wrong: string[] = []
    return { context, wrong, open: async (url) => watched(await context.newPage(), { url, wrong, expected: words }) }
  }
  return { ...(await other(expected)), other, stop: () => chrome.close() }
}

type Watched = { readonly url: string; readonly wrong: string[]; readonly expected: RegExp | undefined }

async function watched(page: Page, { url, wrong, expected }: Watched): Promise<Page> {
  page.on('console', (message) => {
    if (message.type() === 'error' && !expected?.test(message.text())) wrong.push(message.text())
  })
  page.on('pageerror', (error) => wrong.push(String(error)))
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    const asks = `asks ${request.url()}`
    if (/^https?:$/.test(protocol) && origin !== new URL(url).origin && !expected?.test(asks)) wrong.push(asks)
  })
  await page.goto(url)
  return page
}

/** Has a browser for the tests of the file: tabs are closed after each, and nothing may be wrong. */
export function useBrowser(expected?: RegExp): Pick<Browser, 'open' | 'other'> {
  let browser: Browser
  const inTest = (user: User) => async (url: string) => {
    const page = await user.open(url)
    onTestFinished(() => page.close())
    return page
  }
  beforeAll(async () => {
    browser = await startBrowser(expected)
  })
  afterAll(async () => {
    await browser?.stop()
    expect(browser?.wrong, 'errors of the page').toEqual([])
  })
  return {
    open: (url) => inTest(browser)(url),
    async other(words, options) {
      const user = await browser.other(words, options)
      onTestFinished(async () => {
        await user.context.close()
        expect(user.wrong, 'errors of the page').toEqual([])
      })
      return { ...user, open: inTest(user) }
    },
  }
}
