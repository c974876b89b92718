/** Many API proxies in an nginx: how soon a change of one is in force, beside nginx alone. */
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import type { Published, PublishedProxy } from '../src/api-management/render/published.ts'
import { renderProxies } from '../src/api-management/render/render.ts'
import { openPublisher, type Publisher } from '../src/publication/publisher.ts'
import { freePort } from '../test/free-ports.ts'
import { findPrograms, type NginxProgram } from '../test/nginx/real-nginx.ts'
import { type Alone, comparedToAlone, reloadedAlone, startAlone, stopAlone, type Times } from './alone.ts'
import { type Measured, notMeasured, type Suite } from './suite.ts'

const PROXIES = 1_000
const HOSTNAMES = 50
const BAR = 1.5

export const PUBLICATION_SUITE: Suite = {
  name: 'publication-change',
  what: `a change in one of ${PROXIES} API proxies under ${HOSTNAMES} hostnames, from the bodies until new workers serve it : nginx -t and a reload of the same`,
  bar: String(BAR),
  async measure(folder, runs) {
    const [program] = findPrograms()
    if (!program) return notMeasured('nginx is not installed')
    chmodSync(folder, 0o755)
    const site = { address: '127.0.0.1', port: await freePort() }
    const publisher = await openPublisher({ folder: join(folder, 'driven'), nginx: program.path, site })
    const alone = { program, folder: join(folder, 'alone') }
    try {
      return await measureChanges(publisher, alone, runs)
    } finally {
      stopAlone(alone)
      await publisher.stop()
    }
  },
}

async function measureChanges(publisher: Publisher, alone: Alone, runs: number): Promise<Measured> {
  const port = await freePort()
  const filesOf = (run: number) => renderProxies(published(run), siteOf(alone.program, port))
  await publish(publisher, 0)
  startAlone(alone, filesOf(0))
  const times: Times = { driven: [], alone: [] }
  for (let run = 1; run <= runs + 1; run++) {
    const begun = performance.now()
    await publish(publisher, run)
    times.driven.push(performance.now() - begun)
    times.alone.push(await reloadedAlone(alone, filesOf(run)))
  }
  return comparedToAlone(times, BAR)
}

const siteOf = ({ version }: NginxProgram, port: number) => ({ nginxVersion: version, address: '127.0.0.1', port })

async function publish(publisher: Publisher, run: number): Promise<void> {
  const outcomes = await publisher.publish(published(run))
  const failed = [...outcomes.values()].find(({ state }) => state !== 'SUCCESS')
  if (failed || outcomes.size !== PROXIES) throw new Error(JSON.stringify(failed))
}

/** All proxies as a store gives them: new objects each time, of which one has another rate in each run. */
const published = (run: number): Published => ({
  proxies: Array.from({ length: PROXIES }, (_, index) => proxyOf(index, index === run % PROXIES ? run : 0)),
  environments: [
    {
      name: 'prod',
      policies: { 'rate-limit': [{ action: { limits: [{ rate: '900r/s', rateLimitBy: 'client.ip' }] } }] },
    },
  ],
})

const proxyOf = (index: number, run: number): PublishedProxy => ({
  ...{ id: String(index), workspace: 'shop', environment: 'prod', revision: run + 1 },
  body: {
    name: `proxy-${index}`,
    version: 'v1',
    proxyConfig: {
      hostname: `h${index % HOSTNAMES}.shop.example`,
      ingress: { basePath: `/api-${index}`, routes: [{ uri: '/orders/{id}' }, { uri: '/menu' }] },
      backends: [{ serviceName: 'web', serviceTargets: [{ hostname: '127.0.0.1', listener: { port: 9 } }] }],
      policies: {
        'rate-limit': [
          {
            systemMetadata: { appliedOn: 'inbound', context: 'proxy' },
            action: {
              returnCode: 429,
              limits: [
                {
                  rate: `${run + 10}r/s`,
                  rateLimitBy: 'client.ip',
                  zoneSize: '1M',
                  throttle: { burst: 20, noDelay: true },
                },
                { rate: '50r/s', rateLimitBy: 'uri', zoneSize: '1M' },
              ],
            },
          },
        ],
      },
    },
  },
})
