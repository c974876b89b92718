/** The builder makes what kubectl makes: of repositories at random, and of those of the project. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { programOf } from '../../scripts/kube-apiserver.ts'
import { createBuilder } from '../../src/kustomize/build.ts'
import type { BuiltObject } from '../../src/kustomize/built-object.ts'
import { lint } from '../../src/lint/lint.ts'
import type { TextSource } from '../../src/project/source.ts'
import { readDocuments } from '../../src/yaml/documents.ts'
import { collect } from '../files/collect.ts'
import { policy } from '../files/folder.ts'
import { type Files, repositories } from '../kustomize/repositories.ts'
import { ALL_CASES, share } from '../runs.ts'
import { casesOf } from '../support/cases.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const kubectl = programOf('kubectl')
const hasKubectl = spawnSync(kubectl, ['version', '--client']).status === 0
if (!hasKubectl) console.log('no kubectl: the tests of the kustomize builder are left out')

const CASES = Number(process.env.SLUICE_CASES ?? (ALL_CASES ? 25 : 8))
const TIMEOUT = 1_200_000
const SEED = Number(process.env.SLUICE_SEED ?? Date.now() % 2 ** 31)

/** Without members that are null, which the API server drops. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null && member !== undefined)
      .map(([name, member]) => [name, withoutNulls(member)]),
  )
}

type KubeObject = {
  readonly kind?: unknown
  readonly metadata?: { readonly name?: unknown; readonly namespace?: unknown }
}

const identityOf = ({ kind, metadata }: KubeObject): string =>
  `${kind} ${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`

const KINDS = new Set(['RateLimitPolicy', 'HTTPRoute', 'Gateway', 'SnippetsFilter'])

const byIdentity = (objects: readonly unknown[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    objects
      .map((object) => Object(object) as KubeObject)
      .filter(({ kind }) => KINDS.has(String(kind)))
      .map((object) => [identityOf(object), withoutNulls(object)])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  )

function buildWithKubectl(folder: string): { readonly objects: readonly unknown[] } | { readonly problem: string } {
  const { status, stdout, stderr } = spawnSync(kubectl, ['kustomize', folder], { encoding: 'utf8' })
  if (status !== 0) return { problem: stderr }
  return { objects: readDocuments(stdout, { mentions: /(?:)/ }).map(({ value }) => value) }
}

const readFrom = (folder: string) => (path: string) => {
  const file = join(folder, path)
  return existsSync(file) && statSync(file).isFile() ? { file: path, text: readFileSync(file, 'utf8') } : undefined
}

/** A part that is built only as that of one root. */
const onlyOf = (root: string, { builds, ...part }: TextSource): TextSource =>
  builds?.some(({ folder }) => folder === root) ? { ...part, builds } : part

/** Findings without their places. */
const briefly = ({ report: { findings } }: ReturnType<typeof lint>): readonly string[] =>
  [
    ...new Set(
      findings.map(({ rule, severity, message, help, object: { kind, namespace, name } }) =>
        JSON.stringify([rule, severity, `${kind} ${namespace}/${name}`, message, help]),
      ),
    ),
  ].sort()

const withoutObjects = (findings: readonly string[]): readonly string[] =>
  [...new Set(findings.map((finding) => JSON.stringify(JSON.parse(finding).toSpliced(2, 1))))].sort()

const objectsOf = (objects: readonly BuiltObject[]) => objects.map(({ object }) => object)

const { cases } = casesOf(import.meta.url)
type Lists = Readonly<Record<string, readonly unknown[]>>
const DEPLOYMENTS = cases<readonly (readonly ['flux' | 'argo', object, object, Lists])[]>('deployments')

/** Kustomizations of one policy. */
const ODD = cases<Readonly<Record<string, string>>>('kustomizations')

describe.runIf(hasKubectl || process.env.CI)('the kustomize builder', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-kustomize-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  let runs = 0
  function write(files: Files): string {
    const at = join(folder, String(runs++))
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(at, path)), { recursive: true })
      writeFileSync(join(at, path), text)
    }
    return at
  }

  it('notes an object that is defined twice, which kubectl refuses to build', () => {
    const policy = (rate: string) =>
      `apiVersion: gateway.nginx.org/v1alpha1\nkind: RateLimitPolicy\nmetadata: {name: a}\nspec: {rate: ${rate}}\n`
    const kustomization = 'resources: [a.yaml, b.yaml]\n'
    const at = write({ 'kustomization.yaml': kustomization, 'a.yaml': policy('1r/s'), 'b.yaml': policy('2r/s') })
    expect(buildWithKubectl(at)).toEqual({
      problem: expect.stringContaining('may not add resource with an already registered id'),
    })
    const { notes } = createBuilder(readFrom(at)).build('.')
    expect(notes).toMatchObject(cases<object>('notes an object that is defined twice, which kubectl refuses to build'))
  })

  it(
    'builds what kubectl builds',
    () => {
      console.log(`kustomize builds with seed ${SEED}: SLUICE_SEED=${SEED}`)
      const counts = { built: 0, rejected: 0, refused: 0 }
      fc.assert(
        fc.property(repositories, ({ files, roots }) => {
          const at = write(files)
          const builder = createBuilder(readFrom(at))
          for (const root of roots) {
            const expected = buildWithKubectl(join(at, root))
            const { objects, notes, isPartial } = builder.build(root)
            if ('problem' in expected) {
              counts.rejected++
              expect(notes, expected.problem).not.toEqual([])
              if (notes.some(({ refusal }) => refusal)) counts.refused++
              continue
            }
            counts.built++
            expect(notes).toEqual([])
            expect(isPartial).toBe(false)
            expect(byIdentity(objectsOf(objects))).toEqual(byIdentity(expected.objects))
          }
          rmSync(at, { recursive: true })
        }),
        { numRuns: CASES, seed: SEED },
      )
      const { built, rejected, refused } = counts
      console.log(`${built} built by both, ${rejected} rejected by kubectl, ${refused} of them with an error here`)
      expect(built).toBeGreaterThan(rejected / 4)
    },
    TIMEOUT,
  )

  it.each(Object.entries(ODD))(
    'does with %s what kubectl does',
    (_, kustomization) => {
      const at = write({ 'policy.yaml': policy({ namespace: '' }), 'kustomization.yaml': kustomization })
      const expected = buildWithKubectl(at)
      const { objects, notes } = createBuilder(readFrom(at)).build('')
      expect(notes.length > 0).toBe('problem' in expected)
      if ('objects' in expected) expect(byIdentity(objectsOf(objects))).toEqual(byIdentity(expected.objects))
    },
    TIMEOUT,
  )

  it.each(share([false, true], 1))(
    'shows the lint what it finds in the output of kubectl (closed world: %s)',
    async (closedWorld) => {
      let found = 0
      await fc.assert(
        fc.asyncProperty(repositories, async ({ files, roots }) => {
          const at = write(files)
          const expected = await Promise.all(
            roots.map(async (root) => {
              const built = spawnSync(kubectl, ['kustomize', join(at, root)], { encoding: 'utf8' })
              return built.status === 0
                ? briefly(lint([{ file: 'built.yaml', text: built.stdout }], { closedWorld }))
                : []
            }),
          )
          const { sources } = await collect(at)
          for (const [index, root] of roots.entries()) {
            if (expected[index]?.length === 0) continue
            // One root alone: two would be merged where they have the same outcome.
            const own = sources.map((source) => ('builds' in source ? onlyOf(root, source) : source))
            const actual = briefly(lint(own, { closedWorld }))
            // A value that a patch sets in several objects is one finding, about the first of them.
            expect(expected[index]).toEqual(expect.arrayContaining([...actual]))
            expect(withoutObjects(actual)).toEqual(withoutObjects(expected[index] ?? []))
            found += expected[index]?.length ?? 0
          }
          rmSync(at, { recursive: true })
        }),
        { numRuns: CASES, seed: SEED },
      )
      console.log(`${found} findings are the same`)
      expect(found).toBeGreaterThan(0)
    },
    TIMEOUT,
  )

  it(
    'builds what kubectl makes of a kustomization that Flux or Argo CD changes',
    () => {
      const counts = { built: 0, rejected: 0 }
      fc.assert(
        fc.property(repositories, fc.constantFrom(...DEPLOYMENTS), ({ files, roots: [root = ''] }, deployed) => {
          const [product, options, set, added] = deployed
          const source = product === 'flux' ? options : { source: { kustomize: options } }
          const at = write({ ...files, 'deployed.json': JSON.stringify({ spec: source }) })
          const pointer = product === 'flux' ? '/spec' : '/spec/source'
          const deployment = { product, path: 'deployed.json', start: 0, base: '', source: pointer }
          const { objects, notes } = createBuilder(readFrom(at)).build(root, deployment)
          const own = JSON.parse(files[`${root}/kustomization.yaml`] ?? '{}')
          const lists = Object.entries(added).map(([name, items]) => [name, [...(own[name] ?? []), ...items]])
          const changed = JSON.stringify({ ...own, ...set, ...Object.fromEntries(lists) })
          writeFileSync(join(at, root, 'kustomization.yaml'), changed)
          const expected = buildWithKubectl(join(at, root))
          counts['problem' in expected ? 'rejected' : 'built']++
          if ('problem' in expected) expect(notes, expected.problem).not.toEqual([])
          else expect(byIdentity(objectsOf(objects))).toEqual(byIdentity(expected.objects))
          rmSync(at, { recursive: true })
        }),
        { numRuns: CASES, seed: SEED },
      )
      console.log(JSON.stringify(counts))
    },
    TIMEOUT,
  )

  it.each(['fleet/checkout/overlays/production', 'fleet/checkout/overlays/staging', 'shop'])('builds %s', (root) => {
    const expected = buildWithKubectl(join(ROOT, 'examples', root))
    const built = createBuilder(readFrom(ROOT)).build(`examples/${root}`)
    expect(built.notes).toEqual([])
    expect('objects' in expected && byIdentity(expected.objects)).toEqual(byIdentity(objectsOf(built.objects)))
  })
})
