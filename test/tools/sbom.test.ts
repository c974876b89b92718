/** The bills of materials name what is shipped: neither less nor more. */
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { billOfMaterials } from '../../scripts/sbom/sbom.ts'
import { readManifest } from '../packing/manifest.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

type Component = {
  readonly type: string
  readonly 'bom-ref': string
  readonly purl: string
  readonly hashes?: readonly unknown[]
  readonly licenses?: readonly unknown[]
  readonly properties?: readonly { readonly name: string; readonly value: string }[]
}
type Bom = {
  readonly bomFormat: string
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

const isBundled = ({ properties = [] }: Component) =>
  properties.some(({ name, value }) => name === 'cdx:npm:package:bundled' && value === 'true')
const nameOf = (component: Component) => component['bom-ref'].replace(/@[^@]*$/, '')

let bom: Bom
let image: Bom
beforeAll(async () => {
  bom = JSON.parse(await billOfMaterials('package'))
  image = JSON.parse(await billOfMaterials('image'))
})

describe('npm run sbom', () => {
  it('names every package that esbuild takes into the bundles', async () => {
    const { metafile } = await build({
      absWorkingDir: ROOT,
      entryPoints: ['src/cli/bin.ts', 'src/cli/process.ts', 'src/simulate/logs/threads.ts', 'src/browser.ts'],
      ...{ bundle: true, write: false, outdir: 'none', platform: 'node', format: 'esm', metafile: true },
      // Of the client, the build takes only the part that is used; the next test is about that.
      external: [...Object.keys(readManifest().dependencies), '@kubernetes/client-node'],
      define: { BUNDLE_HASH: '""' },
    })
    const inside = Object.keys(metafile.inputs).flatMap(
      (path) => /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
    )
    expect(new Set(inside).size).toBeGreaterThan(5)
    expect(bom.components.filter(isBundled).map(nameOf)).toEqual(expect.arrayContaining([...new Set(inside)]))
  })

  it('names every package whose modules are wrapped in the bundles of dist/', () => {
    const bundles = globSync('dist/*.cjs', { cwd: ROOT }).map((path) => readFileSync(join(ROOT, path), 'utf8'))
    // esbuild wraps modules of the CommonJS form, under their paths.
    const wrapped = bundles.flatMap((text) =>
      [...text.matchAll(/"(?:[^"\s]*\/)?node_modules\/((?:@[^/"\s]+\/)?[^/"\s]+)\/[^"\s]+"\(/g)].map(
        ([, name]) => name,
      ),
    )
    expect(wrapped.length).toBeGreaterThan(5)
    const named = bom.components.filter(isBundled).map(nameOf)
    expect(named).toEqual(expect.arrayContaining([...new Set(wrapped)]))
    // A part of ajv comes with the validators that it generates.
    expect(named).toEqual(expect.arrayContaining(['@kubernetes/client-node', 'ajv']))
  })

  it('names what npm installs beside them', () => {
    const list = ['ls', '--all', '--omit=dev', '--parseable', '--long']
    const { stdout } = spawnSync('npm', list, { cwd: ROOT, encoding: 'utf8' })
    const lines = stdout.trim().split('\n').slice(1)
    // Extraneous is what a script of a development dependency installs.
    const installed = lines.filter((line) => !line.endsWith(':EXTRANEOUS')).map((line) => line.split(':', 1)[0] ?? '')
    const names = installed.map((path) => relative(ROOT, path).replace(/^(?:.*\/)?node_modules\//, ''))
    expect(names.length).toBeGreaterThan(50)
    const beside = bom.components.filter((component) => !isBundled(component))
    expect([...new Set(beside.map(nameOf))].sort()).toEqual([...new Set(names)].sort())
  })

  it('says of each package its licence and its hash, and only leads to what it names', () => {
    const known = new Set(['sluice', ...bom.components.map((component) => component['bom-ref'])])
    for (const component of bom.components) {
      expect(component.licenses, component.purl).toHaveLength(1)
      expect(component.hashes, component.purl).toHaveLength(1)
    }
    const led = bom.dependencies.flatMap(({ ref, dependsOn = [] }) => [ref, ...dependsOn])
    expect(led.filter((ref) => !known.has(ref))).toEqual([])
    const reached = new Set<string>()
    const follow = (ref: string): void => {
      if (reached.has(ref)) return
      reached.add(ref)
      for (const next of bom.dependencies.find((one) => one.ref === ref)?.dependsOn ?? []) follow(next)
    }
    follow('sluice')
    expect([...known].filter((ref) => !reached.has(ref))).toEqual([])
  })

  it('names for the image also Node and the image that it comes from', () => {
    const more = image.components.filter(({ type }) => type !== 'library')
    expect(more.map(({ purl }) => purl)).toEqual([
      expect.stringMatching(/^pkg:oci\/node@sha256(?::|%3A)[0-9a-f]{64}\?tag=24\.21\.0-bookworm-slim$/),
      `pkg:generic/node@${readManifest().devDependencies.node}`,
    ])
    expect(image.components.length).toBe(bom.components.length + 2)
  })

  it('gives the same text each time', async () => expect(JSON.parse(await billOfMaterials('package'))).toEqual(bom))
})
