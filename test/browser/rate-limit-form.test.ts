/** A rate limit on the page of the management API, from the form to a real nginx. */
import { describe, expect, test } from 'vitest'
import { casesOf } from '../support/cases.ts'
import { useBrowser } from './chromium.ts'
import {
  addRateLimit,
  button,
  fill,
  managementSteps,
  openProxy,
  proxyPlace,
  publish,
  signedIn,
  statuses,
} from './management-page.ts'
import { limits, useManagement } from './management-server.ts'
import { describeOnPage, descriptionOf } from './scripts.ts'

const { cases, each } = casesOf(import.meta.url)
const server = useManagement()
const browser = useBrowser()

describeOnPage(browser, 'first', managementSteps(useManagement({ isFirst: true })))
describeOnPage(browser, 'rate-limit', managementSteps(server))

each<[label: string, fields: Readonly<Record<string, string>>, throttle?: object]>(
  'a rate limit with "%s" is stored, and in force',
  async (label, fields, throttle) => {
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
  },
)

describe('a refused value', () => {
  type Refused = readonly [field: string, value: string, unit: readonly [string, string] | undefined, words: RegExp]
  const REFUSED = cases<readonly Refused[]>('refused')

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
})
