/** The simulation of the studio in a browser, and the same by the command line. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { SimulationReport, TextSource } from '../../src/browser.ts'
import { toFragment } from '../../src/studio/playground/state.ts'
import { PROGRAM } from '../serving.ts'
import type { User } from './chromium.ts'

/** What the page simulates. */
export type Simulated = {
  readonly sources: readonly TextSource[]
  readonly route?: string
  readonly previous?: readonly TextSource[]
}

/** Opens the page with sources, and waits for the numbers of its first traffic. */
export async function openSimulation(browser: User, url: string, simulated: Simulated): Promise<Page> {
  const { sources, route, previous } = simulated
  const state = { files: sources, ...(route ? { target: route } : {}), ...(previous ? { previous } : {}) }
  const page = await browser.open(`${url}playground#${await toFragment(state)}`)
  await page.getByRole('tab', { name: 'Simulation' }).click()
  await page.getByRole('img', { name: 'Requests over time' }).waitFor()
  return page
}

/** Traffic by the names of the fields. */
export type Fields = Readonly<Record<string, string>>

/** Fills in the fields, and waits until what they say is simulated. */
export async function simulate(page: Page, fields: Fields): Promise<void> {
  const { Shape, 'Unit of the rate': unit, ...others } = fields
  if (Shape) await page.getByLabel('Shape', { exact: true }).selectOption(Shape)
  if (unit) await page.getByLabel('Unit of the rate').selectOption(unit)
  if (['Path', 'Host', 'Method'].some((name) => others[name])) await page.getByText('What the clients ask for').click()
  for (const [name, text] of Object.entries(others)) await fieldOf(page, name).fill(text)
  await settled(page)
}

const fieldOf = (page: Page, name: string) =>
  page.getByRole(/Path|Host|Method/.test(name) ? 'textbox' : 'spinbutton', { name, exact: true })

/** Waits until nothing runs any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('[aria-label="Simulation"] [aria-busy="false"]').waitFor()
}

/** The cells of a table, a list a row, without its head. */
export async function tableOf(page: Page, name: string): Promise<readonly (readonly string[])[]> {
  const rows = await page.getByRole('table', { name }).locator('tbody tr').all()
  return await Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()))
}

/** The report of `sluice simulate` on the same sources, in a folder. */
export function commandReport(folder: string, simulated: Simulated, flags: readonly string[]): SimulationReport {
  const to = (name: string, sources: readonly TextSource[]) => {
    mkdirSync(join(folder, name), { recursive: true })
    for (const { file, text } of sources) writeFileSync(join(folder, name, file), text)
    return name
  }
  const { sources, route, previous } = simulated
  const all = [
    ...['simulate', to('now', sources), '--format', 'json', ...flags],
    ...(route ? ['--route', route] : []),
    ...(previous ? ['--compare', to('before', previous)] : []),
  ]
  return JSON.parse(execFileSync(process.execPath, [PROGRAM, ...all], { cwd: folder, encoding: 'utf8', stdio: 'pipe' }))
}
