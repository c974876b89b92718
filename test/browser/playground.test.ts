/** The playground in a browser: manifests in an editor, and what they mean. */
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { toFragment } from '../../src/studio/playground/state.ts'
import { expectAccessible } from './accessible.ts'
import { type User, useBrowser } from './chromium.ts'
import { picture } from './pictures.ts'
import { useStudio } from './studio-server.ts'

const studio = useStudio()
const browser = useBrowser()

async function openPlayground(fragment = '', in_: User = browser): Promise<Page> {
  const page = await in_.open(`${studio.url}playground${fragment === '' ? '' : `#${fragment}`}`)
  await page.getByRole('region', { name: 'Findings' }).waitFor()
  return page
}

/** Opens an example, and one of its tabs. */
async function openExample(example: string, tab = 'Findings'): Promise<Page> {
  const page = await openPlayground()
  await page.getByLabel('Example').selectOption(example)
  await page.getByRole('tab', { name: tab }).click()
  return page
}

/** Opens a link that holds files. */
const openFiles = async (files: Readonly<Record<string, string>>): Promise<Page> =>
  openPlayground(await toFragment({ files: Object.entries(files).map(([file, text]) => ({ file, text })) }))

const findings = (page: Page) => page.getByRole('region', { name: 'Findings' })
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

describe('while one types', () => {
  test('a mistake has a finding and a mark, which go when it is corrected', async () => {
    const page = await openPlayground()
    await findings(page).getByText('Nothing to report.').waitFor()
    await write(page, policy('{ key: $binary_remote_addr, rate: 10R/S, zoneSize: 10m }'))
    await findings(page).getByText('"10R/S" is not a valid rate').waitFor()
    expect(await page.locator('.cm-lintRange-error').allTextContents()).toEqual(['10R/S'])
    await write(page, policy('{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'))
    await findings(page).getByText('Nothing to report.').waitFor()
    await expect.poll(() => page.locator('.cm-lintRange-error').count()).toBe(0)
  })

  test('a fix is made by its button, and from the keyboard in the editor', async () => {
    const page = await openPlayground()
    await write(page, policy('{ key: $binary_remote_addr, rate: 10R/S, zoneSize: 10M }'))
    await page.getByRole('button', { name: /^Fix: "10R\/S"/ }).click()
    await holds(page, 'rate: 10r/s')
    await expect.poll(() => findings(page).innerText()).not.toContain('"10R/S"')
  })

  test('a finding leads to its place, in whichever file it is', async () => {
    const page = await openExample('Mistakes, with fixes')
    await page.getByRole('button', { name: 'gateway.yaml' }).click()
    await page.getByRole('button', { name: 'coffee.yaml:16:15' }).click()
    await expect.poll(() => page.locator('.cm-activeLine').innerText()).toContain('rate: 10R/S')
    await expect.poll(() => page.locator('.cm-lintRange-error').allTextContents()).toContain('10R/S')
  })
})

/** Takes the proposal that is chosen. The editor ignores keys in the first 75 ms of a list, as they are meant for the text. */
async function accept(page: Page, name: RegExp): Promise<void> {
  await page.getByRole('option', { name, selected: true }).waitFor()
  await page.waitForTimeout(200)
  await page.keyboard.press('Enter')
}

describe('the editor helps', () => {
  test('with what a rule says, where it found something', async () => {
    const page = await openExample('Mistakes, with fixes')
    await page.locator('.cm-lintRange-error', { hasText: '10R/S' }).hover()
    await page.locator('.cm-help', { hasText: 'gateway/rate-syntax' }).waitFor()
  })

  test('with what a field means', async () => {
    const page = await openPlayground()
    await page.locator('.cm-line', { hasText: 'rejectCode' }).getByText('rejectCode').hover()
    await page.locator('.cm-help', { hasText: 'rejectCode: integer from 400 to 599' }).waitFor()
  })

  test('with the fields of a limit, and with their values', async () => {
    const page = await openExample('A key that changes without its zone')
    await editor(page).focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('        noD')
    await accept(page, /^noDelay/)
    await page.keyboard.type('t')
    await accept(page, /^true/)
    await expect.poll(() => page.locator('.cm-activeLine').innerText()).toBe('        noDelay: true')
  })
})

test('files are added, renamed and removed', async () => {
  const page = await openPlayground()
  await page.getByRole('button', { name: 'Add file' }).click()
  await page.getByRole('button', { name: 'file-4.yaml', pressed: true }).waitFor()
  await page.getByRole('button', { name: 'Rename', exact: true }).click()
  await page.getByLabel('New name').fill('tea.yaml')
  await page.getByRole('button', { name: 'Rename the file' }).click()
  await page.getByRole('button', { name: 'tea.yaml', pressed: true }).waitFor()
  await page.getByRole('button', { name: 'Remove' }).click()
  expect(await page.getByRole('button', { name: 'tea.yaml' }).count()).toBe(0)
})

test('the configuration is what nginx gets, marked where the chosen limit is', async () => {
  const page = await openPlayground()
  await page.getByRole('tab', { name: 'nginx configuration' }).click()
  const region = page.getByRole('region', { name: 'nginx configuration', exact: true })
  await region.getByText('limit_req zone=shop_rl_coffee_rule0 burst=20 delay=8;').waitFor()
  await region.getByLabel('Mark the limit').selectOption('shop_rl_coffee_rule0')
  const marked = await region.locator('mark').allTextContents()
  expect(marked.map((line) => line.trim().split(' ')[0])).toEqual(['limit_req_zone', 'limit_req'])
})

test('conditions are those of the command', async () => {
  const page = await openExample('A Gateway and a route of it', 'Conditions')
  await page.getByRole('region', { name: 'Conditions' }).getByText('2 policies: 2 accepted').waitFor()
})

describe('the limits of a route', () => {
  const layers = (page: Page) => page.getByRole('region', { name: 'Limits', exact: true }).locator('.play-layer > p')
  const markedIn = (page: Page) =>
    page.getByRole('region', { name: 'nginx configuration', exact: true }).locator('mark').allTextContents()

  test('are layers: those of its Gateway, and its own', async () => {
    const page = await openExample('A Gateway and a route of it', 'Limits')
    await expect
      .poll(() => layers(page).allInnerTexts())
      .toEqual(['shop/edge inherited from the Gateway', 'shop/coffee own on this HTTPRoute'])
    await page.getByLabel('Requests to').selectOption('HTTPRoute/shop/tea')
    await expect.poll(() => layers(page).allInnerTexts()).toEqual(['shop/edge inherited from the Gateway'])
  })

  test('have those of a conflicting policy, and why it is not applied', async () => {
    const page = await openExample('Two policies in conflict', 'Limits')
    await expect
      .poll(() => layers(page).allInnerTexts())
      .toEqual([
        'shop/coffee own on this HTTPRoute',
        'shop/partners conflicted sets rejectCode as shop/coffee does, which comes first by name, as creation times are unknown',
      ])
    await page.getByRole('button', { name: 'rules[0] 2r/s per $http_x_api_key' }).click()
    await expect
      .poll(() => page.locator('.cm-pointed').allTextContents())
      .toEqual(expect.arrayContaining(['        rate: 2r/s']))
  })

  test('lead to their directives and to their place in the manifest, in whichever file it is', async () => {
    const page = await openPlayground()
    await page.getByRole('button', { name: 'gateway.yaml' }).click()
    await page.getByRole('tab', { name: 'Limits' }).click()
    await page.getByRole('button', { name: 'rules[0] 10r/s per $binary_remote_addr' }).click()
    await page.getByRole('button', { name: 'coffee.yaml', pressed: true }).waitFor()
    await expect.poll(() => page.locator('.cm-pointed').count()).toBe(5)
    expect((await markedIn(page)).map((line) => line.trim().split(' ')[0])).toEqual(['limit_req_zone', 'limit_req'])
  })

  test('are marked where the cursor is in one', async () => {
    const page = await openExample('A Gateway and a route of it', 'nginx configuration')
    await page.locator('.cm-line', { hasText: 'rate: 5r/s' }).click()
    await expect.poll(async () => (await markedIn(page)).join('')).toContain('zone=shop_rl_coffee_rule0 burst=5')
    await page.locator('.cm-line', { hasText: 'rate: 50r/s' }).click()
    await expect.poll(async () => (await markedIn(page)).join('')).toContain('zone=shop_rl_edge_rule0 burst=50')
  })
})

test('a changed key is found by the comparison with an earlier version', async () => {
  const page = await openExample('A key that changes without its zone')
  await findings(page).getByText('gateway/key-change-without-zone-resize').waitFor()
  await page.getByRole('button', { name: 'Stop comparing' }).click()
  await expect.poll(() => findings(page).innerText()).not.toContain('key-change')
})

test('the answer of the webhook is that for the manifest at the cursor', async () => {
  const page = await openExample('Mistakes, with fixes', 'Admission')
  const admission = page.getByRole('region', { name: 'Admission' })
  await admission.getByText('Denied: RateLimitPolicy shop/coffee is created').waitFor()
  await admission.getByText(/^RateLimitPolicy "shop\/coffee" is denied: .*"10R\/S" is not a valid rate/).waitFor()
  await page.getByRole('button', { name: 'routes.yaml' }).click()
  await admission.getByText('Allowed, with warnings: HTTPRoute shop/coffee is created').waitFor()
  await admission.getByText('RateLimitPolicy "coffee": nginx 1.31 has no variable "$remote_adr"').waitFor()
  await page.locator('.cm-line', { hasText: 'name: tea' }).first().click()
  await admission.getByText('Allowed, with warnings: HTTPRoute shop/tea is created').waitFor()
  await page.getByLabel('Example').selectOption('A key that changes without its zone')
  await admission.getByText('Denied: RateLimitPolicy shop/coffee is updated').waitFor()
})

test('an update is shown side by side, below whether nginx refuses it', async () => {
  const page = await openPlayground()
  await page.getByRole('tab', { name: 'Update' }).click()
  await page.getByText('There is no earlier version.').waitFor()
  await page.getByLabel('Example').selectOption('A key that changes without its zone')
  const update = page.getByRole('region', { name: 'Update', exact: true })
  await update.getByText('nginx will refuse this change when it reloads').waitFor()
  const manifests = update.getByRole('region', { name: 'Before: coffee.yaml and After: coffee.yaml' })
  expect(await manifests.locator('del').allTextContents()).toEqual(['−removed:       - key: $binary_remote_addr\n'])
  const configuration = update.getByRole('region', { name: 'Before: Gateway shop/edge and After: Gateway shop/edge' })
  await configuration.locator('ins', { hasText: 'limit_req_zone $http_x_api_key' }).waitFor()
  await update.getByRole('button', { name: /^Fix, .*: the key changes/ }).click()
  await update.getByText('which nginx would refuse').waitFor()
  await manifests.locator('ins', { hasText: 'zoneSize' }).waitFor()
})

describe('what is changed', () => {
  const restored = (page: Page) => page.getByText('What you had changed in this tab is shown again.')

  test('stays in its tab on a reload, and on the way to another page and back', async () => {
    const page = await openPlayground()
    await write(page, 'kind: Changed')
    await page.reload()
    await holds(page, 'kind: Changed')
    await page.goto('about:blank')
    await page.goto(`${studio.url}playground`)
    await restored(page).waitFor()
    await holds(page, 'kind: Changed')
    const fresh = await openPlayground()
    expect(await restored(fresh).count()).toBe(0)
    expect(await editor(fresh).innerText()).not.toContain('kind: Changed')
    await page.getByRole('button', { name: 'Drop my changes' }).click()
    await expect.poll(() => editor(page).innerText()).not.toContain('kind: Changed')
    await page.reload()
    await findings(page).waitFor()
    expect(await restored(page).count()).toBe(0)
  })

  test('is nothing where one only opens a link', async () => {
    const page = await openFiles({ 'gateway.yaml': 'kind: One' })
    await holds(page, 'kind: One')
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
  })

  test('is that of its link: another one shows what it holds', async () => {
    const [one, other] = await Promise.all(
      ['one', 'other'].map((name) => toFragment({ files: [{ file: 'a.yaml', text: `kind: ${name}` }] })),
    )
    const page = await openPlayground(one)
    await holds(page, 'kind: one')
    await write(page, 'kind: Changed')
    await page.reload()
    await holds(page, 'kind: Changed')
    await page.evaluate(`location.hash = '${other}'`)
    await holds(page, 'kind: other')
    await page.reload()
    await holds(page, 'kind: other')
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByText(/^The link is/).waitFor()
    await write(page, 'kind: After')
    await page.reload()
    await holds(page, 'kind: After')
  })

  test('is too large to be kept: that is said', async () => {
    const text = `# ${'x'.repeat(6_000_000)}\n`
    const page = await openFiles({ 'a.yaml': 'kind: X', 'b.yaml': text })
    await holds(page, 'kind: X')
    await write(page, 'kind: Changed')
    await page.getByText('too large to be kept in this tab').waitFor()
  })
})

describe('a link', () => {
  test('holds all files, and asks no server for them', async () => {
    const page = await openPlayground()
    await write(page, policy('{ key: $host, rate: 3r/s, zoneSize: 10m } # <img src=x onerror=alert(1)>'))
    await page.getByRole('button', { name: 'Copy link' }).click()
    await page.getByText(/^The link is/).waitFor()
    const link = page.url()
    expect(link).toMatch(/#1\.[\w-]+$/)
    const other = await browser.open(link)
    await holds(other, '# <img src=x onerror=alert(1)>')
    expect(await other.locator('img').count()).toBe(0)
  })

  test.each([
    ['of another version', '9.abc', /of another version of sluice/],
    ['that is cut off', '', /damaged/],
  ])('%s is refused in words', async (_, fragment, words) => {
    const whole = await toFragment({ files: [{ file: 'a.yaml', text: 'a: 1\n'.repeat(50) }] })
    const page = await openPlayground(fragment === '' ? whole.slice(0, -9) : fragment)
    expect(await page.getByRole('alert').first().innerText()).toMatch(words)
  })
})

test('names from manifests are text', async () => {
  const name = '<img src=x onerror=document.title=1>'
  const page = await openFiles({ [name]: policy('{ key: $host, rate: 10R/S }').replace('coffee', `'${name}'`) })
  for (const tab of ['nginx configuration', 'Limits', 'Conditions', 'Admission', 'Update', 'Findings'])
    await page.getByRole('tab', { name: tab }).click()
  expect(await page.locator('img').count()).toBe(0)
  expect(await page.title()).toBe('Playground – sluice')
})

test('everything is reached by the keyboard', async () => {
  const page = await openPlayground()
  await page.getByRole('tab', { name: 'Findings' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.getByRole('region', { name: 'nginx configuration', exact: true }).waitFor()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await page.getByRole('img', { name: 'Requests over time' }).waitFor()
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
