import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FABRIC_VERSIONS, nginxOf } from '../../src/fabric/releases.ts'
import { readSettings } from '../../src/settings/file.ts'
import { DEFAULT_PROJECT, DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { casesOf } from '../support/cases.ts'

const { cases, each } = casesOf(import.meta.url)

const IDS = ['gateway/rate-syntax', 'gateway/rate-zero', 'gateway/zone-memory', 'mesh/config']

/** What is wrong, as the command line prints it. */
function problemsOf(text: string): readonly string[] {
  const outcome = readSettings(text, IDS)
  return outcome.ok
    ? []
    : outcome.problems.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`)
}

function read(text: string) {
  const outcome = readSettings(text, IDS)
  if (!outcome.ok) throw new Error(problemsOf(text).join('\n'))
  return outcome.project
}

describe('settings', () => {
  it.each(['', '# nothing\n', '{}', '---\n', 'null'])('are the defaults in a file with %j', (text) =>
    expect(read(text)).toEqual(DEFAULT_PROJECT),
  )

  it('may set everything', () => {
    const text = cases<string>('text')
    expect(read(text)).toEqual({
      settings: {
        rules: { 'gateway/rate-syntax': 'warning', 'gateway/rate-zero': 'off', 'mesh/config': 'off' },
        ruleset: '1.0',
        platform: { nginxVersion: '1.27.4', plus: true, pageSize: 16384, variables: ['tenant', 'plan'] },
        budgets: { zoneMemory: 64 * 1024 * 1024, expectedKeys: 50000, queueSeconds: 2.5 },
        ...{ fabricVersion: '2.5.1', composition: 'inherit', conflict: 'any-field' },
        zoneNaming: 'keyed',
        affectedRoutes: 'attached',
        apiGroups: { vendor: 'acme', platform: 'x-k8s' },
        mesh: true,
        meshMtls: 'strict',
        podTemplates: [
          { group: 'fleet.example', kind: 'Fleet', paths: ['spec.workers[*].template', 'spec.roles.*.template'] },
        ],
        meshRedirect: 'cni',
        meshSocket: 'csi',
        policies: [],
      },
      worlds: [
        { name: 'eu', paths: ['clusters/eu'] },
        { name: 'us', paths: ['clusters/us', 'shared'] },
      ],
      overrides: [{ files: ['legacy/**'], rules: { 'gateway/rate-zero': 'info', 'gateway/zone-memory': 'off' } }],
      ignores: ['build', '*.tmp.yaml'],
      failOnUnjudged: ['helm', 'remote-base'],
      admission: { enforce: 'warn', strict: true, crossObject: 'deny', keyChange: 'resize', onFault: 'deny' },
    })
  })

  it('keep the defaults of what they do not set', () =>
    expect(read('platform: { plus: true }\nbudgets: { zoneMemory: 1048576 }').settings).toEqual({
      ...DEFAULT_SETTINGS,
      platform: { ...DEFAULT_SETTINGS.platform, plus: true },
      budgets: { ...DEFAULT_SETTINGS.budgets, zoneMemory: 1048576 },
    }))

  it.each([
    ['k', 512 * 1024],
    ['m', 512 * 1024 ** 2],
    ['g', 512 * 1024 ** 3],
    ['', 512],
  ])('read zoneMemory "512%s" as bytes', (unit, bytes) =>
    expect(read(`budgets: { zoneMemory: "512${unit}" }`).settings.budgets.zoneMemory).toBe(bytes),
  )

  it.each(FABRIC_VERSIONS)('of release %s are those of the product, unless they are set', (version) => {
    const of = (more: string) => read(`fabricVersion: "${version}"\n${more}`).settings
    const product = { fabricVersion: version, composition: 'inherit', platform: { nginxVersion: nginxOf(version) } }
    expect(of('')).toMatchObject(product)
    const own = { composition: 'stack', platform: { nginxVersion: '1.22', pageSize: 4096 } }
    expect(of('composition: stack\nplatform: { nginxVersion: "1.22" }')).toMatchObject(own)
  })

  it('have a published schema that stands in the package', () => {
    const schema: unknown = JSON.parse(readFileSync('schemas/sluice.config.schema.json', 'utf8'))
    expect(DEFAULT_SETTINGS.fabricVersion).toBe(FABRIC_VERSIONS.filter((version) => version !== 'edge').at(-1))
    const properties = { fabricVersion: { enum: FABRIC_VERSIONS } }
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false, properties })
    expect(read('$schema: ./node_modules/sluice/schemas/sluice.config.schema.json')).toEqual(DEFAULT_PROJECT)
  })
})

/** What is said of mistakes: `test/fixtures/cli/settings-mistakes.txtar`. */
describe('mistakes in settings', () =>
  each<[string]>('survives %j', (text) => expect(problemsOf(text).length).toBeGreaterThan(0)))
