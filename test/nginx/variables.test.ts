import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { lookUpVariable, NAMED_VARIABLES, type NamedVariable, VARIABLE_PREFIXES } from '../../src/nginx/variables.ts'
import { casesOf } from '../support/cases.ts'
import { isBuiltIn, isForeign, platformOf, withKey } from './platform.ts'
import { statusOf } from './requests.ts'
import { benchFor, describeNginx } from './with-nginx.ts'

const { each } = casesOf(import.meta.url)

const newest = { nginxVersion: '1.31', plus: false, variables: ['tenant'] }
const lookUp = (name: string, platform = newest) => lookUpVariable(name, platform)

describe('looking a variable up', () => {
  test('a prefix stands for every name that begins with it, and for itself', () => {
    for (const name of ['http_x_api_key', 'http_', 'arg_', 'cookie_sid', 'upstream_http_x'])
      expect(lookUp(name), name).toMatchObject({ known: true })
  })

  test('variables that configuration defines are known, but not their values', () =>
    expect(lookUp('tenant')).toEqual({ known: true, facts: undefined }))

  test('NGINX Plus has more of them', () => {
    expect(lookUp('jwt_claim_sub')).toMatchObject({ known: false, reason: 'plus-only', suggestion: undefined })
    expect(lookUp('jwt_claim_sub', { ...newest, plus: true })).toMatchObject({ known: true })
  })

  each<[string, boolean]>('$request_port came with 1.29.3: nginx %s', (nginxVersion, known) =>
    expect(lookUp('request_port', { ...newest, nginxVersion })).toMatchObject(
      known ? { known } : { known, reason: 'too-new', since: '1.29.3' },
    ),
  )

  each<[string, string | undefined]>('$%s may mean %s', (name, suggestion) =>
    expect(lookUp(name)).toMatchObject({ known: false, reason: 'unknown', suggestion }),
  )

  test('with NGINX Plus its prefixes are suggested too', () =>
    expect(lookUp('jwt_clam_sub', { ...newest, plus: true })).toMatchObject({ suggestion: 'jwt_claim_sub' }))

  test('what is suggested is known', () => {
    for (const name of ['remoteaddr', 'client_ip', 'useragent', 'query_page', 'path', 'resp_header_x']) {
      const found = lookUp(name)
      expect(found.known === false && found.suggestion && lookUp(found.suggestion)).toMatchObject({ known: true })
    }
  })
})

const MADE_UP = ['nope', 'apikey', '0', '_', 'host_', 'http', 'remote', 'uri2', 'x_forwarded_for', 'geoip', 'time', 'é']

/** The prefixes once bare and once with something behind. */
const everyName: readonly NamedVariable[] = [
  ...NAMED_VARIABLES,
  ...VARIABLE_PREFIXES.flatMap(({ name, facts }) => [
    { name, facts },
    { name: `${name}x`, facts },
  ]),
]

describeNginx('the table of variables', (program) => {
  const bench = benchFor(program)
  const platform = platformOf(program)
  const accepted = (names: readonly string[]) =>
    bench.checkAll(names.map((name) => withKey(`$${name}`))).map((verdict, index) => [names[index], verdict.accepted])

  test('every name is accepted exactly where it is in the table', () => {
    const expected = everyName.map(({ name, facts }) => {
      const own = lookUpVariable(name, platform)
      return [name, isForeign(program, name) || (own.known && isBuiltIn(program, facts))] as const
    })
    const known = expected.flatMap(([name, isKnown]) => (isKnown ? [name] : []))
    const together = known.map((name, index) => `limit_req_zone $${name} zone=z${index}:32k rate=1r/s;`)
    expect(bench.check(`variables_hash_max_size 8192;\n${together.join('\n')}`)).toMatchObject({ accepted: true })
    const unknown = expected.flatMap(([name, isKnown]) => (isKnown ? [] : [name]))
    expect(accepted(unknown)).toEqual(unknown.map((name) => [name, false]))
  })

  test('unknown names are rejected by both', () => {
    expect(MADE_UP.filter((name) => lookUpVariable(name, platform).known)).toEqual([])
    expect(accepted(MADE_UP)).toEqual(MADE_UP.map((name) => [name, false]))
  })

  // Ten minutes: only with SLUICE_THOROUGH.
  if (process.env.SLUICE_THOROUGH)
    test('no word inside the program is a variable that the table lacks', () => {
      const words = new Set(readFileSync(program.path, 'latin1').match(/[a-z][a-z0-9_]{2,39}/g))
      for (const word of [...words])
        for (const { index } of word.matchAll(/_(?=[a-z])/g)) words.add(word.slice(index + 1))
      const others = [...words].filter(
        (word) => !lookUpVariable(word, platform).known && !isForeign(program, word) && !/^(echo|jwt)_/.test(word),
      )
      expect(accepted(others).filter(([, isAccepted]) => isAccepted)).toEqual([])
    }, 600_000)

  test('a key gets the values in the table: none, the same for all, or a new one each time', async () => {
    const known = everyName.filter(
      ({ name, facts }) => lookUpVariable(name, platform).known && isBuiltIn(program, facts) && !facts.internal,
    )
    const { port } = await bench.start((listen) =>
      everyKey(known, `listen 127.0.0.1:${listen}; root ${bench.directory}; server_name here`),
    )
    for (const [index, variable] of known.entries()) await judge(port, index, variable)
  })
})

/** Per variable two places: one limited by it alone, one by it behind a letter. */
function everyKey(known: readonly NamedVariable[], server: string): string {
  const zones = known.map(({ name }, index) =>
    [`$${name} zone=a${index}`, `x$${name} zone=b${index}`]
      .map((zone) => `limit_req_zone ${zone}:32k rate=1r/m;`)
      .join(''),
  )
  const places = known.flatMap((_, index) =>
    ['a', 'b'].map((zone) => `location /${zone}${index} { limit_req zone=${zone}${index}; try_files /none =204; }`),
  )
  return ['variables_hash_max_size 8192;', ...zones, `server { ${server};`, ...places, '}'].join('\n')
}

async function judge(port: number, index: number, { name, facts }: NamedVariable): Promise<void> {
  const [alone, behind] = await Promise.all([isLimited(port, `/a${index}`), isLimited(port, `/b${index}`)])
  const isNew = facts.changes !== undefined && facts.changes !== 'second'
  if (facts.empty === 'always') expect([name, alone, behind]).toEqual([name, false, true])
  else if (facts.changes === 'request' || facts.changes === 'millisecond')
    expect([name, behind]).toEqual([name, facts.empty === 'sometimes'])
  else if (facts.empty !== 'sometimes' && !isNew) expect([name, alone]).toEqual([name, true])
}

async function isLimited(port: number, path: string): Promise<boolean> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if ((await statusOf(port, path)) === 503) return true
    await pause(3)
  }
  return false
}
