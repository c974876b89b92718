/** The simulation of the studio: the numbers of the command line, in a page that keyboards and readers can use. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import type { SimulationReport } from '../../src/browser.ts'
import { share } from '../runs.ts'
import { casesOf } from '../support/cases.ts'
import { expectAccessible } from './accessible.ts'
import { useBrowser } from './chromium.ts'
import { picture } from './pictures.ts'
import { describeOnPage } from './scripts.ts'
import {
  commandReport,
  type Fields,
  openSimulation,
  type Simulated,
  settled,
  simulate,
  tableOf,
} from './simulation-page.ts'
import { PROXY, STACKED, shop } from './simulation-sources.ts'
import { useStudio } from './studio-server.ts'

const studio = useStudio()
const browser = useBrowser()
const folder = mkdtempSync(join(tmpdir(), 'sluice-simulation-'))
afterAll(() => rmSync(folder, { recursive: true }))

const DELAYED = shop('{ key: $binary_remote_addr, rate: 4r/s, burst: 20, delay: 8, zoneSize: 10m }')
const BUFFERED = shop('{ key: $binary_remote_addr, rate: 4r/s, burst: 20, zoneSize: 10m }')
const NO_DELAY = shop('{ key: $binary_remote_addr, rate: 4r/s, burst: 20, noDelay: true, zoneSize: 10m }')
const COFFEE = 'HTTPRoute/shop/coffee'

const DRY = shop('{ key: $binary_remote_addr, rate: 2r/s, zoneSize: 10m }', 'dryRun: true, ')
const SOURCES = { DELAYED, BUFFERED, NO_DELAY, STACKED, DRY, PROXY }

type Scenario = {
  readonly sources: keyof typeof SOURCES
  readonly previous?: keyof typeof SOURCES
  readonly route?: string
}

/** Sources, the fields of the page, and the flags of the command line that say the same. */
const SCENARIOS = casesOf(import.meta.url).cases<readonly [string, Scenario, Fields, string][]>('scenarios')

const simulatedOf = ({ sources, previous, ...rest }: Scenario): Simulated => ({
  sources: SOURCES[sources],
  ...(previous ? { previous: SOURCES[previous] } : {}),
  ...rest,
})

const number = (text: string): number => Number(text.replace(/[,%]| ms| s$/g, ''))

/** The report's numbers as the tables of the page have them. */
const timelineRows = ({ timeline }: SimulationReport) =>
  timeline.map(({ at, passed, delayed, rejected, unmatched, fill }) => [
    typeof at === 'number' ? at : Date.parse(at),
    passed + delayed + rejected + unmatched,
    ...[passed, delayed, rejected, unmatched],
    Math.round(fill * 1000) / 10,
  ])

type Outcome = Pick<SimulationReport['totals'], 'requests' | 'passed' | 'delayed' | 'rejected'> &
  Pick<SimulationReport, 'waits'>

const outcomeRow = ({ requests, passed, delayed, rejected, waits }: Outcome) => [
  ...[requests, passed, delayed, rejected],
  ...(waits ? [waits.p50, waits.p95, waits.max] : [Number.NaN, Number.NaN, Number.NaN]),
]

async function expectNumbers(page: Page, report: SimulationReport): Promise<void> {
  const [requests, passed] = [report.totals.requests, report.totals.passed].map((count) => count.toLocaleString('en'))
  await page.getByText(`${requests} requests: ${passed} passed`).waitFor()
  await page.getByText('Numbers of the plot').click()
  const rows = await tableOf(page, 'Requests per')
  const timeOf = (text = '') => (text.endsWith('Z') ? Date.parse(text.replace(' ', 'T')) : number(text))
  expect(rows.map(([time, ...cells]) => [timeOf(time), ...cells.map(number)])).toEqual(timelineRows(report))
  const outcomes = await tableOf(page, 'Outcomes and waiting times')
  const limits = report.policies.flatMap((policy) => policy.limits)
  expect(outcomes.map(([, ...cells]) => cells.map(number))).toEqual(
    [{ ...report.totals, waits: report.waits }, ...limits].map(outcomeRow),
  )
}

it.each(share(SCENARIOS, 4))('the numbers are those of sluice simulate for %s', async (_, scenario, fields, flags) => {
  const simulated = simulatedOf(scenario)
  const page = await openSimulation(browser, studio.url, simulated)
  await simulate(page, fields)
  const report = commandReport(mkdtempSync(join(folder, 'command-')), simulated, flags.split(' '))
  expect(report.totals.requests).toBeGreaterThan(0)
  await expectNumbers(page, report)
  if (report.comparison) {
    const { newlyRejected, noLongerRejected } = report.comparison
    await page
      .getByText(`${newlyRejected.requests} newly rejected, ${noLongerRejected.requests} no longer rejected`)
      .waitFor()
  }
})

/** A combined log: every client asks often enough to be delayed and rejected. */
const LOG = Array.from({ length: 3000 }, (_, line) => {
  const second = String(Math.floor(line / 50)).padStart(2, '0')
  return `10.0.0.${line % 5} - - [05/Jan/2026:12:00:${second} +0000] "GET /coffee/${line % 7} HTTP/1.1" 200 ${line} "-" "curl/8.5.0"\n`
}).join('')

describe('an access log', () => {
  it.each([
    ['as it is', 'access.log', Buffer.from(LOG)],
    ['packed', 'access.log.gz', gzipSync(LOG)],
  ])('that is dropped, %s, gives the numbers of sluice simulate --log', async (_, name, bytes) => {
    const simulated = { sources: STACKED }
    const own = mkdtempSync(join(folder, 'log-'))
    writeFileSync(join(own, name), bytes)
    const page = await openSimulation(browser, studio.url, simulated)
    const dropped = await page.evaluateHandle(transferOf(name, bytes))
    await page.getByRole('region', { name: 'Simulation' }).dispatchEvent('drop', { dataTransfer: dropped })
    await page.getByText('3,000 requests:').waitFor()
    await expectNumbers(page, commandReport(own, simulated, ['--log', name]))
    await page.getByRole('button', { name: 'Use made-up clients' }).click()
    await page.getByText('6,000 requests:').waitFor()
  })

  it.each([
    ['has no known format', Buffer.from('milk\nhoney\n'), /^notes\.log: .*format/],
    ['is cut off', gzipSync(LOG).subarray(0, -200), /^the log cannot be read: /],
  ])('that %s is said', async (_, buffer, said) => {
    const page = await openSimulation(browser, studio.url, { sources: STACKED })
    const file = { name: 'notes.log', mimeType: 'text/plain', buffer }
    await page.getByLabel('Drop an access log here, or choose one').setInputFiles(file)
    await page.getByText(said).waitFor()
  })

  it('can be cancelled while it is read', async () => {
    const big = join(folder, 'big.log')
    writeFileSync(big, LOG.repeat(700))
    const page = await openSimulation(browser, studio.url, { sources: STACKED })
    await page.getByLabel('Drop an access log here, or choose one').setInputFiles(big)
    await page.getByRole('progressbar', { name: 'Reading the log' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByLabel('Drop an access log here, or choose one').waitFor()
    await page.getByText('6,000 requests:').waitFor()
  })
})

/** For the page: a file as a user drops it. */
const transferOf = (name: string, bytes: Buffer): string => `(() => {
  const transfer = new DataTransfer()
  const content = Uint8Array.from(atob('${bytes.toString('base64')}'), (one) => one.charCodeAt(0))
  transfer.items.add(new File([content], '${name}'))
  return transfer
})()`

describe('a simulation is saved', () => {
  const saved = async (page: Page, format: string): Promise<Buffer> => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: `Save as ${format}` }).click(),
    ])
    expect(download.suggestedFilename()).toBe(`simulation.${format.toLowerCase()}`)
    return readFileSync(await download.path())
  }

  it('as PNG, as the SVG and as the CSV of sluice simulate', async () => {
    const simulated = { sources: DELAYED, route: COFFEE }
    const own = mkdtempSync(join(folder, 'saved-'))
    const traffic = ['--clients', '20', '--rate', '5r/s', '--for', '60s']
    commandReport(own, simulated, [...traffic, '--svg', 'expected.svg'])
    const page = await openSimulation(browser, studio.url, simulated)
    const png = await saved(page, 'PNG')
    expect(png.subarray(0, 8)).toEqual(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
    expect(png.readUInt32BE(16), 'width').toBeGreaterThan(500)
    expect((await saved(page, 'SVG')).toString()).toBe(readFileSync(join(own, 'expected.svg'), 'utf8'))
    const csv = (await saved(page, 'CSV')).toString().split('\r\n')
    expect(csv[0]).toMatch(/^table,.*,bucket_fill$/)
    expect(csv.filter((line) => line.startsWith('time,'))).toHaveLength(
      commandReport(own, simulated, traffic).timeline.length,
    )
  })
})

describeOnPage(browser, 'simulation', (player) => ({
  steps: {
    open: async () => player.use(await openSimulation(player.user, studio.url, { sources: DELAYED, route: COFFEE })),
  },
}))

it('the page has nothing that axe-core finds', async () => {
  const page = await openSimulation(browser, studio.url, { sources: NO_DELAY, route: COFFEE, previous: DELAYED })
  await page.getByText('Numbers of the plot').click()
  await settled(page)
  await expectAccessible(page)
  await page.getByText('Numbers of the plot').click()
  await page.emulateMedia({ colorScheme: 'light' })
  await picture(page.getByRole('tabpanel'), 'simulation-light')
})
