/** The dashboard and the page on operations name numbers that the server has. */
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

  it('are explained, all of them, in docs/admission.md', () => {
    const named = namesIn(readFileSync(`${ROOT}/docs/admission.md`, 'utf8'))
    expect([...named].sort()).toEqual([...registered].sort())
  })
})
