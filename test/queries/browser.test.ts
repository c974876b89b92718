/** Queries run where there is no Node: bundled for a browser, in a context with none of Node's globals. */
import { expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { runInBrowser } from '../in-browser.ts'
import { effective, gateway, policy, route, source } from './manifests.ts'

const SHOP = [gateway('edge'), route('coffee'), policy('coffee', ['HTTPRoute/coffee'])]

it('need no module and no global of Node', async () => {
  const page = await runInBrowser(`
        import { queryWorlds } from './src/queries/query-world.ts'
        import { queryEffective } from './src/queries/effective.ts'
        import { queryStatus } from './src/queries/status.ts'
        import { queryRender } from './src/queries/render.ts'
        globalThis.run = (json) => {
          const { sources, settings, options } = JSON.parse(json)
          const worlds = queryWorlds(sources, { settings, closedWorld: true })
          return JSON.stringify({
            effective: queryEffective('HTTPRoute/coffee', worlds, { settings, ...options }),
            statuses: worlds.map((world) => queryStatus(world, { settings, now: '2026-01-31T12:00:00Z' })),
            rendered: queryRender(sources, {
              settings, closedWorld: true, several: false, ...options,
              how: { complete: false, files: false, address: '', ports: new Map(), portOffset: 0,
                addresses: new Map(), socketDir: '/var/run' },
            }),
          })
        }`)
  const { run } = page
  if (typeof run !== 'function') throw new Error('the page has no function run')
  const result: unknown = JSON.parse(
    run(JSON.stringify({ sources: [source(SHOP)], settings: DEFAULT_SETTINGS, options: {} })),
  )
  expect(result).toMatchObject({
    effective: { ok: true, value: JSON.parse(JSON.stringify(effective('HTTPRoute/coffee', SHOP))) },
    statuses: [{ policies: [{ name: 'coffee', ancestors: [{ conditions: [{ status: 'True' }] }] }] }],
    rendered: { ok: true, value: { gateways: [{ name: 'edge', files: [{ name: 'fragments.conf' }] }] } },
  })
})
