/** A rate limit on the page of the management API, from the form to a real nginx. */
import { describe, expect, test } from 'vitest'
import { casesOf } from '../support/cases.ts'
import { useBrowser } from './chromium.ts'
import {
  addRateLimit,
  button,
  descriptionOf,
  fill,
  focused,
  openProxy,
  proxyPlace,
  publish,
  signedIn,
  signIn,
  statuses,
  stipulation,
} from './management-page.ts'
import { limits, otherManagement, PASSWORD, proxy, storedPolicies, useManagement } from './management-server.ts'

const server = useManagement()
const browser = useBrowser()

test('from the first sign-in to an nginx that answers 429', async () => {
  const first = await otherManagement({ isFirst: true })
  const password = () => /one-time password (\S+)/.exec(first.said())?.[1]
  await expect.poll(password).toBeDefined()
  const oneTime = password() ?? ''
  const page = await browser.open(first.url)
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
    const page = await openProxy(browser, server, name)
    const group = await addRateLimit(page)
    await fill(group, 'Limit', '60')
    await group.getByLabel('Limit unit').selectOption('per minute')
    await fill(group, 'Zone size', '1024')
    await group.getByLabel('Zone size unit').selectOption('K')
    await group.getByLabel(label, { exact: true }).check()
    for (const [field, value] of Object.entries(fields)) await fill(group, field, value)
    await button(page, 'Add').click()
    await publish(page, 2)
    expect(await limits(server, name)).toEqual([
      { rate: '1r/s', rateLimitBy: 'client.ip', zoneSize: '1M', ...(throttle ? { throttle } : {}) },
    ])
    const passed = (await statuses(server.nginxPort, `/${name}`, 3)).filter((status) => status === 200)
    expect(passed).toHaveLength(throttle ? 3 : 1)
  })

  test('has several stipulations, in an order, and codes and a header of the policy', async () => {
    const page = await openProxy(browser, server, 'several')
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
    expect(await storedPolicies(server, 'several')).toMatchObject({
      'rate-limit': [
        { action: { returnCode: 503, grpcStatusCode: 502, limits: [{ rate: '1r/s' }, { rateLimitBy: 'uri' }] } },
      ],
      'request-correlation-id': [{ action: { httpHeaderName: 'x-order-id' } }],
    })
    expect(await limits(server, 'several')).toHaveLength(2)
    expect(new Set(await statuses(server.nginxPort, '/several'))).toEqual(new Set([200, 503]))
  })

  test('is changed and removed, and what the form does not show stays', async () => {
    const policy = { metadata: { team: 'blue' }, action: { limits: [{ rate: '9r/s' }] } }
    const page = await openProxy(browser, server, 'changed', {
      'rate-limit': [policy],
      'apikey-authn': [{ action: { apiKeyName: 'k' } }],
    })
    await page.getByText('Other policies, which stay as they are: apikey-authn.').waitFor()
    await button(page, 'Edit Rate Limit 1').click()
    await fill(stipulation(page, 1), 'Limit', '8')
    await button(page, 'Apply').click()
    await page.getByRole('region', { name: 'Stored and With your changes' }).getByText('added: ').first().waitFor()
    await publish(page, 2)
    expect(await storedPolicies(server, 'changed')).toMatchObject({
      'rate-limit': [{ metadata: { team: 'blue' }, action: { limits: [{ rate: '8r/s' }] } }],
      'apikey-authn': [{ action: { apiKeyName: 'k' } }],
    })
    await button(page, 'Remove Rate Limit 1').click()
    await publish(page, 3)
    expect(await storedPolicies(server, 'changed')).not.toHaveProperty('rate-limit')
  })
})

describe('a refused value', () => {
  type Refused = readonly [field: string, value: string, unit: readonly [string, string] | undefined, words: RegExp]
  const REFUSED = casesOf(import.meta.url).cases<readonly Refused[]>('refused')

  test('is told at its field', async () => {
    const page = await signedIn(browser, server, proxyPlace('orders'))
    for (const [label, value, unit, words] of REFUSED) {
      const group = await addRateLimit(page)
      await group.getByLabel('Throttle excess requests').check()
      await fill(group, 'Burst', '5')
      await fill(group, 'Delay', '2')
      if (unit) await group.getByLabel(unit[0]).selectOption(unit[1])
      const field = page.getByLabel(label, { exact: true })
      await field.fill(value)
      await button(page, 'Add').click()
      const message = `${label} "${value}"`
      await expect.poll(() => descriptionOf(field), { message }).toMatch(words)
      await expect.poll(() => field.getAttribute('aria-invalid'), { message }).toBe('true')
      expect(await page.getByRole('form', { name: 'Rate Limit' }).isVisible()).toBe(true)
      await button(page, 'Cancel').click()
    }
  })

  test('that is only doubtful is told at its field, and stops nobody', async () => {
    const page = await openProxy(browser, server, 'doubtful')
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
    const own = await browser.other(/status of 400/)
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
  const own = await browser.other()
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
  expect(await limits(server, 'keys')).toMatchObject([{ rate: '2r/s', throttle: { burst: 4 } }])
})

test('a reload in the middle loses nothing that was typed', async () => {
  const page = await openProxy(browser, server, 'reloaded')
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
