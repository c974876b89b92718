/**
 * `npm run sbom -- package|image FILE`: writes what is shipped as a CycloneDX bill of materials, valid by its schema.
 * `package` is what the npm package and the release tag bring: the packages inside of the bundles of `dist/`, which must be
 * built, and the dependencies that npm installs beside them. `image` also has Node and the base image of the Dockerfile, of
 * which the image has a few libraries. The same commit gives the same text.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Contrib, Enums, Models, Serialize, Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { PackageURL } from 'packageurl-js'
import validateExpression from 'spdx-expression-parse'
import { type LockedPackage, type Lockfile, nameOf, productionPackages, resolveDependency } from '../lockfile.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const licences = new Contrib.License.Factories.LicenseFactory(validateExpression)

/** What a bill of materials is about. */
export type Shipped = 'package' | 'image'

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** The packages that dist/THIRD-PARTY-LICENSES.txt names: what the bundles contain, as `name version`. */
function bundledPackages(): Set<string> {
  const headings = [...read('dist/THIRD-PARTY-LICENSES.txt').matchAll(/(?:^|\n-{80}\n\n)(\S+ \d\S*) \(.+\)\n/g)]
  if (headings.length === 0) throw new Error('dist/THIRD-PARTY-LICENSES.txt names no package: run `npm run build`')
  return new Set(headings.map(([, heading = '']) => heading))
}

/**
 * The paths in the lock file of packages whose modules esbuild has wrapped, under their paths: also those inside of generated
 * validators, which reach the bundles as text of ours.
 */
function wrappedPaths(): readonly string[] {
  const bundles = globSync('dist/*.{js,cjs}', { cwd: ROOT }).map(read)
  return bundles.flatMap((text) =>
    [...text.matchAll(/"((?:[^"\s]*\/)?node_modules\/(?:@[^/"\s]+\/)?[^/"\s]+)\/[^"\s]+"\(/g)].map(
      ([, path = '']) => path,
    ),
  )
}

/** A package of the lock file as a component. */
function componentOf(path: string, { version, license, integrity }: LockedPackage, isBundled: boolean) {
  const whole = nameOf(path)
  const [name = '', group] = whole.split('/').reverse()
  const purl = new PackageURL('npm', group, name, version, undefined, undefined).toString()
  const component = new Models.Component(Enums.ComponentType.Library, name, {
    bomRef: `${whole}@${version}${isBundled ? '#bundled' : ''}`,
    ...(group === undefined ? {} : { group }),
    version,
    purl,
    scope: Enums.ComponentScope.Required,
  })
  if (license !== undefined) component.licenses.add(licences.makeFromString(license))
  const sha512 = /^sha512-(\S+)$/.exec(integrity ?? '')?.[1]
  if (sha512 !== undefined)
    component.hashes.set(Enums.HashAlgorithm['SHA-512'], Buffer.from(sha512, 'base64').toString('hex'))
  if (isBundled) component.properties.add(new Models.Property('cdx:npm:package:bundled', 'true'))
  return component
}

/** Components by their paths in the lock file, each with its dependencies among them. */
function graphOf(lock: Lockfile, paths: readonly string[], isBundled: boolean): ReadonlyMap<string, Models.Component> {
  const packages = paths.flatMap((path) => (lock.packages[path] ? [[path, lock.packages[path]] as const] : []))
  const components = new Map(packages.map(([path, one]) => [path, componentOf(path, one, isBundled)]))
  for (const [path, { dependencies = {} }] of packages)
    for (const name of Object.keys(dependencies)) {
      const found = components.get(resolveDependency(lock, path, name) ?? '')
      if (found) components.get(path)?.dependencies.add(found.bomRef)
    }
  return components
}

/** Node and the image from which it is copied, with the libraries that it is linked to. */
function imageComponents(): readonly Models.Component[] {
  const base = /^FROM (node:(\d+\.\d+\.\d+)-\S+)@sha256:([0-9a-f]{64})/m.exec(read('Dockerfile'))
  if (!base) throw new Error('the Dockerfile names no version of Node by digest')
  const [, reference = '', version = '', digest = ''] = base
  const node = new Models.Component(Enums.ComponentType.Platform, 'node', {
    bomRef: `node@${version}`,
    version,
    purl: new PackageURL('generic', undefined, 'node', version, undefined, undefined).toString(),
  })
  node.licenses.add(licences.makeFromString('MIT'))
  const image = new Models.Component(Enums.ComponentType.Container, 'node', {
    bomRef: reference,
    version: reference.slice('node:'.length),
    purl: new PackageURL(
      'oci',
      undefined,
      'node',
      `sha256:${digest}`,
      { tag: reference.slice(5) },
      undefined,
    ).toString(),
    description: 'the image that Node and the libraries that it is linked to are copied from',
  })
  image.hashes.set(Enums.HashAlgorithm['SHA-256'], digest)
  return [node, image]
}

/** The bill of materials, as JSON. Throws where it is not valid. */
export async function billOfMaterials(shipped: Shipped): Promise<string> {
  const lock: Lockfile = JSON.parse(read('package-lock.json'))
  const own = lock.packages['']
  const names = bundledPackages()
  const listed = Object.entries(lock.packages).flatMap(([path, { version }]) =>
    names.delete(`${nameOf(path)} ${version}`) ? [path] : [],
  )
  const bundledPaths = [...new Set([...listed, ...wrappedPaths()])]
  if (!own || names.size > 0) throw new Error(`the lock file does not have ${[...names].join(', ')}`)
  const bundled = graphOf(lock, bundledPaths, true)
  const installed = graphOf(lock, productionPackages(lock), false)
  const direct = Object.keys(own.dependencies ?? {}).flatMap((name) => installed.get(`node_modules/${name}`) ?? [])
  const others = shipped === 'image' ? imageComponents() : []

  const root = new Models.Component(
    shipped === 'image' ? Enums.ComponentType.Container : Enums.ComponentType.Application,
    'sluice',
    { bomRef: 'sluice', version: own.version, purl: `pkg:npm/sluice@${own.version}` },
  )
  root.licenses.add(licences.makeFromString(own.license ?? ''))
  for (const { bomRef } of [...bundled.values(), ...direct, ...others]) root.dependencies.add(bomRef)
  const bom = new Models.Bom({ metadata: new Models.Metadata({ component: root }) })
  bom.metadata.lifecycles.add(Enums.LifecyclePhase.Build)
  for (const component of [...bundled.values(), ...installed.values(), ...others]) bom.components.add(component)
  return serialized(bom)
}

async function serialized(bom: Models.Bom): Promise<string> {
  const factory = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6)
  const text = new Serialize.JsonSerializer(factory).serialize(bom, { sortLists: true, space: 2 })
  const problems = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)
  if (problems !== null) throw new Error(`not valid CycloneDX: ${JSON.stringify(problems)}`)
  return `${text}\n`
}

async function main([shipped, file]: readonly string[]): Promise<number> {
  if ((shipped !== 'package' && shipped !== 'image') || file === undefined) {
    console.error('usage: npm run sbom -- package|image FILE')
    return 2
  }
  writeFileSync(file, await billOfMaterials(shipped))
  return 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = await main(process.argv.slice(2))
