/** The library has the results of the commands, and prints them as they do. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { effective, formatEffective, formatRender, formatSimulation, render, simulate } from '../../src/browser.ts'
import { sluice } from '../cli/run.ts'

const cwd = fileURLToPath(new URL('../..', import.meta.url))
const file = 'examples/api-management/menu.yaml'

it('as the command prints API proxies', async () => {
  const sources = [{ file, text: readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8') }]
  const printed = async (...argv: readonly string[]) => (await sluice([...argv, file, '--format=json'], { cwd })).stdout
  const limits = effective(sources, 'Proxy/menu')
  expect(limits.ok && formatEffective(limits.value, 'json')).toMatchObject({
    value: await printed('effective', 'Proxy/menu'),
  })
  const report = simulate(sources, { clients: 2, rate: '10r/s', for: '10s' })
  expect(report.ok && formatSimulation(report.value, 'json')).toMatchObject({
    value: await printed('simulate', '--clients', '2', '--rate', '10r/s', '--for', '10s'),
  })
  const configuration = render(sources, { files: true })
  expect(configuration.ok && formatRender(configuration.value, 'json')).toMatchObject({
    value: await printed('render'),
  })
})
