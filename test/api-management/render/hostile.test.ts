/** Whatever is in a body, its configuration has nothing but the meant directives. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { publicationProblems } from '../../../src/api-management/render/plan.ts'
import { renderProxies } from '../../../src/api-management/render/render.ts'
import { runs } from '../../runs.ts'
import { expectOnlyMeant, hostilePublished, MEANT_PUBLISHED, siteOf } from './hostile-bodies.ts'

const CASES = runs(400)

test.each(['1.22.1', '1.31'])('bodies that would break out of the configuration (nginx %s)', (version) => {
  const site = siteOf(version)
  const meant = renderProxies(MEANT_PUBLISHED, site)
  expect(meant.map(({ part }) => part)).toEqual([undefined, 'environment/prod', 'P-1_x', 'P-1_x'])
  expectOnlyMeant(meant)
  const counts = { rendered: 0, 'left out': 0 }
  fc.assert(
    fc.property(hostilePublished, (published) => {
      const files = renderProxies(published, site)
      const isRendered = files.some(({ part }) => part === 'P-1_x')
      const problems = published.proxies.flatMap(({ body }) => publicationProblems(body))
      expect(isRendered).toBe(problems.length === 0)
      counts[isRendered ? 'rendered' : 'left out'] += 1
      expectOnlyMeant(files)
    }),
    CASES,
  )
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(CASES.numRuns / 8)
})
