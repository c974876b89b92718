/** A Gateway with many policies in an nginx that a driver drives: how soon a change is in force, beside nginx alone. */
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { RATE_LIMIT_POLICY } from '../src/gateway/lookups/policies.ts'
import { configurationFor } from '../src/live/configuration.ts'
import { takeWorld } from '../src/live/world.ts'
import { objectsOf } from '../src/project/worlds.ts'
import { composeFiles, type Forms, type Wanted } from '../src/proxy/configuration.ts'
import { type Driver, openDriver } from '../src/proxy/driver.ts'
import { namedWorlds } from '../src/queries/query-world.ts'
import { DEFAULT_SETTINGS } from '../src/settings/settings.ts'
import { changedObjects, objectsByKind } from '../src/world/objects.ts'
import { freePort } from '../test/free-ports.ts'
import { gateway, policy, route } from '../test/live/manifests.ts'
import { findPrograms, type NginxProgram } from '../test/nginx/real-nginx.ts'
import { type Alone, comparedToAlone, reloadedAlone, startAlone, stopAlone, type Times } from './alone.ts'
import { type Measured, notMeasured, type Suite } from './suite.ts'

const ROUTES = 500
const POLICIES = 1_000
const BAR = 1.5

export const LIVE_SUITE: Suite = {
  name: 'live-change',
  what: `a change in one of ${POLICIES} policies on ${ROUTES} routes, from the object until new workers serve it : nginx -t and a reload of the same`,
  bar: String(BAR),
  async measure(folder, runs) {
    const [program] = findPrograms()
    if (!program) return notMeasured('nginx is not installed')
    chmodSync(folder, 0o755)
    const driver = await openDriver({ folder: join(folder, 'driven'), nginx: program.path })
    const alone = { program, folder: join(folder, 'alone') }
    try {
      return await measureChanges({ driver, alone }, runs)
    } finally {
      stopAlone(alone)
      await driver.stop()
    }
  },
}

type Both = { readonly driver: Driver; readonly alone: Alone }

async function measureChanges({ driver, alone }: Both, runs: number): Promise<Measured> {
  const shop = openShop(alone.program, [await freePort(), await freePort()])
  let inForce = await applied(driver, shop.wanted('driven'))
  startAlone(alone, filesOf(shop.wanted('alone')))
  const times: Times = { driven: [], alone: [] }
  for (let run = 0; run <= runs; run++) {
    const begun = performance.now()
    shop.change(run)
    inForce = await applied(driver, shop.wanted('driven', inForce))
    times.driven.push(performance.now() - begun)
    const files = filesOf(shop.wanted('alone'))
    times.alone.push(await reloadedAlone(alone, files))
  }
  return comparedToAlone(times, BAR)
}

const filesOf = (wanted: Wanted) => composeFiles(wanted, wanted.forms)

async function applied(driver: Driver, wanted: Wanted): Promise<Forms | undefined> {
  const outcome = await driver.apply(wanted)
  if (outcome.result !== 'applied' || outcome.refused.length > 0) throw new Error(JSON.stringify(outcome))
  return outcome.forms
}

type Which = 'driven' | 'alone'

const routes = Array.from({ length: ROUTES }, (_, index) => `r${index}`)
const SHOP = [
  gateway(),
  ...routes.map((name) => route(name)),
  ...Array.from({ length: POLICIES }, (_, index) =>
    policy(`p${index}`, 'key: $binary_remote_addr, rate: 5r/s, burst: 10', { target: `r${index % ROUTES}` }),
  ),
].join('')

/** The Gateway, its routes and policies; the ports are those of the driven nginx and of the other one. */
function openShop(program: NginxProgram, [driven, alone]: readonly [number, number]) {
  const [read] = namedWorlds([{ file: 'shop.yaml', text: SHOP }], { settings: DEFAULT_SETTINGS, closedWorld: true })
  if (!read) throw new Error('the shop has no objects')
  let objects = objectsOf(read.objects.collected, { closed: true })
  const policies = objects.named(RATE_LIMIT_POLICY.kind).all()
  return {
    /** Gives one policy another rate. */
    change(run: number): void {
      const before = policies[run % policies.length]
      if (!before) throw new Error('there are no policies')
      const text = JSON.stringify(before.object).replace(/"rate":"[^"]*"/, () => `"rate":"${run + 10}r/s"`)
      const after = RATE_LIMIT_POLICY.read(JSON.parse(text))
      const last = objects
      const changed = changedObjects(last.named(RATE_LIMIT_POLICY.kind), {
        kind: RATE_LIMIT_POLICY.kind,
        before,
        after,
      })
      objects = objectsByKind((kind) => (kind === RATE_LIMIT_POLICY.kind ? changed : last.named(kind)))
    },
    wanted(which: Which, inForce?: Forms): Wanted {
      const world = takeWorld(objects, DEFAULT_SETTINGS)
      const [gateway] = world.gateways
      if (!gateway) throw new Error('there is no Gateway')
      const site = {
        nginxVersion: program.version,
        address: '127.0.0.1',
        ports: new Map([[80, which === 'driven' ? driven : alone]]),
        addresses: { get: () => '127.0.0.1:9' },
        certificates: undefined,
        socketDir: '.',
      }
      return configurationFor(gateway, world, { site, inForce }).wanted
    },
  }
}
