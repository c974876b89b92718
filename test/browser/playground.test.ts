/** The playground in a browser: manifests in an editor, and what they mean. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { toFragment } from '../../src/studio/playground/state.ts'
import { expectAccessible } from './accessible.ts'
import { type User, useBrowser } from './chromium.ts'
import { picture } from './pictures.ts'
import { describeOnPage } from './scripts.ts'
import { useStudio } from './studio-server.ts'

const studio = useStudio()
const browser = useBrowser()

async function openPlayground(fragment = '', in_: User = browser): Promise<Page> {
  const page = await in_.open(`${studio.url}playground${fragment === '' ? '' : `#${fragment}`}`)
  await page.getByRole('region', { name: 'Findings' }).waitFor()
  return page
}

/** Opens a link that holds files. */
const openFiles = async (files: Readonly<Record<string, string>>): Promise<Page> =>
  openPlayground(await toFragment({ files: Object.entries(files).map(([file, text]) => ({ file, text })) }))

const editor = (page: Page) => page.getByRole('textbox', { name: 'Manifest' })
const holds = (page: Page, text: string) => expect.poll(() => editor(page).innerText()).toContain(text)

/** Replaces the text in the editor. */
async function write(page: Page, text: string): Promise<void> {
  await editor(page).focus()
  await page.keyboard.press('Control+A')
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(text)
}

const policy = (limits: string): string => `apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata: { name: coffee, namespace: shop }
spec:
  targetRefs: [{ group: gateway.networking.k8s.io, kind: HTTPRoute, name: coffee }]
  rateLimit: { local: { rules: [${limits}] } }
`

const link = (texts: ReadonlyMap<string, string>, names: string) =>
  toFragment({ files: names.split(' ').map((file) => ({ file, text: texts.get(file) ?? '' })) })

describeOnPage(browser, 'playground', (player) => ({
  variables: () => ({ URL: `${studio.url}playground` }),
  steps: {
    open: async () => player.use(await openPlayground('', player.user)),
    /** Opens a link with files; `follow` goes there within the page, and `copy` opens the address in another tab. */
    files: async (names, texts) => player.use(await openPlayground(await link(texts, names))),
    async follow(names, texts) {
      await player.page().evaluate(`location.hash = '${await link(texts, names)}'`)
    },
    async copy(tab) {
      const page = await player.user.open(player.page().url())
      player.tab = tab
      player.use(page)
    },
    write: (name, texts) => write(player.page(), texts.get(name) ?? ''),
    /** Takes the proposal that is chosen. The editor ignores keys in the first 75 ms of a list, as they are meant for the text. */
    async accept(name) {
      const page = player.page()
      await page.getByRole('option', { name: new RegExp(`^${name}`), selected: true }).waitFor()
      await page.waitForTimeout(200)
      await page.keyboard.press('Enter')
    },
  },
}))

test('a change that is too large to be kept: that is said', async () => {
  const text = `# ${'x'.repeat(6_000_000)}\n`
  const page = await openFiles({ 'a.yaml': 'kind: X', 'b.yaml': text })
  await holds(page, 'kind: X')
  await write(page, 'kind: Changed')
  await page.getByText('too large to be kept in this tab').waitFor()
})

test.each([
  ['of another version', '9.abc', /of another version of sluice/],
  ['that is cut off', '', /damaged/],
])('a link %s is refused in words', async (_, fragment, words) => {
  const whole = await toFragment({ files: [{ file: 'a.yaml', text: 'a: 1\n'.repeat(50) }] })
  const page = await openPlayground(fragment === '' ? whole.slice(0, -9) : fragment)
  expect(await page.getByRole('alert').first().innerText()).toMatch(words)
})

test('names from manifests are text', async () => {
  const name = '<img src=x onerror=document.title=1>'
  const page = await openFiles({ [name]: policy('{ key: $host, rate: 10R/S }').replace('coffee', `'${name}'`) })
  for (const tab of ['nginx configuration', 'Limits', 'Conditions', 'Admission', 'Update', 'Findings'])
    await page.getByRole('tab', { name: tab }).click()
  expect(await page.locator('img').count()).toBe(0)
  expect(await page.title()).toBe('Playground – sluice')
})

const VIEWS = [
  ['A key that changes without its zone', ['Update']],
  ['Mistakes, with fixes', ['nginx configuration', 'Limits', 'Conditions', 'Admission', 'Findings']],
] as const

test('nothing is found by axe-core in any view, and none is wider than a phone', async () => {
  const own = await browser.other(undefined, { viewport: { width: 1280, height: 820 } })
  const page = await openPlayground('', own)
  for (const [example, tabs] of VIEWS) {
    await page.getByLabel('Example').selectOption(example)
    for (const tab of tabs) {
      await page.getByRole('tab', { name: tab }).click()
      await expect.poll(() => page.getByRole('tabpanel').innerText()).not.toMatch(/^$|Loading …/)
      await expectAccessible(page)
    }
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await picture(page, `playground-${colorScheme}`)
  }
})
