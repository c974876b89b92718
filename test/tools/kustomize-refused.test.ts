/** What kubectl refuses to build is an error, and what it builds is none: a good repository, broken in many ways. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { programOf } from '../../scripts/kube-apiserver.ts'
import { type LintOutcome, lint } from '../../src/lint/lint.ts'
import { collect } from '../files/collect.ts'
import { ALL_CASES } from '../runs.ts'
import { casesOf } from '../support/cases.ts'

const { cases } = casesOf(import.meta.url)
const kubectl = programOf('kubectl')
const hasKubectl = spawnSync(kubectl, ['version', '--client']).status === 0

type Values = Readonly<Record<string, unknown>>
type Good = {
  readonly kustomizations: Readonly<Record<string, Values>>
  readonly files: Readonly<Record<string, string>>
}
type Mutation = {
  readonly in?: string
  readonly set?: Values
  readonly add?: Readonly<Record<string, unknown>>
  readonly files?: Readonly<Record<string, string | null>>
}

const GOOD = cases<Good>('good')
const KINDS = Object.entries(cases<Readonly<Record<string, readonly Mutation[]>>>('broken'))
const FOLDERS = Object.keys(GOOD.kustomizations)

/** What is left out of the good kustomizations, so that what is wrong is found with and without their other steps. */
const leftOut = fc.subarray(['namespace', 'configMapGenerator', 'replicas', 'patches', 'replacements'])

function broken(
  { in: folder = '', set = {}, add = {}, files = {} }: Mutation,
  any: string,
  without: readonly string[],
) {
  const texts: Record<string, string | null> = { ...GOOD.files }
  for (const [name, good] of Object.entries(GOOD.kustomizations)) {
    const values: Record<string, unknown> = Object.fromEntries(
      Object.entries(good).filter(([member]) => name !== 'prod' || !without.includes(member)),
    )
    if (name === (folder || any)) {
      Object.assign(values, set)
      for (const [member, items] of Object.entries(add))
        if (Array.isArray(items)) values[member] = [...[values[member] ?? []].flat(), ...items]
    }
    texts[`${name}/kustomization.yaml`] = JSON.stringify(values, null, 2)
  }
  return Object.entries({ ...texts, ...files })
}

/** Of each kind. */
const COUNT = Number(process.env.SLUICE_CASES ?? (ALL_CASES ? 25 : 3))
const SEED = Number(process.env.SLUICE_SEED ?? Date.now() % 2 ** 31)
/** Notes on what is out of reach, although kubectl refuses it. */
const OUT_OF_REACH = cases<readonly RegExp[]>('out of reach')

describe.runIf(hasKubectl || process.env.CI)('a kustomization that kubectl refuses', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-refused-'))
    console.log(`broken kustomizations with seed ${SEED}: SLUICE_SEED=${SEED}`)
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  let runs = 0
  function write(files: readonly (readonly [string, string | null])[]): string {
    const at = join(folder, String(runs++))
    for (const [path, text] of files) {
      if (text === null) continue
      mkdirSync(dirname(join(at, path)), { recursive: true })
      writeFileSync(join(at, path), text)
    }
    return at
  }

  it.each(KINDS)('is an error: %s', { timeout: 1_200_000 }, async (kind, mutations) => {
    const all = mutations.flatMap((mutation) =>
      (mutation.in ? [mutation.in] : FOLDERS).map((name) => ({ mutation, name })),
    )
    const some = fc.record({ of: fc.constantFrom(...all), without: leftOut })
    const counts = { built: 0, error: 0, noted: 0, nothing: 0 }
    for (const { of, without } of fc.sample(some, { numRuns: COUNT, seed: SEED })) {
      const at = write(broken(of.mutation, of.name, without))
      const [{ status, stderr }, { sources }] = await Promise.all([build(join(at, 'prod')), collect(at)])
      const verdict = verdictOn(lint(sources))
      const title = `${JSON.stringify(of)} without ${without}: ${stderr.slice(0, 300)}`
      expect(status === 0 ? ['nothing', 'noted'] : ['error', 'noted'], title).toContain(verdict)
      counts[status === 0 ? 'built' : verdict]++
      rmSync(at, { recursive: true })
    }
    console.log(`${kind}: ${JSON.stringify(counts)}`)
  })
})

function verdictOn({ report, notBuilt }: LintOutcome): 'error' | 'noted' | 'nothing' {
  if (report.findings.some(({ rule }) => rule.startsWith('document/'))) return 'error'
  return notBuilt.some(({ reason }) => OUT_OF_REACH.some((one) => one.test(reason))) ? 'noted' : 'nothing'
}

const build = (folder: string): Promise<{ readonly status: number; readonly stderr: string }> =>
  new Promise((resolve) => {
    const child = spawn(kubectl, ['kustomize', folder], { env: { ...process.env, HELM_CACHE_HOME: folder } })
    let stderr = ''
    child.stdout.resume()
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk)
    })
    child.on('close', (status) => resolve({ status: status ?? 1, stderr }))
  })
