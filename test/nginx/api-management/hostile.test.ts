/** Whatever is in a body, nginx accepts its configuration, and finds nothing in it but the meant directives. */
import { mkdirSync, rmSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publicationProblems } from '../../../src/api-management/render/plan.ts'
import { renderProxies } from '../../../src/api-management/render/render.ts'
import { expectOnlyMeant, hostilePublished, SOCKETS, siteOf } from '../../api-management/render/hostile-bodies.ts'
import { countOf, printCount, SEED } from '../counts.ts'
import { checkAllRendered, checkRendered } from '../rendered.ts'
import { describeNginx } from '../with-nginx.ts'

const NUM_RUNS = countOf('SLUICE_CASES', 200)

/** What only nginx can know of a body without problems: that a host is not there, or a number is out of range. */
const OF_NGINX = /host not found in upstream|invalid (?:rate|zone size|host)|zone ".*" is too small|invalid IPv6/

/** Each text as long as it may be, with the characters that take the most room in a configuration. */
const LONGEST = {
  name: '"'.repeat(5000),
  version: '.'.repeat(100),
  proxyConfig: {
    hostname: `${'h'.repeat(63)}.${'h'.repeat(63)}.${'h'.repeat(63)}.${'h'.repeat(61)}`,
    ingress: {
      basePath: `/${'+'.repeat(499)}`,
      stripBasePathVersion: true,
      routes: [{ uri: `/${'.'.repeat(499)}`, targetBackendServiceLabel: 'l'.repeat(5000) }],
    },
    grpcIngress: {
      service: `a${'.'.repeat(499)}`,
      routes: [{ method: 'm'.repeat(256), targetBackendServiceLabel: 'l'.repeat(5000) }],
    },
    backends: [
      { serviceTargets: [{ hostname: '127.0.0.1' }] },
      {
        label: { targetName: 'l'.repeat(5000) },
        serviceTargets: [{ hostname: '::1', listener: { transportProtocol: 'GRPC', enableTLS: true } }],
      },
    ],
    policies: {
      'request-correlation-id': [{ action: { httpHeaderName: 'x'.repeat(40) } }],
      'apikey-authn': [
        {
          action: { apiKeyName: 'k'.repeat(40) },
          data: [
            { clientID: '\u{1f600}'.repeat(128), apiKey: '"'.repeat(256) },
            { clientID: 'b', apiKey: '$'.repeat(256) },
          ],
        },
        {
          action: { suppliedIn: 'QUERY', apiKeyName: '-'.repeat(64) },
          data: [{ clientID: 'c', apiKey: '\\'.repeat(256) }],
        },
      ],
    },
  },
}

describeNginx('hostile bodies', (program) => {
  beforeAll(() => void mkdirSync(SOCKETS, { recursive: true }))
  afterAll(() => rmSync(SOCKETS, { recursive: true, force: true }))

  test('the longest texts that are accepted fit into a configuration', () => {
    expect(publicationProblems(LONGEST)).toEqual([])
    const proxy = { id: 'x'.repeat(64), workspace: 'w', environment: 'prod', revision: 1, body: LONGEST }
    const files = renderProxies({ proxies: [proxy], environments: [] }, siteOf(program.version))
    expect(checkRendered(program, { files })).toMatchObject({ accepted: true })
  })

  test(`break out of none of ${NUM_RUNS} configurations`, () => {
    const all = fc.sample(hostilePublished, { numRuns: NUM_RUNS, seed: SEED })
    const rendered = all.map((published) => ({ files: renderProxies(published, siteOf(program.version)) }))
    for (const { files } of rendered) expectOnlyMeant(files)
    const refused = checkAllRendered(program, rendered).flatMap(({ accepted, output }, at) =>
      accepted ? [] : [{ output, published: all[at] }],
    )
    for (const { output, published } of refused) expect(output, JSON.stringify(published)).toMatch(OF_NGINX)
    printCount('SLUICE_CASES', `nginx ${program.version}: ${refused.length} of ${NUM_RUNS} refused`)
    expect(refused.length).toBeLessThan(NUM_RUNS / 2)
  })
})
