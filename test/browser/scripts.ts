/**
 * Transcripts (test/support/transcripts.ts) of what somebody does on a page, a step each:
 *
 *     -- $ click Add --                               also check, uncheck, hover, focus, see and gone
 *     -- $ fill group Stipulation 2 > Limit = 60 --   also select
 *     -- $ press Home ArrowDown --                    also type TEXT, and next NAME: Tab, until that has the focus
 *     -- $ text region Findings --                    what it shows in the end; also value, mistake, count, eval EXPRESSION
 *     -- $ tab theirs --                              goes on in another tab; also reload, back and url ADDRESS
 *     -- $ hold /events --                            requests of the tab wait until `release /events`
 *     -- $ user /403/ --                              the next page is that of another user, whose console may say that
 *
 * A place is `KIND NAME`, with ` > ` before what is in it: a role, `label`, `css` or `text`; without a kind a step clicks a
 * button, fills in a label, and sees a text. A name between `/` is a regular expression.
 */
import type { Locator, Page, Route } from 'playwright-core'
import { expect } from 'vitest'
import { describeTranscripts, type Play, playIn, playUntilRecorded } from '../support/transcripts.ts'
import type { User, useBrowser } from './chromium.ts'

/** What a screen reader says of a field beside its name. */
export async function descriptionOf(field: Locator): Promise<string> {
  const ids = ((await field.getAttribute('aria-describedby')) ?? '').split(' ').filter(Boolean)
  const texts = ids.map((id) => field.page().locator(`[id="${id}"]`).textContent())
  return (await Promise.all(texts)).join(' ')
}

/** The name of what has the focus. */
export const focused = async (page: Page): Promise<unknown> =>
  page.evaluate('(document.activeElement?.labels?.[0] ?? document.activeElement)?.textContent?.trim()')

const ROLES = [
  ...(['alert', 'button', 'form', 'group', 'heading', 'img', 'link', 'list', 'menuitem', 'option', 'region'] as const),
  ...(['row', 'slider', 'spinbutton', 'tab', 'table', 'tabpanel', 'textbox'] as const),
]

/** What is at a place. */
function at(scope: Page | Locator, place: string, kind = 'text'): Locator {
  const [step = '', ...inner] = place.split(' > ')
  const isKind = /^(?:label|css|text)$/.test(step.split(' ')[0] ?? '')
  const role = ROLES.find((one) => step === one || step.startsWith(`${one} `))
  const own = role ?? (isKind ? (step.split(' ')[0] ?? '') : kind)
  const words = role || isKind ? step.slice(own.length + 1) : step
  const name = /^\/.*\/$/.test(words) ? new RegExp(words.slice(1, -1)) : words
  const found = {
    label: () => scope.getByLabel(name, { exact: true }),
    css: () => scope.locator(words),
    text: () => scope.getByText(name),
  }[own]
  const asRole = () => scope.getByRole(role ?? 'button', words === '' ? {} : { name, exact: true })
  const here = found?.() ?? asRole()
  return inner.length === 0 ? here : at(here, inner.join(' > '), kind)
}

/** Who plays: their tabs, and the one in use. */
export type Player = {
  user: User
  tab: string
  readonly tabs: Map<string, Page>
  page(): Page
  /** Goes on in a page. */
  use(page: Page): void
}

/**
 * A step, with the words behind its name and the texts of the archive. One that does something gives undefined; one that gives
 * a value is repeated until that is as recorded.
 */
type Step = (words: string, texts: ReadonlyMap<string, string>) => Promise<unknown>
/** Steps by their names. */
export type Steps = Readonly<Record<string, Step>>

type Tabs = ReturnType<typeof useBrowser>

function stepsOf(player: Player, browser: Tabs): Steps {
  const { page } = player
  const held: Route[] = []
  const place = (words: string, kind: string) => at(page(), words, kind)
  const split = (words: string, kind: string) => {
    const [, target = '', value = ''] = /^(.*?) = (.*)$/.exec(words) ?? []
    return [place(target, kind), value] as const
  }
  return {
    see: (words) => place(words, 'text').first().waitFor(),
    gone: async (words) => void (await expect.poll(() => place(words, 'text').count()).toBe(0)),
    click: (words) => place(words, 'button').click(),
    check: (words) => place(words, 'label').check(),
    uncheck: (words) => place(words, 'label').uncheck(),
    hover: (words) => place(words, 'text').hover(),
    focus: (words) => place(words, 'label').focus(),
    async fill(words) {
      const [field, value] = split(words, 'label')
      await field.fill(value)
    },
    async select(words) {
      const [field, value] = split(words, 'label')
      await field.selectOption(value)
    },
    async press(keys) {
      for (const key of keys.split(' ')) await page().keyboard.press(key)
    },
    type: (text) => page().keyboard.type(text),
    async next(name) {
      for (let steps = 0; (await focused(page())) !== name; steps += 1) {
        if (steps === 60) throw new Error(`"${name}" is not reached; at ${await focused(page())}`)
        await page().keyboard.press('Tab')
      }
    },
    async tab(name) {
      player.tab = name
      // Browsers let the timers of other tabs wait.
      await player.tabs.get(name)?.bringToFront()
    },
    hold: async (path) => void (await page().route(`**${path}`, (route) => void held.push(route))),
    async release(path) {
      await Promise.all(held.splice(0).map((route) => route.continue()))
      await page().unroute(`**${path}`)
    },
    reload: async () => void (await page().reload()),
    back: async () => void (await page().goBack()),
    async url(address) {
      if (player.tabs.has(player.tab)) await page().goto(address)
      else player.use(await player.user.open(address))
    },
    async user(expected) {
      player.user = await browser.other(expected === '' ? undefined : new RegExp(expected.slice(1, -1)))
    },
    text: async (words) => (await place(words, 'text').allInnerTexts()).join('\n'),
    value: (words) => place(words, 'label').inputValue(),
    /** What a screen reader says of a field that is wrong. */
    async mistake(words) {
      const field = place(words, 'label')
      return (await field.getAttribute('aria-invalid')) === 'true' ? descriptionOf(field) : ''
    },
    count: (words) => place(words, 'text').count(),
    eval: (expression) => page().evaluate(expression),
  }
}

/** Describes an archive of `test/fixtures/browser/`, with more steps; `$NAME` in a step is a variable. */
export function describeOnPage(
  browser: Tabs,
  archive: string,
  more: (player: Player) => { readonly steps: Steps; readonly variables?: () => Readonly<Record<string, unknown>> },
): void {
  const play: Play = (...parts) => {
    const player: Player = {
      ...{ user: browser, tab: '', tabs: new Map() },
      page() {
        const page = player.tabs.get(player.tab)
        if (!page) throw new Error('no page is open')
        return page
      },
      use: (page) => void player.tabs.set(player.tab, page),
    }
    const { steps, variables } = more(player)
    const all: Steps = { ...stepsOf(player, browser), ...steps }
    const run = playIn(async (line, _, texts, recorded) => {
      const [, name = '', rest = ''] = /^(\S+) ?(.*)$/.exec(line) ?? []
      const step = all[name]
      if (!step) throw new Error(`there is no step "${name}"`)
      const words = rest.replace(/\$([A-Z]+)/g, (found, key: string) => `${variables?.()[key] ?? found}`)
      const show = async () => shown(await step(words, texts))
      const first = await show()
      return first === recorded || first === undefined
        ? (first ?? '')
        : playUntilRecorded(async () => (await show()) ?? '', { recorded, rest: 1000 })
    })
    return run(...parts)
  }
  describeTranscripts(new URL('../fixtures/browser/', import.meta.url), play, (name) => name === `${archive}.txtar`)
}

/** Lines of a text, or JSON; undefined where there is nothing to show. */
function shown(value: unknown): string | undefined {
  if (value === undefined) return undefined
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === '' || text.endsWith('\n') ? text : `${text}\n`
}
