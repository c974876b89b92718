/** The simulation of the studio in a browser: a million requests while a slider moves, and a log of 100 MB. */
import { join } from 'node:path'
import { type Page, startBrowser } from '../test/browser/chromium.ts'
import { openSimulation } from '../test/browser/simulation-page.ts'
import { STACKED } from '../test/browser/simulation-sources.ts'
import { startStudio } from '../test/browser/studio-server.ts'
import { median } from './measure.ts'
import { writeReplayLog } from './replay.ts'
import type { Measured, Suite } from './suite.ts'

/** About a hundred bytes each. */
const LINES = 1_000_000
/** Seconds. */
const MOST_SECONDS = 1
/** Milliseconds. */
const LONGEST_TASK = 50

export const STUDIO_SIMULATION_SUITE: Suite = {
  name: 'studio-simulation',
  what: 'a million made-up requests, from the change of a field until the page in Chromium has the numbers',
  bar: `${MOST_SECONDS} s`,
  async measure(folder, runs) {
    const log = join(folder, 'access.log')
    writeReplayLog(log, { lines: LINES })
    const [browser, studio] = await Promise.all([startBrowser(), startStudio()])
    try {
      const page = await openSimulation(browser, studio.url, { sources: STACKED, route: 'HTTPRoute/shop/coffee' })
      const shape = await measureShape(page, runs)
      return { ...shape, beside: [{ ...BESIDE, ...(await measureLog(page, log, Math.min(runs, 5))) }] }
    } finally {
      await studio.stop()
      await browser.stop()
    }
  },
}

const BESIDE = {
  what: 'an access log of 107 MB, chosen and replayed there : the longest task on the main thread',
  bar: `${LONGEST_TASK} ms`,
}

async function measureShape(page: Page, runs: number): Promise<Measured> {
  const fill = (name: string, text: string) => page.getByRole('spinbutton', { name, exact: true }).fill(text)
  await fill('Clients', '1000')
  await fill('Rate', '10')
  const seconds: number[] = []
  for (let run = 0; run <= runs; run += 1) {
    await fill('Time', '1')
    await page.getByText('10,000 requests:').waitFor()
    await page.evaluate(watchFor('1,000,000 requests'))
    await fill('Time', '100')
    seconds.push(Number(await page.evaluate('watched')) / 1000)
  }
  // The first run compiles.
  const middle = median(seconds.slice(1))
  const details = `median of ${runs} runs; the longest ${Math.max(...seconds).toFixed(2)} s`
  return { figure: `${middle.toFixed(2)} s`, kept: middle <= MOST_SECONDS, details }
}

/** For the page: `watched` is a promise of the milliseconds from the next input until the summary has a text. */
const watchFor = (text: string): string => `
  globalThis.watched = new Promise((resolve) => {
    let begun
    addEventListener('input', () => { begun = performance.now() }, { once: true, capture: true })
    const summary = document.querySelector('[aria-label=Simulation] [role=status]')
    new MutationObserver((_, observer) => {
      if (!summary.textContent.startsWith('${text}')) return
      observer.disconnect()
      resolve(performance.now() - begun)
    }).observe(summary, { characterData: true, childList: true, subtree: true })
  })
  undefined`

/** The browser reports tasks from 50 ms on. */
const OBSERVE_TASKS = `
  globalThis.longTasks = []
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask' })`

async function measureLog(page: Page, log: string, runs: number): Promise<Measured> {
  await page.getByRole('spinbutton', { name: 'Time' }).fill('1')
  await page.getByText(/^10,000 requests:/).waitFor()
  await page.evaluate(OBSERVE_TASKS)
  const seconds: number[] = []
  for (let run = 0; run < runs; run += 1) {
    const begun = performance.now()
    await page.getByLabel('Drop an access log here, or choose one').setInputFiles(log)
    await page.getByText(/^1,000,000 requests:/).waitFor()
    seconds.push((performance.now() - begun) / 1000)
    await page.getByRole('button', { name: 'Use made-up clients' }).click()
    await page.getByText(/^10,000 requests:/).waitFor()
  }
  const tasks = (await page.evaluate('longTasks')) as readonly number[]
  const longest = Math.round(Math.max(0, ...tasks))
  return {
    figure: tasks.length === 0 ? `under ${LONGEST_TASK} ms` : `${longest} ms`,
    kept: longest <= LONGEST_TASK,
    details: `the numbers after ${median(seconds).toFixed(1)} s, median of ${runs} runs`,
  }
}
