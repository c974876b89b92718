/** Helm renders, `sluice lint -` judges what it prints; for kubectl, `test/tools/lint-pipe.test.ts`. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findHelm } from '../../scripts/helm.ts'
import { createFolder, policy } from '../files/folder.ts'
import { casesOf } from '../support/cases.ts'
import { shell } from './shell.ts'

const { cases } = casesOf(import.meta.url)

const LIMITS = cases<string>('LIMITS')

const chart = (name: string) => `apiVersion: v2\nname: ${name}\nversion: 0.1.0\n`

/** A chart in a folder of another name, with a chart within it. */
const createChart = (limits: string) =>
  createFolder({
    'deploy/Chart.yaml': chart('shop'),
    'deploy/values.yaml': `limits:\n${limits}tea:\n  limits:\n  - { name: tea, rate: 10r/m0 }\n`,
    'deploy/templates/settings.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\n',
    'deploy/templates/limits.yaml': LIMITS,
    'deploy/charts/tea/Chart.yaml': chart('tea'),
    'deploy/charts/tea/templates/limits.yaml': LIMITS,
  })

const GOOD = '- { name: coffee, rate: 10r/s }\n'
const BAD = '- { name: coffee, rate: 10r/s }\n- { name: espresso, rate: 10R/S }\n'

type Finding = { readonly file: string; readonly line: number; readonly rule: string }

describe.runIf(findHelm() !== undefined || process.env.CI)('helm template | sluice lint -', () => {
  it('shows findings under the name of the template, by the lines that helm shows of it', () => {
    const cwd = createChart(BAD)
    const { status, stdout, stderr } = shell('helm template deploy -n shop | sluice lint - --format json', { cwd })
    expect({ status, stderr }).toEqual(
      cases('shows findings under the name of the template, by the lines that helm shows of it'),
    )
    const { findings, summary } = JSON.parse(stdout)
    expect(findings.map(({ file, line, rule }: Finding) => [file, line, rule])).toEqual(
      cases('shows findings under the name of the template, by the lines that helm shows of it (2)'),
    )
    expect(summary).toMatchObject({ files: 3, documents: 3 })
    const shown = shell('helm template deploy -n shop --show-only templates/limits.yaml', { cwd }).stdout
    expect(shown.split('\n')[23]).toContain('rate: 10R/S')
  })

  it('is quiet about lines where nothing is found', () => {
    const cwd = createChart(GOOD)
    expect(shell('helm template deploy --set tea.limits=null | sluice lint -', { cwd })).toMatchObject(
      cases<object>('is quiet about lines where nothing is found'),
    )
  })

  it('is compared with what an earlier version renders: --old', () => {
    const cwd = createChart(GOOD)
    const before = 'helm template deploy -n shop --set tea.limits=null > before.yaml'
    expect(shell(before, { cwd }).status).toBe(0)
    writeFileSync(join(cwd, 'deploy/values.yaml'), `limits:\n- { name: coffee, rate: 10r/s, key: $remote_user }\n`)
    const { status, stdout } = shell('helm template deploy -n shop | sluice lint - --old before.yaml --format json', {
      cwd,
    })
    expect(status).toBe(1)
    expect(JSON.parse(stdout).findings.map(({ rule }: Finding) => rule)).toContain(
      'gateway/key-change-without-zone-resize',
    )
  })

  it('is one text after --fix', () => {
    const cwd = createChart(BAD)
    const script = 'helm template deploy -n shop | sluice lint - --fix | sluice lint - --format json'
    const { stdout } = shell(`${script} || true`, { cwd })
    const { findings, summary } = JSON.parse(stdout)
    expect(findings.map(({ file, line }: Finding) => [file, line])).toEqual([
      ['shop/charts/tea/templates/limits.yaml', 12],
    ])
    expect(summary.documents).toBe(3)
  })

  it('keeps the name of the stream where a file that is linted as well has that of a template', () => {
    const cwd = createChart(BAD)
    const files = createFolder({ 'shop/templates/limits.yaml': policy({ name: 'own' }) })
    const { stdout } = shell(`helm template ${cwd}/deploy | sluice lint - shop --format json`, { cwd: files })
    expect(new Set(JSON.parse(stdout).findings.map(({ file }: Finding) => file))).toEqual(new Set(['<stdin>']))
  })
})
