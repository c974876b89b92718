/** API management in a browser, with a real server and a real nginx behind it. */
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { expectAccessible } from './accessible.ts'
import { type Browser, startBrowser } from './chromium.ts'
import {
  addRateLimit,
  button,
  descriptionOf,
  fill,
  focused,
  proxyPlace,
  publish,
  signedIn,
  signIn,
  statuses,
  stipulation,
} from './management-page.ts'
import { type ManagementServer, PASSWORD, proxy, startManagement } from './management-server.ts'
import { picture } from './pictures.ts'

let server: ManagementServer
let browser: Browser

beforeAll(async () => {
  ;[server, browser] = await Promise.all([startManagement(), startBrowser()])
})

afterAll(async () => {
  await browser.stop()
  await server.stop()
})

/** A proxy of its own for a test, open in the page. */
async function openProxy(name: string, policies: object = {}): Promise<Page> {
  const body = proxy(name, server.backendPort)
  await server.call('POST', '/services/workspaces/shop/proxies', {
    ...body,
    proxyConfig: { ...body.proxyConfig, policies },
  })
  const page = await signedIn(browser, server, proxyPlace(name))
  onTestFinished(() => page.close())
  await page.getByText('nginx has revision 1.').waitFor()
  return page
}

type Stored = {
  readonly proxyConfig: {
    readonly policies?: Record<string, { readonly action: { readonly limits: readonly object[] } }[]>
  }
}

const storedPolicies = async (name: string) => {
  const response = await server.call('GET', `/services/workspaces/shop/proxies/${name}`)
  return ((await response.json()) as Stored).proxyConfig.policies ?? {}
}

const limits = async (name: string) => (await storedPolicies(name))['rate-limit']?.[0]?.action.limits

test('from the first sign-in to an nginx that answers 429', async () => {
  const [first, own] = await Promise.all([startManagement({ isFirst: true }), startBrowser()])
  onTestFinished(async () => {
    await own.stop()
    await first.stop()
  })
  const oneTime = await expect
    .poll(() => /one-time password (\S+)/.exec(first.said())?.[1])
    .toBeDefined()
    .then(() => /one-time password (\S+)/.exec(first.said())?.[1] ?? '')
  const page = await own.open(first.url)
  await signIn(page, 'admin', oneTime)
  await page.getByRole('heading', { name: 'Choose a password' }).waitFor()
  await page.getByLabel('Password now').fill(oneTime)
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD)
  await page.getByLabel('New password, again').fill(PASSWORD)
  await button(page, 'Change password').click()
  await page.getByRole('heading', { name: 'Services' }).waitFor()
  await page.getByText('There is no workspace yet.').waitFor()
  await page.getByText('Add Workspace', { exact: true }).click()
  await page.getByLabel('Name').fill('team')
  await button(page, 'Add workspace').click()
  await page.getByRole('link', { name: 'team' }).click()
  await page.getByText('Add Proxy', { exact: true }).click()
  const form = page.getByRole('region', { name: 'API proxies' })
  await form.getByLabel('Name', { exact: true }).fill('orders')
  await form.getByLabel('Base path').fill('/orders')
  await form.getByLabel('Backend host').fill('127.0.0.1')
  await form.getByLabel('Backend port').fill(String(first.backendPort))
  await button(page, 'Add proxy').click()
  await page.getByRole('heading', { name: 'orders' }).waitFor()
  await page.getByRole('link', { name: 'team' }).click()
  await page.getByRole('link', { name: 'Edit Proxy' }).click()
  const group = await addRateLimit(page)
  await fill(group, 'Limit', '1')
  await button(page, 'Add').click()
  await page.getByText('1 per second by client.ip; else 429').waitFor()
  await publish(page, 2)
  expect(new Set(await statuses(first.nginxPort, '/v1/orders'))).toEqual(new Set([200, 429]))
})

describe('a rate limit', () => {
  test.each([
    ['Reject excess requests', {}, undefined],
    ['Buffer excess requests', { Burst: '5' }, { burst: 5 }],
    ['Buffer excess requests no delay', { Burst: '6' }, { burst: 6, noDelay: true }],
    ['Throttle excess requests', { Burst: '7', Delay: '3' }, { burst: 7, delay: 3 }],
  ])('with "%s" is stored, and in force', async (label, fields, throttle) => {
    const name = label.toLowerCase().replaceAll(' ', '-')
    const page = await openProxy(name)
    const group = await addRateLimit(page)
    await fill(group, 'Limit', '60')
    await group.getByLabel('Limit unit').selectOption('per minute')
    await fill(group, 'Zone size', '1024')
    await group.getByLabel('Zone size unit').selectOption('K')
    await group.getByLabel(label, { exact: true }).check()
    for (const [field, value] of Object.entries(fields)) await fill(group, field, value)
    await button(page, 'Add').click()
    await publish(page, 2)
    expect(await limits(name)).toEqual([
      { rate: '1r/s', rateLimitBy: 'client.ip', zoneSize: '1M', ...(throttle ? { throttle } : {}) },
    ])
    const passed = (await statuses(server.nginxPort, `/${name}`, 3)).filter((status) => status === 200)
    expect(passed).toHaveLength(throttle ? 3 : 1)
  })

  test('has several stipulations, in an order, and codes and a header of the policy', async () => {
    const page = await openProxy('several')
    await fill(await addRateLimit(page), 'Limit', '1')
    for (const [number, key] of [
      [2, 'uri'],
      [3, 'consumer'],
    ] as const) {
      await button(page, 'Add stipulation').click()
      await stipulation(page, number).getByLabel('Key').selectOption(key)
    }
    await stipulation(page, 3).getByRole('button', { name: 'Move up' }).click()
    await stipulation(page, 3).getByRole('button', { name: 'Remove' }).click()
    await page.getByLabel('Return code', { exact: true }).fill('503')
    await page.getByLabel('gRPC return code').fill('502')
    await page.getByLabel('Correlation header').fill('x-order-id')
    await stipulation(page, 2).getByLabel('Key').selectOption('uri')
    await button(page, 'Add').click()
    await publish(page, 2)
    expect(await storedPolicies('several')).toMatchObject({
      'rate-limit': [
        { action: { returnCode: 503, grpcStatusCode: 502, limits: [{ rate: '1r/s' }, { rateLimitBy: 'uri' }] } },
      ],
      'request-correlation-id': [{ action: { httpHeaderName: 'x-order-id' } }],
    })
    expect(await limits('several')).toHaveLength(2)
    expect(new Set(await statuses(server.nginxPort, '/several'))).toEqual(new Set([200, 503]))
  })

  test('is changed and removed, and what the form does not show stays', async () => {
    const policy = { metadata: { team: 'blue' }, action: { limits: [{ rate: '9r/s' }] } }
    const page = await openProxy('changed', {
      'rate-limit': [policy],
      'apikey-authn': [{ action: { apiKeyName: 'k' } }],
    })
    await page.getByText('Other policies, which stay as they are: apikey-authn.').waitFor()
    await button(page, 'Edit Rate Limit 1').click()
    await fill(stipulation(page, 1), 'Limit', '8')
    await button(page, 'Apply').click()
    await page.getByRole('region', { name: 'Stored and With your changes' }).getByText('added: ').first().waitFor()
    await publish(page, 2)
    expect(await storedPolicies('changed')).toMatchObject({
      'rate-limit': [{ metadata: { team: 'blue' }, action: { limits: [{ rate: '8r/s' }] } }],
      'apikey-authn': [{ action: { apiKeyName: 'k' } }],
    })
    await button(page, 'Remove Rate Limit 1').click()
    await publish(page, 3)
    expect(await storedPolicies('changed')).not.toHaveProperty('rate-limit')
  })
})

describe('a refused value', () => {
  /** Field, value, unit if any, and the words at the field. */
  test.each([
    ['Limit', '', undefined, /Write a whole number of requests/],
    ['Limit', '1.5', undefined, /Write a whole number of requests/],
    ['Limit', '90', ['Limit unit', 'per minute'], /90 per minute is no whole number.*60 per minute \(1 per second\)/],
    ['Limit', '0', undefined, /rejects every request|slowest is "1r\/s"/],
    ['Zone size', '10000', ['Zone size unit', 'K'], /10000 K is no whole number.*9216 K \(9M\)/],
    ['Zone size', '0', undefined, /./],
    ['Burst', '', undefined, /how many requests above the limit/],
    ['Burst', '0', undefined, /./],
    ['Delay', '', undefined, /after how many of them/],
    ['Delay', 'x', undefined, /Write a whole number of requests, 1 or more/],
    ['Return code', '200', undefined, /returnCode must be between 400 and 599/],
    ['Return code', 'teapot', undefined, /Write a code from 400 to 599/],
    ['gRPC return code', '14', undefined, /14 is the gRPC status UNAVAILABLE/],
    ['Correlation header', 'x y', undefined, /letters, digits and/],
  ] as const)('%s %j is told at its field', async (label, value, unit, words) => {
    const page = await signedIn(browser, server, proxyPlace('orders'))
    onTestFinished(() => page.close())
    const group = await addRateLimit(page)
    await group.getByLabel('Throttle excess requests').check()
    await fill(group, 'Burst', '5')
    await fill(group, 'Delay', '2')
    if (unit) await group.getByLabel(unit[0]).selectOption(unit[1])
    const field = page.getByLabel(label, { exact: true })
    await field.fill(value)
    await button(page, 'Add').click()
    await expect.poll(() => descriptionOf(field)).toMatch(words)
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
    expect(await page.getByRole('form', { name: 'Rate Limit' }).isVisible()).toBe(true)
    await button(page, 'Cancel').click()
  })

  test('that is only doubtful is told at its field, and stops nobody', async () => {
    const page = await openProxy('doubtful')
    const group = await addRateLimit(page)
    await group.getByLabel('Throttle excess requests').check()
    await fill(group, 'Burst', '5')
    await fill(group, 'Delay', '9')
    const field = group.getByLabel('Delay', { exact: true })
    await expect.poll(() => descriptionOf(field)).toMatch(/delay/)
    expect(await field.getAttribute('aria-invalid')).toBeNull()
    await button(page, 'Add').click()
    await publish(page, 2)
  })

  test('by the server alone is told with its place', async () => {
    const own = await startBrowser({}, /status of 400/)
    onTestFinished(own.stop)
    const page = await signedIn(own, server, proxyPlace('orders'))
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByLabel('Base path').fill('orders')
    await button(page, 'Save & Publish').click()
    await page.getByRole('list', { name: 'Why it was refused' }).getByText('/proxyConfig/ingress/basePath').waitFor()
    await button(page, 'Discard changes').click()
    expect(await page.getByLabel('Base path').inputValue()).toBe('/orders')
  })
})

test('the keyboard alone is enough', async () => {
  const own = await startBrowser()
  onTestFinished(own.stop)
  const body = proxy('keys', server.backendPort)
  await server.call('POST', '/services/workspaces/shop/proxies', body)
  const page = await own.open(server.url)
  const keys = page.keyboard
  await page.getByLabel('User').waitFor()
  /** Goes on with Tab until something has the focus. */
  const tabTo = async (name: string) => {
    for (let steps = 0; steps < 60; steps += 1) {
      if ((await focused(page)) === name) return
      await keys.press('Tab')
    }
    throw new Error(`"${name}" is not reached; at ${await focused(page)}`)
  }
  await keys.type('admin')
  await keys.press('Tab')
  await keys.type(PASSWORD)
  await keys.press('Enter')
  await page.getByRole('link', { name: 'shop' }).waitFor()
  await tabTo('shop')
  await keys.press('Enter')
  const row = page.getByRole('row', { name: /keys/ })
  await row.waitFor()
  await row.getByRole('link', { name: 'Edit Proxy' }).focus()
  await keys.press('Enter')
  await page.getByText('nginx has revision 1.').waitFor()
  await tabTo('Policies')
  await keys.press('ArrowLeft')
  await page.getByLabel('Base path').waitFor()
  await keys.press('ArrowRight')
  await tabTo('Add Policy')
  await keys.press('ArrowDown')
  await expect.poll(() => focused(page)).toBe('Rate Limit')
  await keys.press('Enter')
  await expect.poll(() => focused(page)).toBe('Key')
  await tabTo('Limit')
  await keys.press('Control+A')
  await keys.type('2')
  await tabTo('Reject excess requests')
  await keys.press('ArrowDown')
  await tabTo('Burst')
  await keys.type('4')
  await tabTo('Add')
  await keys.press('Enter')
  await tabTo('Save & Publish')
  await keys.press('Enter')
  await page.getByText('nginx has revision 2.').waitFor()
  expect(await limits('keys')).toMatchObject([{ rate: '2r/s', throttle: { burst: 4 } }])
})

test('a reload in the middle loses nothing that was typed', async () => {
  const page = await openProxy('reloaded')
  await fill(await addRateLimit(page), 'Limit', '77')
  await page.reload()
  expect(await stipulation(page, 1).getByLabel('Limit', { exact: true }).inputValue()).toBe('77')
  await button(page, 'Save & Publish').click()
  await page.getByText('A rate limit is open').waitFor()
  await button(page, 'Add').click()
  await page.reload()
  await page.getByText('77 per second by client.ip; else 429').waitFor()
  await publish(page, 2)
  await page.reload()
  await page.getByText('None. What you change in reloaded').waitFor()
})

test('two tabs that edit the same proxy: the second one is told, and decides', async () => {
  const own = await startBrowser({}, /status of 412/)
  onTestFinished(own.stop)
  await server.call('POST', '/services/workspaces/shop/proxies', proxy('shared', server.backendPort))
  const [mine, theirs] = [
    await signedIn(own, server, proxyPlace('shared')),
    await signedIn(own, server, proxyPlace('shared')),
  ]
  const typed = async (page: Page, limit: string) => {
    // Browsers let the timers of other tabs wait.
    await page.bringToFront()
    await fill(await addRateLimit(page), 'Limit', limit)
    await button(page, 'Add').click()
  }
  await typed(mine, '11')
  await typed(theirs, '22')
  await publish(theirs, 2)
  const told = mine.getByRole('alert', { name: 'Changed meanwhile' })
  await told.getByText('22r/s').waitFor()
  expect(await button(mine, 'Save & Publish').isDisabled()).toBe(true)
  await mine.bringToFront()
  await button(mine, 'Replace theirs with mine').click()
  await publish(mine, 3)
  expect(await limits('shared')).toMatchObject([{ rate: '11r/s' }])
  await theirs.getByText('11 per second').waitFor()
  await typed(mine, '33')
  await theirs.bringToFront()
  await button(theirs, 'Remove Rate Limit 1').click()
  await publish(theirs, 4)
  await told.waitFor()
  await mine.bringToFront()
  await button(mine, 'Drop my changes').click()
  await mine.getByText('There is no rate limit yet.').waitFor()
})

test('a session that has ended is begun again, and nothing that was typed is lost', async () => {
  const [other, own] = await Promise.all([startManagement(), startBrowser({}, /status of 401|ERR_/)])
  onTestFinished(async () => {
    await own.stop()
    await other.stop()
  })
  const page = await signedIn(own, other, proxyPlace('orders'))
  await fill(await addRateLimit(page), 'Limit', '44')
  // The server forgets its sessions, and its page is told nothing.
  await other.end()
  await page.getByText('The server does not answer.').waitFor()
  await other.start()
  await page.getByRole('heading', { name: 'Sign in again' }).waitFor()
  expect(await page.getByLabel('User').inputValue()).toBe('admin')
  await page.getByLabel('Password').fill(PASSWORD)
  await button(page, 'Sign in').click()
  expect(await stipulation(page, 1).getByLabel('Limit', { exact: true }).inputValue()).toBe('44')
  await button(page, 'Add').click()
  await publish(page, 2)
  expect(await page.getByText('The server does not answer.').count()).toBe(0)
  await button(page, 'Sign out').click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('the state of what nginx refuses is told by events, with its words', async () => {
  const page = await openProxy('refused')
  const body = proxy('refused', server.backendPort)
  const [backend] = body.proxyConfig.backends
  const lost = { ...body.proxyConfig, backends: [{ ...backend, serviceTargets: [{ hostname: 'nowhere.invalid' }] }] }
  await server.call('PUT', '/services/workspaces/shop/proxies/refused', { ...body, proxyConfig: lost })
  await page
    .getByText(/Failed.*host not found in upstream.*The last form that nginx accepted stays in force/i)
    .waitFor()
})

test('an environment has gateways, what each has, and policies for all of its proxies', async () => {
  await server.call('POST', '/infrastructure/workspaces/shop/environments', { name: 'prod', gateways: [] })
  await server.call('POST', '/services/workspaces/shop/proxies', {
    ...proxy('pears', server.backendPort),
    environment: 'prod',
  })
  const page = await signedIn(browser, server, proxyPlace('pears'))
  onTestFinished(() => page.close())
  await page.getByText('No gateway', { exact: true }).waitFor()
  await button(page, 'Save and Submit').click()
  await page.getByText('The environment prod names no gateway, so nothing is in force.').waitFor()
  await page.getByRole('link', { name: 'prod' }).click()
  await page.getByLabel('local: the nginx of this server').check()
  await fill(await openNewPolicy(page), 'Limit', '1')
  await button(page, 'Add').click()
  await button(page, 'Save and Submit').click()
  await page.getByRole('list', { name: 'What it has' }).getByText('In force').waitFor()
  expect(new Set(await statuses(server.nginxPort, '/pears'))).toEqual(new Set([200, 429]))
  await page.getByLabel('local: the nginx of this server').uncheck()
  await button(page, 'Save and Submit').click()
  await page.getByText('No gateway is named').waitFor()
  await expect.poll(() => statuses(server.nginxPort, '/pears', 1)).toEqual([404])
})

async function openNewPolicy(page: Page) {
  await button(page, 'Add Policy').click()
  await page.getByRole('menuitem', { name: 'Rate Limit' }).click()
  return stipulation(page, 1)
}

test('the history says who changed what, and leads back', async () => {
  const page = await openProxy('history', { 'rate-limit': [{ action: { limits: [{ rate: '3r/s' }] } }] })
  await button(page, 'Remove Rate Limit 1').click()
  await publish(page, 2)
  await page.getByRole('tab', { name: 'History' }).click()
  await page.getByText('Revision 2: changed by admin').click()
  await page.getByRole('region', { name: 'Changes of revision 2' }).getByText('3r/s').waitFor()
  await button(page, 'Go back to revision 1').click()
  await page.getByText('nginx has revision 3.').waitFor()
  expect(await limits('history')).toMatchObject([{ rate: '3r/s' }])
  await page.getByText('Revision 3: restored by admin').waitFor()
})

test('a user is added, signs in, chooses a password, and sees what the roles allow', async () => {
  const page = await signedIn(browser, server, '#/users')
  onTestFinished(() => page.close())
  await page.getByText('Add User', { exact: true }).click()
  await page.getByLabel('Name', { exact: true }).fill('ada')
  await page.getByLabel('First password').fill('a first password')
  const made = page.getByRole('group').filter({ has: page.getByLabel('First password') })
  await made.getByLabel('reader').check()
  await button(page, 'Add user').click()
  await page.getByRole('list', { name: 'Users' }).getByText('ada', { exact: true }).waitFor()
  const own = await startBrowser({}, /status of 40[13]/)
  onTestFinished(own.stop)
  const hers = await own.open(server.url)
  await signIn(hers, 'ada', 'a wrong password')
  await hers.getByText('There is no such user with this password.').waitFor()
  await signIn(hers, 'ada', 'a first password')
  await hers.getByLabel('Password now').fill('a first password')
  await hers.getByLabel('New password', { exact: true }).fill('a second password')
  await hers.getByLabel('New password, again').fill('a second passwort')
  await hers.getByText('These are two different passwords.').waitFor()
  await hers.getByLabel('New password, again').fill('a second password')
  await button(hers, 'Change password').click()
  await hers.getByRole('link', { name: 'shop' }).click()
  await hers.getByRole('link', { name: 'Edit Proxy' }).first().click()
  await hers.getByRole('tab', { name: 'Policies' }).click()
  await hers
    .getByText(/There is no rate limit yet|per second/)
    .first()
    .waitFor()
  expect(await hers.getByRole('button', { name: /Save|Add Policy/ }).count()).toBe(0)
  await page.getByText('ada', { exact: true }).click()
  await button(page, 'Delete ada').click()
  await expect.poll(() => page.getByRole('list', { name: 'Users' }).getByText('ada', { exact: true }).count()).toBe(0)
  await hers.getByRole('link', { name: 'Services' }).click()
  await hers.getByRole('heading', { name: 'Sign in again' }).waitFor()
})

test('hundreds of proxies are found by a part of their name', async () => {
  await server.call('POST', '/services/workspaces', { name: 'many' })
  const numbers = Array.from({ length: 230 }, (_, index) => index)
  for (let from = 0; from < numbers.length; from += 46)
    await Promise.all(
      numbers.slice(from, from + 46).map(async (number) => {
        const response = await server.call('POST', '/services/workspaces/many/proxies', { name: `proxy-${number}` })
        expect(response.status).toBe(202)
      }),
    )
  const page = await signedIn(browser, server, '#/services/many')
  onTestFinished(() => page.close())
  await page.getByText('200 of 230 are shown').waitFor()
  await page.getByLabel('Find').fill('proxy-22')
  await expect.poll(() => page.getByRole('link', { name: 'Edit Proxy' }).count()).toBe(11)
})

test('names with markup in them are text', async () => {
  const markup = '<img src=x onerror="document.title=\'broken\'">'
  const page = await openProxy('markup', { 'x<b>y</b>': [{ note: markup }], [markup]: [] })
  await page
    .getByText(`Other policies, which stay as they are: ${markup}`, { exact: false })
    .or(page.getByText(markup, { exact: false }))
    .first()
    .waitFor()
  await page.getByRole('tab', { name: 'JSON' }).click()
  const text = page.getByLabel('Body of the proxy')
  await text.fill((await text.inputValue()).replaceAll('onerror', 'onload'))
  await page.getByRole('region', { name: 'Stored and With your changes' }).getByText('onload').first().waitFor()
  await publish(page, 2)
  await page.getByRole('tab', { name: 'History' }).click()
  await page.getByText('Revision 2: changed by admin').click()
  for (const tab of ['nginx configuration', 'Policies', 'Settings']) await page.getByRole('tab', { name: tab }).click()
  expect(await page.locator('img, b').count()).toBe(0)
  expect(await page.title()).toBe('API management – sluice')
})

test('with TLS the cookie has the prefix that binds it to the host', async () => {
  const [secure, own] = await Promise.all([startManagement({ isEncrypted: true, hasNginx: false }), startBrowser()])
  onTestFinished(async () => {
    await own.stop()
    await secure.stop()
  })
  const page = await signedIn(own, secure)
  await page.getByRole('heading', { name: 'Services' }).waitFor()
  const cookies = await own.context.cookies()
  expect(cookies).toMatchObject([
    { name: '__Host-sluice-session', httpOnly: true, secure: true, sameSite: 'Strict', path: '/' },
  ])
  expect(await page.evaluate('document.cookie')).toBe('')
})

test('axe-core finds nothing in any view, light, dark, and on the width of a phone', async () => {
  const own = await startBrowser({ viewport: { width: 1200, height: 900 } })
  onTestFinished(own.stop)
  const page = await own.open(server.url)
  await page.getByLabel('User').waitFor()
  await expectAccessible(page)
  await signIn(page)
  await page.getByRole('link', { name: 'shop' }).waitFor()
  await expectAccessible(page)
  for (const [place, words] of [
    ['#/services/shop', 'Edit Proxy'],
    ['#/services/shop/environments/default', 'Save and Submit'],
    ['#/users', 'Add User'],
    ['#/account', 'Change password'],
  ] as const) {
    await page.goto(server.url + place)
    await page.getByText(words).first().waitFor()
    await expectAccessible(page)
  }
  const body = proxy('checkout', server.backendPort)
  await server.call('POST', '/services/workspaces/shop/proxies', body)
  await page.goto(server.url + proxyPlace('checkout'))
  await page.getByText('nginx has revision 1.').waitFor()
  const group = await addRateLimit(page)
  await fill(group, 'Limit', '90')
  await group.getByLabel('Limit unit').selectOption('per minute')
  await group.getByLabel('Throttle excess requests').check()
  await button(page, 'Add').click()
  await expectAccessible(page)
  await fill(group, 'Limit', '120')
  await fill(group, 'Burst', '12')
  await fill(group, 'Delay', '4')
  await picture(page, 'management-form', true)
  await button(page, 'Add').click()
  for (const tab of ['Settings', 'JSON', 'nginx configuration', 'Simulation', 'History', 'Policies']) {
    await page.getByRole('tab', { name: tab }).click()
    await expect.poll(() => page.getByText('Loading …').count()).toBe(0)
    await expectAccessible(page)
  }
  await picture(page, 'management-proxy', true)
})
