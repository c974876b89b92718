/**
 * What Flux and Argo CD deploy: the Kustomizations, Applications and ApplicationSets among texts, and the folders that
 * they name. Sources: Flux 2.4, Argo CD 2.13.
 */
import { isObject } from '../json/member.ts'
import type { Deployment } from '../kustomize/deployment.ts'
import { compareText } from '../text/order.ts'
import {
  addressOf,
  type DeploymentFiles,
  type Found,
  HELM,
  isOf,
  list,
  mapping,
  matcherOf,
  text,
  type Wanted,
  wantedOfArgo,
  wantedOfFlux,
  wantedOfSet,
} from './deployers.ts'
import { filesOf, type Kustomization, type KustomizationRoot } from './kustomizations.ts'

/** Matches a text that may hold one. */
export const MENTIONS_DEPLOYMENT = /(?:toolkit\.fluxcd|argoproj)\.io\/v/

/** What begins an object of them; their definitions only name the group. */
const OWN_DOCUMENT = /apiVersion["']?\s*:\s*["']?(?:kustomize\.toolkit\.fluxcd|source\.toolkit\.fluxcd|argoproj)\.io\//

/** The root that an object of Flux or Argo CD deploys. */
export type DeploymentRoot = KustomizationRoot & Required<Pick<KustomizationRoot, 'deployment' | 'name'>>

/** A text, by its path. */
type DeployingText = { readonly path: string; readonly text: string }

/** The roots of the objects in texts, in their order. */
export function deploymentsIn(given: Iterable<DeployingText>, files: DeploymentFiles): readonly DeploymentRoot[] {
  const found = [...given].flatMap(({ path, text }) =>
    files.texts
      .of(text)
      .documents({ mentions: OWN_DOCUMENT })
      .flatMap(({ start, value }): Found[] => (isObject(value) ? [{ path, start, object: value }] : [])),
  )
  if (found.length === 0) return []
  const addresses = new Map(found.filter(isOf('source.toolkit.fluxcd.io/', 'GitRepository')).map(addressOf))
  const wanted = [
    ...found.filter(isOf('kustomize.toolkit.fluxcd.io/', 'Kustomization')).map((one) => wantedOfFlux(one, addresses)),
    ...found.filter(isOf('argoproj.io/', 'Application')).flatMap((one) => wantedOfArgo(one)),
    ...found.filter(isOf('argoproj.io/', 'ApplicationSet')).flatMap((one) => wantedOfSet(one, files)),
  ]
  const whose = whoseSources(wanted, files)
  const topOf = (one: Wanted) => files.topsOf(one.path).find((top) => files.isFolder(files.resolve(top, one.folder)))
  const proven = new Set(
    wanted.filter((one) => one.unknown === undefined && topOf(one) !== undefined).map(({ origin }) => origin),
  )
  return wanted.map((one) => {
    const own = whose(one)
    return rootOf(one, { whose: own === 'presumed' && proven.has(one.origin) ? 'own' : own, top: topOf(one) }, files)
  })
}

/** The roots with those of deployments: what these deploy is not deployed by itself. */
export function withDeployments<Root extends KustomizationRoot>(
  roots: readonly Root[],
  deployments: readonly DeploymentRoot[],
): readonly (Root | DeploymentRoot)[] {
  if (deployments.length === 0) return roots
  const deployed = new Set(deployments.flatMap(({ files }) => [...files]))
  return [...roots.filter(({ file }) => !deployed.has(file)), ...deployments]
}

/** Whether the source of an object is the repository in which it is written. */
type Whose = 'own' | 'presumed' | 'other' | 'unknown'

/** The name of the source with which Flux deploys itself. */
const BOOTSTRAP = '/flux-system'

/** Tells sources by their addresses. The only one there is, and the one of Flux itself, are presumed to be the own one. */
function whoseSources(wanted: readonly Wanted[], files: DeploymentFiles): (one: Wanted) => Whose {
  const origins = new Map<Wanted['product'], Set<string>>()
  for (const { product, origin, address, unknown } of wanted)
    if (unknown === undefined)
      origins.set(product, (origins.get(product) ?? new Set()).add(withoutScheme(address) || origin))
  return ({ path, product, origin, address }) => {
    const own = files.addressesOf(path).map(withoutScheme)
    const given = withoutScheme(address)
    if (given !== '' && own.includes(given)) return 'own'
    if (origins.get(product)?.size === 1) return 'presumed'
    if (given !== '' && own.length > 0) return 'other'
    return product === 'flux' && origin.endsWith(BOOTSTRAP) ? 'presumed' : 'unknown'
  }
}

/** `host/owner/name` of the address of a repository. */
function withoutScheme(address = ''): string {
  const path = address
    .trim()
    .replace(/^[a-z+]+:\/\//i, '')
    .replace(/^[^@/]*@/, '')
    .replace(/^([^:/]+):(?:\d+\/)?/, '$1/')
    .split('/')
    .filter(Boolean)
    .join('/')
    .toLowerCase()
  return path.endsWith('.git') ? path.slice(0, -'.git'.length) : path
}

type Known = { readonly whose: Whose; readonly top: string | undefined }

function rootOf(wanted: Wanted, { whose, top }: Known, files: DeploymentFiles): DeploymentRoot {
  const { product, path, start, base, source, parameters, name, folder: written, namespace } = wanted
  const deployment = { product, path, start, base, source, ...(parameters ? { parameters } : {}) }
  const root = { file: path, name, ...(namespace === undefined ? {} : { namespace }) }
  const problem = whyNot(wanted, whose, top !== undefined)
  if (problem || top === undefined)
    return { ...root, ...NO_FILES, folder: '', files: new Set([path]), deployment: { ...deployment, ...problem } }
  const folder = files.resolve(top, written)
  const own = files.get(folder)
  const content = own ? {} : contentOf(wanted, { folder, top }, files)
  const more = componentsOf(wanted).map((one) => files.resolve(folder, one))
  const resources = content.resources?.map((one) => files.resolve(folder, one)) ?? own?.resources ?? []
  const all: Kustomization = {
    folder,
    file: own?.file ?? path,
    resources: [...resources, ...more],
    fragments: [path, ...(own?.fragments ?? [])],
    isComponent: false,
    mistake: own?.mistake,
  }
  return { ...root, folder, ...filesOf(all, files.get), deployment: { ...deployment, ...content } }
}

const NO_FILES = { deployed: [], mistaken: [] }

function whyNot(
  { unknown, address = '', origin, source, folder, spec }: Wanted,
  whose: Whose,
  isThere: boolean,
): Pick<Deployment, 'problem'> | undefined {
  const pointer = spec.path === undefined ? source : `${source}/path`
  const because = (reason: string, isWrong = false) => ({
    problem: { code: 'kustomization' as const, reason, pointer, isWrong },
  })
  if (unknown) return { problem: { ...unknown, pointer, isWrong: false } }
  const from = address || origin
  if (whose === 'other') return because(`its source ${from} is another repository`)
  if (whose === 'unknown') return because(`its source ${from} may be another repository`)
  if (isThere) return undefined
  return whose === 'own'
    ? because(`the folder "${folder}" does not exist`, true)
    : because(`the folder "${folder}" is not in this repository`)
}

const componentsOf = ({ product, spec }: Wanted): readonly string[] =>
  list(product === 'flux' ? spec.components : mapping(spec.kustomize).components).filter(
    (one) => typeof one === 'string',
  )

/** What Flux leaves out, beside what it always does. */
const SOURCE_IGNORE = '.sourceignore'

const MANIFEST = {
  flux: /^(?!(?:appveyor|cloudbuild|codeship-services|codeship-steps)\.).*\.ya?ml$/,
  argo: /\.(?:ya?ml|json)$/,
}

/** What is deployed of a folder without a kustomization. */
function contentOf(
  { product, spec, source }: Wanted,
  { folder, top }: { readonly folder: string; readonly top: string },
  files: DeploymentFiles,
): Pick<Deployment, 'resources' | 'isPlain' | 'isOpen' | 'problem'> {
  if (product === 'flux') {
    const resources = manifestsIn(folder, { isDeep: true, pattern: MANIFEST.flux }, files)
    const isOpen = [top, folder].some((at) => files.namesIn(at).includes(SOURCE_IGNORE))
    return isOpen ? { resources, isOpen } : { resources }
  }
  if (files.namesIn(folder).includes('Chart.yaml'))
    return { problem: { ...HELM, pointer: `${source}/path`, isWrong: false } }
  const options = mapping(spec.directory)
  const [include, exclude] = [text(options.include), text(options.exclude)]
  const isIncluded = include === '' ? () => true : matcherOf(include)
  const isExcluded = exclude === '' ? () => false : matcherOf(exclude)
  const all = manifestsIn(folder, { isDeep: options.recurse === true, pattern: MANIFEST.argo, isFlat: true }, files)
  return { resources: all.filter((path) => isIncluded(path) && !isExcluded(path)), isPlain: true }
}

type Manifests = {
  readonly pattern: RegExp
  readonly isDeep: boolean
  /** True where the kustomization of a folder below is only a file like others. */
  readonly isFlat?: boolean
}

/** The files below a folder, by their paths from there; a folder with a kustomization stands for itself. */
function manifestsIn(folder: string, how: Manifests, files: DeploymentFiles): readonly string[] {
  const found: string[] = []
  const waiting = ['']
  const take = (path: string, name: string): void => {
    const full = files.resolve(folder, path)
    const isFolder = files.isFolder(full)
    if (isFolder ? !how.isFlat && files.get(full) : how.pattern.test(name)) found.push(path)
    else if (isFolder && how.isDeep) waiting.push(path)
  }
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
    for (const name of files.namesIn(files.resolve(folder, at || '.')))
      if (!name.startsWith('.') && name !== 'node_modules') take(at === '' ? name : `${at}/${name}`, name)
  return found.sort(compareText)
}
