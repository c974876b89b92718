/** What people do on the page of the management API. */
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import type { User } from './chromium.ts'
import { limits, type ManagementServer, PASSWORD, proxy, storedPolicies } from './management-server.ts'
import { type describeOnPage, focused, type Player } from './scripts.ts'

/** Opens the page and signs in as its administrator. */
export async function signedIn(browser: User, { url }: ManagementServer, place = ''): Promise<Page> {
  const page = await browser.open(url + place)
  const heading = page.getByRole('heading', { name: 'Sign in' })
  await heading.or(page.getByRole('button', { name: 'Sign out' })).waitFor()
  if (await heading.isVisible()) await signIn(page)
  return page
}

/** Fills in the form, which may already have the user. */
export async function signIn(page: Page, user = 'admin', password = PASSWORD): Promise<void> {
  await page.getByLabel('User', { exact: true }).fill(user)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** The address of a proxy of the workspace `shop`. */
export const proxyPlace = (name: string): string => `#/services/shop/proxies/${name}?hostname=&version=v1`

/** Stores a proxy of its own for a test, and opens it in the page. */
export async function openProxy(
  browser: User,
  server: ManagementServer,
  name: string,
  policies: object = {},
): Promise<Page> {
  const body = proxy(name, server.backendPort)
  await server.call('POST', '/services/workspaces/shop/proxies', {
    ...body,
    proxyConfig: { ...body.proxyConfig, policies },
  })
  const page = await signedIn(browser, server, proxyPlace(name))
  await page.getByText('nginx has revision 1.').waitFor()
  return page
}

/** Opens the form of a new rate limit. Returns its first stipulation. */
export async function addRateLimit(page: Page) {
  await page.getByRole('tab', { name: 'Policies' }).click()
  await page.getByRole('button', { name: 'Add Policy' }).click()
  await page.getByRole('menuitem', { name: 'Rate Limit' }).click()
  return stipulation(page, 1)
}

const stipulation = (page: Page, number: number) => page.getByRole('group', { name: `Stipulation ${number}` })

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Fields in a group, by their whole name. */
export const fill = (group: Locator, name: string, value: string) => group.getByLabel(name, { exact: true }).fill(value)

/** Publishes, and waits until nginx has it. */
export async function publish(page: Page, revision: number): Promise<void> {
  await button(page, 'Save & Publish').click()
  await page.getByText(`nginx has revision ${revision}.`).waitFor()
}

/** The statuses of requests that are sent at once. */
export const statuses = (port: number, path: string, count = 12): Promise<readonly number[]> =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`)
      await response.arrayBuffer()
      return response.status
    }),
  )

const expectOk = (response: Response) => expect(response.ok, `${response.status} of ${response.url}`).toBe(true)

/** Steps on the page of the management API, for `describeOnPage`. */
export const managementSteps =
  (server: ManagementServer) =>
  (player: Player): ReturnType<Parameters<typeof describeOnPage>[2]> => {
    const own = (name: string, policies: object = {}) => {
      const body = proxy(name, server.backendPort)
      return { ...body, proxyConfig: { ...body.proxyConfig, policies } }
    }
    const PROXIES = '/services/workspaces/shop/proxies'
    return {
      variables: () => {
        const ONETIME = /one-time password (\S+)/.exec(server.said())?.[1]
        return { PASSWORD, ONETIME, URL: server.url, BACKEND: server.backendPort }
      },
      steps: {
        /** A place of the page, signed in. */
        open: async (place) => player.use(await signedIn(player.user, server, place)),
        /** A proxy that is stored, and policies: `coffee {}`. */
        async store(words) {
          const [, name = '', policies = '{}'] = /^(\S+) ?(.*)$/.exec(words) ?? []
          expectOk(await server.call('POST', PROXIES, own(name, JSON.parse(policies || '{}'))))
        },
        proxy: async (name) => player.use(await signedIn(player.user, server, proxyPlace(name))),
        /** A call of the API with a text as its body. */
        async call(words, texts) {
          const [method = '', path = '', file = ''] = words.split(' ')
          const body = texts.get(file)?.replace('$BACKEND', String(server.backendPort))
          expectOk(await server.call(method, path, body === undefined ? undefined : JSON.parse(body)))
        },
        /** Opens the form of a new rate limit. */
        limit: async () => void (await addRateLimit(player.page())),
        focused: () => focused(player.page()),
        publish: (revision) => publish(player.page(), Number(revision)),
        limits: (name) => limits(server, name),
        policies: (name) => storedPolicies(server, name),
        /** Which statuses requests have that are sent at once. */
        async statuses(words) {
          const [path = '', count = '12'] = words.split(' ')
          return [...new Set(await statuses(server.nginxPort, path, Number(count)))].sort().join(' ')
        },
        async server(does) {
          if (does === 'end') await server.end()
          else await server.start()
        },
      },
    }
  }
