/**
 * Every remedy that `test/remedies/` carries out leaves policies that the API server and nginx accept, and the remedies
 * for keys leave limits that a client meets, whatever it sends.
 */
import { expect, test } from 'vitest'
import { lint } from '../../src/lint/lint.ts'
import { lookUpVariable } from '../../src/nginx/variables.ts'
import { placeholderOf } from '../../src/text/placeholder.ts'
import { policy } from '../gateway/objects.ts'
import { makeRemedies } from '../remedies/made.ts'
import type { Draft } from '../rules/policies.ts'
import { share } from '../runs.ts'
import { subjectsIn } from '../subjects.ts'
import { casesOf } from '../support/cases.ts'
import { apiServerAccepts } from './api-server.ts'
import { errorsOf, viewOf } from './errors.ts'
import { isBuiltIn, platformOf } from './platform.ts'
import type { NginxProgram } from './real-nginx.ts'
import { checkPolicies } from './rendered-policy.ts'
import { running, web } from './running-gateway.ts'
import { benchFor, describeNginx } from './with-nginx.ts'

const { cases } = casesOf(import.meta.url)

/** Every policy of every text after a remedy, each once, but for those with values that are filled in later. */
const POLICIES: readonly Draft[] = [
  ...new Map(
    makeRemedies().made.flatMap(({ after: { name, text, namespace } }) =>
      subjectsIn([{ file: name, text, ...(namespace ? { namespace } : {}) }]).flatMap(({ kind, object }) =>
        kind === 'RateLimitPolicy' && object && placeholderOf(object) === undefined
          ? [[JSON.stringify(object), structuredClone(object) as Draft] as const]
          : [],
      ),
    ),
  ).values(),
]

/** True where the program was built with the modules of all variables. */
const hasModules = (program: NginxProgram, one: Draft): boolean =>
  viewOf(one).limits.every(({ key }) =>
    key.value?.parts.every((part) => {
      const found = part.type === 'variable' ? lookUpVariable(part.name, platformOf(program)) : undefined
      return !found?.known || !found.facts || isBuiltIn(program, found.facts)
    }),
  )

describeNginx('policies after a remedy', (program) => {
  const bench = benchFor(program)

  test('are accepted by the API server and by nginx where the lint finds no error', () => {
    const faultless = POLICIES.filter((one) => errorsOf(one, program).length === 0 && hasModules(program, one))
    expect(faultless.length).toBeGreaterThan(100)
    expect(faultless.filter((one) => !apiServerAccepts(viewOf(one).object))).toEqual([])
    const asked = share(faultless, 40)
    const verdicts = checkPolicies(asked.map(viewOf), program)
    expect(verdicts.flatMap(({ accepted, output }, at) => (accepted ? [] : [[output, asked[at]]]))).toEqual([])
  })

  test('may use a variable that a map defines', () => {
    const zone = 'limit_req_zone $plan zone=plan:32k rate=10r/s;'
    expect(bench.check(zone).accepted).toBe(false)
    expect(bench.check(`map $http_x_plan $plan { default free; } ${zone}`).accepted).toBe(true)
  })
})

/** What a client changes from one request to the next: the path after that of the route, and headers; `N` is a count. */
type Varying = { readonly path?: string; readonly headers?: Readonly<Record<string, string>> }

/** The keys of a policy, how a client varies them, and whether it evades all of them so. */
const KEYS = cases<[keys: string[], varying: Varying, evades: boolean][]>('KEYS')
const NAMES = KEYS.map((_, index) => `k${index}`)

const EVASION = ['gateway/key-client-controlled', 'gateway/key-may-be-empty']
const REQUESTS = 8

describeNginx('a client that varies the key of a limit', (program) => {
  const policies = KEYS.map(([keys], index) =>
    policy(`k${index}`, {
      on: [`HTTPRoute k${index}`],
      limits: keys.map((key) => ({ key, rate: '1r/m', zoneSize: '32k' })),
    }),
  )
  const now = running(program, { routes: NAMES.map((name) => web(name)), policies })

  test.each(KEYS.map(([keys, varying, evades], index) => ({ keys, varying, evades, index })))(
    'evades $keys only where the lint says so',
    async ({ varying, evades, index }) => {
      const codes = new Set<number>()
      for (let count = 0; count < REQUESTS; count++) {
        const { path = '', headers = {} }: Varying = JSON.parse(JSON.stringify(varying).replaceAll('N', `${count}`))
        codes.add((await now().get(`/k${index}${path}`, headers)).code)
      }
      expect(codes).toEqual(new Set(evades ? [200] : [200, 503]))
      const { findings } = lint([{ file: 'policy.json', text: JSON.stringify(policies[index]?.object) }]).report
      expect(findings.some(({ rule }) => EVASION.includes(rule))).toBe(evades)
    },
  )
})
