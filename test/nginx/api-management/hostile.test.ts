/** Whatever is in a body, nginx accepts its configuration, and finds nothing in it but the meant directives. */
import { mkdirSync, rmSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { publicationProblems } from '../../../src/api-management/render/plan.ts'
import { renderProxies } from '../../../src/api-management/render/render.ts'
import type { JsonObject } from '../../../src/json/member.ts'
import { expectOnlyMeant, hostilePublished, SOCKETS, siteOf } from '../../api-management/render/hostile-bodies.ts'
import { casesOf } from '../../support/cases.ts'
import { countOf, printCount, SEED } from '../counts.ts'
import { checkAllRendered, checkRendered } from '../rendered.ts'
import { describeNginx } from '../with-nginx.ts'

const { cases } = casesOf(import.meta.url)

const NUM_RUNS = countOf('SLUICE_CASES', 200)

/** What only nginx can know of a body without problems: that a host is not there, or a number is out of range. */
const OF_NGINX = /host not found in upstream|invalid (?:rate|zone size|host)|zone ".*" is too small|invalid IPv6/

/** Each text as long as it may be, with the characters that take the most room in a configuration. */
const LONGEST = cases<JsonObject>('longest')

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
