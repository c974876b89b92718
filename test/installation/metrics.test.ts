/** The dashboard and the page on operations name metrics that the server has. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { dashboardPages } from '../../scripts/manifests/dashboard.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Names that stand in quotes in the server's code. */
const registered = new Set(
  readdirSync(`${ROOT}/src`, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => [...readFileSync(`${ROOT}/src/${path}`, 'utf8').matchAll(/'((?:sluice|process)_[a-z_]+)'/g)])
    .map(([, name]) => name),
)

const namesIn = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/\b(?:sluice|process)_[a-z_]+/g)].map(([name]) => name.replace(/_bucket$/, ''))),
]

describe('metrics', () => {
  it('of the dashboard exist', () => {
    const named = namesIn(
      dashboardPages()
        .map(({ text }) => text)
        .join(''),
    )
    expect(named.length).toBeGreaterThan(8)
    expect(named.filter((name) => !registered.has(name))).toEqual([])
  })

  it.each([
    ['docs/admission.md', ''],
    ['docs/controller.md', 'sluice_controller_'],
    ['docs/api-management.md', 'sluice_management_'],
    ['docs/mesh.md', 'sluice_mesh_'],
  ])('are explained, all of them: those of %s', (page, prefix) => {
    const ours = (name = '') => PREFIXES.find((one) => name.startsWith(one)) === (prefix || undefined)
    const named = namesIn(readFileSync(`${ROOT}/${page}`, 'utf8'))
    expect([...new Set(named.filter(ours))].sort()).toEqual([...registered].filter(ours).sort())
    expect(named.filter((name) => !registered.has(name) && !name.endsWith('_'))).toEqual([])
  })
})

/** Metrics of surfaces that have a page of their own. */
const PREFIXES = ['sluice_controller_', 'sluice_management_', 'sluice_mesh_']
