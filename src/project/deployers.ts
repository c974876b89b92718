/** The objects of Flux and Argo CD that deploy folders, as far as these are known before anything is built. */
import { isObject } from '../json/member.ts'
import { type Deployment, type NotDeployed, withParameters } from '../kustomize/deployment.ts'
import { compileLinear } from '../text/linear.ts'
import { compareText } from '../text/order.ts'
import type { Texts } from '../yaml/documents.ts'
import type { Get, ResolvePath } from './kustomizations.ts'

/** What is known of the files. All paths are as the caller has them. */
export type DeploymentFiles = {
  readonly texts: Texts
  readonly get: Get
  readonly resolve: ResolvePath
  isFolder(path: string): boolean
  /** The names in a folder. */
  namesIn(folder: string): readonly string[]
  /** Folders that may be the top of the repository in which a file is, the likeliest first. */
  topsOf(file: string): readonly string[]
  /** The addresses of the repository in which a file is; none where that is not known. */
  addressesOf(file: string): readonly string[]
}

/** One source of an object, before it is known where that is. */
export type Wanted = Pick<Deployment, 'product' | 'path' | 'start' | 'base' | 'source' | 'parameters'> & {
  readonly name: string
  readonly spec: Values
  /** What the manifests are fetched from. */
  readonly origin: string
  readonly address: string | undefined
  readonly folder: string
  /** The namespace of what names none. */
  readonly namespace?: string
  /** Why it is not followed. */
  readonly unknown?: NotDeployed | undefined
}

/** A mapping. */
export type Values = Readonly<Record<string, unknown>>
/** An object and where it begins. */
export type Found = { readonly path: string; readonly start: number; readonly object: Values }

/** Tests objects by kind. */
export const isOf = (group: string, kind: string) => (found: Found) =>
  found.object.kind === kind && String(found.object.apiVersion).startsWith(group)

/** A value as a mapping, a string or a list; empty where it is none. */
export const mapping = (value: unknown): Values => (isObject(value) ? value : {})
export const text = (value: unknown): string => (typeof value === 'string' ? value : '')
export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function identityOf({ object }: Pick<Found, 'object'>) {
  const metadata = mapping(object.metadata)
  const [namespace, name] = [text(metadata.namespace), text(metadata.name)]
  return { namespace, name, full: namespace === '' ? name : `${namespace}/${name}` }
}

/** The identity of a GitRepository and its address. */
export const addressOf = (found: Found): readonly [string, string] => [
  `${identityOf(found).namespace}/${identityOf(found).name}`,
  text(mapping(found.object.spec).url),
]

/** What a Kustomization of Flux deploys. */
export function wantedOfFlux({ path, start, object }: Found, addresses: ReadonlyMap<string, string>): Wanted {
  const spec = mapping(object.spec)
  const from = mapping(spec.sourceRef)
  const { namespace, full } = identityOf({ object })
  const origin = `${text(from.namespace) || namespace}/${text(from.name)}`
  return {
    product: 'flux',
    path,
    start,
    base: '',
    source: '/spec',
    name: full,
    spec,
    origin,
    address: addresses.get(origin),
    folder: text(spec.path) || '.',
    unknown:
      from.kind === 'GitRepository'
        ? undefined
        : notFollowed(`its source of kind ${text(from.kind) || 'unknown'} is not followed`),
  }
}

/** What an Application deploys. */
export function wantedOfArgo(
  { path, start, object }: Found,
  of?: Pick<Wanted, 'base' | 'parameters'>,
): readonly Wanted[] {
  const { base = '', parameters } = of ?? {}
  const spec = mapping(object.spec)
  const sources = list(spec.sources)
  const known = sources.length > 0 ? sources.map((one, index) => [one, `/spec/sources/${index}`] as const) : []
  const filled = (value: unknown) => (parameters ? withParameters(text(value), parameters) : text(value))
  const destination = filled(mapping(spec.destination).namespace)
  return (known.length > 0 ? known : [[spec.source, '/spec/source'] as const]).flatMap(([one, source]) => {
    const from = mapping(one)
    // What only holds values for others.
    if (text(from.ref) !== '' && from.path === undefined && from.chart === undefined) return []
    const address = filled(from.repoURL)
    return {
      product: 'argo' as const,
      path,
      start,
      base,
      source,
      ...(parameters ? { parameters } : {}),
      name: filled(identityOf({ object }).full),
      spec: from,
      origin: address,
      address,
      folder: filled(from.path) || '.',
      ...(destination === '' || hasTemplate(destination) ? {} : { namespace: destination }),
      unknown: whyUnknown(from, filled(from.path)),
    }
  })
}

const hasTemplate = (written: string): boolean => written.includes('{{')

function whyUnknown(source: Values, path: string): NotDeployed | undefined {
  if (source.chart !== undefined || source.helm !== undefined) return HELM
  if (source.plugin !== undefined) return notFollowed('its source has a plugin, which is not followed')
  return hasTemplate(path) ? notFollowed(`its path ${path} is filled in later`) : undefined
}

const notFollowed = (reason: string): NotDeployed => ({ code: 'kustomization', reason })

/** Why a chart is not followed. */
export const HELM: NotDeployed = {
  code: 'helm',
  reason: 'its source is a Helm chart, which is not rendered (lint the output of helm template)',
}

/** What an ApplicationSet deploys. */
export function wantedOfSet(found: Found, files: DeploymentFiles): readonly Wanted[] {
  const spec = mapping(found.object.spec)
  const own = { ...identityOf(found) }
  const template = { ...found, object: mapping(spec.template) }
  return list(spec.generators).flatMap((generator, index) => {
    const all = spec.templatePatch === undefined ? parametersOf(mapping(generator), found.path, files) : undefined
    if (all)
      return all
        .flatMap((parameters) => wantedOfArgo(template, { base: '/spec/template', parameters }))
        .map(withNamespace)
    const [kind = ''] = Object.keys(mapping(generator))
    const what = spec.templatePatch === undefined ? `its generator "${kind}"` : 'its templatePatch'
    return [
      {
        product: 'argo' as const,
        path: found.path,
        start: found.start,
        base: '',
        source: `/spec/generators/${index}`,
        name: own.full,
        spec: {},
        origin: '',
        address: undefined,
        folder: '.',
        unknown: notFollowed(`${what} is not followed`),
      },
    ]
  })

  function withNamespace(wanted: Wanted): Wanted {
    return {
      ...wanted,
      name: own.namespace === '' || wanted.name.includes('/') ? wanted.name : `${own.namespace}/${wanted.name}`,
    }
  }
}

type Parameters = Readonly<Record<string, string>>

/** What a generator gives each Application; undefined where that is not known. */
function parametersOf(generator: Values, file: string, files: DeploymentFiles): readonly Parameters[] | undefined {
  const elements = mapping(generator.list).elements
  if (Array.isArray(elements) && elements.every(isObject)) return elements.map((one) => flattened(one))
  const directories = mapping(generator.git).directories
  if (!Array.isArray(directories)) return undefined
  const all = directories.map((one) => ({ path: text(mapping(one).path), isOut: mapping(one).exclude === true }))
  if (all.some(({ path }) => path.includes('**') || hasTemplate(path))) return undefined
  const top = files.topsOf(file).find((one) => all.some(({ path }) => foldersLike(one, path, files).length > 0))
  if (top === undefined) return undefined
  const found = (isOut: boolean) =>
    new Set(all.filter((one) => one.isOut === isOut).flatMap(({ path }) => foldersLike(top, path, files)))
  const out = found(true)
  return [...found(false)].filter((path) => !out.has(path)).map(pathParameters)
}

function flattened(value: Values, prefix = ''): Parameters {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) =>
      isObject(one) ? Object.entries(flattened(one, `${prefix}${name}.`)) : [[`${prefix}${name}`, String(one)]],
    ),
  )
}

function pathParameters(path: string): Parameters {
  const names = path.split('/')
  const last = names.at(-1) ?? ''
  const normal = last.toLowerCase().replace(/[^a-z\d-]/g, '-')
  const own = { path, 'path.path': path, 'path.basename': last, 'path.basenameNormalized': normal }
  return { ...own, ...Object.fromEntries(names.map((name, index) => [`path[${index}]`, name])) }
}

/** The folders of a repository that are meant by a pattern with `*`, by their paths from its top. */
function foldersLike(top: string, pattern: string, files: DeploymentFiles): readonly string[] {
  let paths = ['']
  for (const part of pattern.split('/').filter((name) => name !== '' && name !== '.')) {
    const matches = part.includes('*') || part.includes('?') ? matcherOf(part) : (name: string) => name === part
    paths = paths.flatMap((path) =>
      files
        .namesIn(files.resolve(top, path || '.'))
        .filter((name) => matches(name) && (!name.startsWith('.') || name === part))
        .map((name) => (path === '' ? name : `${path}/${name}`))
        .filter((child) => files.isFolder(files.resolve(top, child)))
        .sort(compareText),
    )
  }
  return pattern === '' ? [] : paths
}

/** A pattern of Argo CD, in which `*` goes over slashes. */
export function matcherOf(pattern: string): (path: string) => boolean {
  const source = pattern.replace(/\*+|[?{},]|[\\^$+.()|[\]]/g, (found) => GLOB[found[0] ?? ''] ?? `\\${found}`)
  const expression = compileLinear(`^(?:${source})$`)
  return (path) => expression?.test(path) ?? false
}

const GLOB: Readonly<Record<string, string>> = { '*': '.*', '?': '.', '{': '(?:', '}': ')', ',': '|' }
