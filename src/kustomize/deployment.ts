/**
 * What Flux and Argo CD change of a kustomization before they build it, and of what it builds. Sources: fluxcd/pkg,
 * kustomize/kustomize_generator.go and kustomize_varsub.go; argo-cd, util/kustomize/kustomize.go.
 */
import { isObject, type Json } from '../json/member.ts'
import { readDocuments } from '../yaml/documents.ts'
import { substitute } from './envsubst.ts'
import { BuildFailure, type BuildNote, refused } from './failure.ts'
import type { Kustomization } from './kustomization.ts'
import { type Resource, withRoot } from './resource.ts'
import {
  draftObject,
  itemsOf,
  madeAt,
  memberOf,
  namesOf,
  type Place,
  stringAt,
  type TextFile,
  type Traced,
  tracedAt,
  tracedDocument,
  withItems,
  withMember,
  withMembers,
} from './traced.ts'

/** Why something is not deployed from here. */
export type NotDeployed = Pick<BuildNote, 'code' | 'reason'>

/** What deploys a folder: a Kustomization of Flux, an Application of Argo CD. */
export type Deployment = {
  readonly product: 'flux' | 'argo'
  /** The file with the object, and where its document begins. */
  readonly path: string
  readonly start: number
  /** Pointer to what holds `spec`: empty, or that of a template. */
  readonly base: string
  /** Pointer from there to what says where the manifests are: `/spec`, `/spec/source`, `/spec/sources/1`. */
  readonly source: string
  /** What each parameter of a template stands for. */
  readonly parameters?: Readonly<Record<string, string>>
  /** The files and folders below a folder without a kustomization, from there. */
  readonly resources?: readonly string[]
  /** True where these are deployed one by one, without kustomize. */
  readonly isPlain?: boolean
  /** True where some of these may be left out. */
  readonly isOpen?: boolean
  /** Why it is not built, with the pointer of what is meant; certain where `isWrong`. */
  readonly problem?: NotDeployed & { readonly pointer: string; readonly isWrong: boolean }
}

/** A parameter of a template of Argo CD: `{{path}}`, `{{ .path.basename }}`. */
const PARAMETER = /\{\{-?\s*\.?([\w.[\]-]+)\s*-?\}\}/g

/** The text with its parameters replaced; those without a value stay. */
export const withParameters = (text: string, parameters: Readonly<Record<string, string>>): string =>
  text.replace(PARAMETER, (whole, name: string) =>
    Object.hasOwn(parameters, name) ? (parameters[name] ?? whole) : whole,
  )

/** The object of a deployment in the text of its file. */
export function deployingObject(file: TextFile, { start, base, parameters }: Deployment): Traced {
  const document = file.documents().find((one) => one.start === start)
  const value = document?.value
  if (!document || !isJson(value)) throw new Error(`no object begins at ${start} of ${file.file}`)
  const object = tracedAt(tracedDocument({ source: file, document }, value), base)
  if (!object) throw new Error(`there is no ${base} in ${file.file}`)
  return parameters
    ? mapStrings(object, (text) => ({ ...text, value: withParameters(text.value, parameters) }))
    : object
}

const isJson = (value: unknown): value is Json => value !== undefined

type TracedText = Traced & { readonly value: string }
const isText = (traced: Traced): traced is TracedText => typeof traced.value === 'string'

/** The value with its strings replaced. */
function mapStrings(traced: Traced, change: (text: TracedText) => Traced): Traced {
  if (isText(traced)) {
    const changed = change(traced)
    return changed.value === traced.value ? traced : changed
  }
  const items = itemsOf(traced)
  if (items) {
    const changed = items.map((item) => mapStrings(item, change))
    return changed.every((item, index) => item === items[index]) ? traced : withItems(traced, changed)
  }
  const members = namesOf(traced).flatMap((name) => {
    const member = memberOf(traced, name)
    const changed = member && mapStrings(member, change)
    return changed && changed !== member ? [[name, changed] as const] : []
  })
  return members.length === 0 ? traced : withMembers(traced, new Map(members))
}

/** The kustomization that is built: `own` is that of the folder, if there is one. */
export function deployedKustomization(
  deployment: Deployment,
  object: Traced,
  { own, folder, file }: { readonly own: Kustomization | undefined; readonly folder: string; readonly file: TextFile },
): Kustomization {
  const source = tracedAt(object, deployment.source) ?? object
  const at = (memberOf(source, 'path') ?? source).at
  const resources = deployment.resources?.map((path): Traced => ({ value: path, at }))
  const root = own?.root ?? withMember(madeAt({}, at), 'resources', withItems(madeAt([], at), resources ?? []))
  const options = deployment.product === 'flux' ? source : memberOf(source, 'kustomize')
  return {
    source: own?.source ?? file,
    folder,
    isComponent: own?.isComponent ?? false,
    adds: own?.adds ?? [],
    changes: own?.changes ?? [],
    root: options && !deployment.isPlain ? withOptions(root, options, deployment.product) : root,
  }
}

/** Members of both, which are put in the place of those of the kustomization, or added to them. */
const SET = ['namePrefix', 'nameSuffix']
const ADDED = ['components', 'patches']
/** What Flux before v1 has, and is written in another way than in a kustomization. */
const OLD = ['patchesStrategicMerge', 'patchesJson6902']

function withOptions(root: Traced, options: Traced, product: Deployment['product']): Traced {
  const draft = draftObject(root)
  const isFlux = product === 'flux'
  const given = (name: string) => {
    const member = memberOf(options, name)
    return member && member.value !== null && member.value !== '' ? member : undefined
  }
  const old = isFlux ? OLD.find(given) : undefined
  if (old) throw new BuildFailure(options.at.part.source.file, `"${old}" of Flux is not followed`)
  for (const name of SET) {
    const text = given(name)
    if (text) draft.set(name, text)
  }
  const namespace = given(isFlux ? 'targetNamespace' : 'namespace')
  if (namespace) draft.set('namespace', namespace)
  for (const name of ADDED) append(draft, root, name, itemsIn(given(name)))
  if (isFlux) addMetadata(draft, root, { ...metadataIn(given('commonMetadata'), 'labels', 'annotations') })
  else {
    const isForSelectors = memberOf(options, 'labelWithoutSelector')?.value !== true
    addMetadata(draft, root, { ...metadataIn(options, 'commonLabels', 'commonAnnotations'), isForSelectors })
  }
  return draft.traced
}

type Metadata = { readonly labels: Traced | undefined; readonly annotations: Traced | undefined }

const metadataIn = (options: Traced | undefined, labels: string, annotations: string): Metadata => ({
  labels: options && memberOf(options, labels),
  annotations: options && memberOf(options, annotations),
})

function addMetadata(
  draft: ReturnType<typeof draftObject>,
  root: Traced,
  { labels, annotations, isForSelectors = false }: Metadata & { readonly isForSelectors?: boolean },
): void {
  if (labels && isForSelectors) draft.set('commonLabels', joined(memberOf(root, 'commonLabels'), labels))
  else if (labels) append(draft, root, 'labels', [withMember(madeAt({}, labels.at), 'pairs', labels)])
  if (annotations) draft.set('commonAnnotations', joined(memberOf(root, 'commonAnnotations'), annotations))
}

const itemsIn = (list: Traced | undefined): readonly Traced[] => (list && itemsOf(list)) ?? []

function append(draft: ReturnType<typeof draftObject>, root: Traced, name: string, items: readonly Traced[]): void {
  const own = memberOf(root, name)
  if (items[0]) draft.set(name, withItems(madeAt([], own?.at ?? items[0].at), [...itemsIn(own), ...items]))
}

function joined(own: Traced | undefined, more: Traced): Traced {
  const members = namesOf(more).flatMap((name) => {
    const member = memberOf(more, name)
    return member ? [[name, member] as const] : []
  })
  return withMembers(own ?? madeAt({}, more.at), new Map(members))
}

/** The label or annotation of an object that Flux leaves as it is. */
const SUBSTITUTE = 'kustomize.toolkit.fluxcd.io/substitute'

/** The objects with the variables of `postBuild` substituted. Throws {@link BuildFailure} for what Flux refuses. */
export function withVariables(resources: readonly Resource[], object: Traced): readonly Resource[] {
  const postBuild = tracedAt(object, '/spec/postBuild')
  const given = postBuild && memberOf(postBuild, 'substitute')
  const isOpen = itemsIn(postBuild && memberOf(postBuild, 'substituteFrom')).length > 0
  const values = new Map(given ? namesOf(given).flatMap((name) => valueIn(given, name)) : [])
  if (values.size === 0 && !isOpen) return resources
  for (const [name, { at }] of values)
    if (!/^[A-Za-z_]\w*$/.test(name)) throw refused('substitution', at, `"${name}" is no name of a variable`)
  return resources.map((resource) => {
    const isLeft = ['labels', 'annotations'].some(
      (name) => stringAt(resource.root, 'metadata', name, SUBSTITUTE) === 'disabled',
    )
    return isLeft || !resource.isExact
      ? resource
      : withRoot(
          resource,
          mapStrings(resource.root, (text) => substituted(text, values, isOpen)),
        )
  })
}

function valueIn(given: Traced, name: string): readonly (readonly [string, TracedText])[] {
  const value = memberOf(given, name)
  if (!value) return []
  if (!isText(value))
    throw refused('substitution', value.at, `expected a string as the value of the variable "${name}"`)
  return [[name, { ...value, value: value.value.replaceAll('\n', '') }]]
}

/** A value of which every part is written at one place. */
function allAt(value: Json, at: Place): Traced {
  const made = madeAt(value, at)
  const items = itemsOf(made)
  if (items)
    return withItems(
      made,
      items.map((item) => allAt(item.value, at)),
    )
  const members = namesOf(made).map((name) => [name, allAt(memberOf(made, name)?.value ?? null, at)] as const)
  return members.length === 0 ? made : withMembers(made, new Map(members))
}

const WHOLE = /^\$\{(\w+)\}$/

/** A string as it is after Flux has written it as YAML, substituted its variables, and read it again. */
function substituted(text: TracedText, values: ReadonlyMap<string, TracedText>, isOpen: boolean): Traced {
  const { value, at } = text
  if (!value.includes('$')) return text
  const asked: string[] = []
  const isBlock = value.includes('\n')
  const written = isBlock ? value : writtenScalar(value)
  const result = substitute(written, (name) => {
    asked.push(name)
    return values.get(name)?.value
  })
  // What another variable may stand for is not known: the placeholder stays.
  if (isOpen && asked.some((name) => !values.has(name))) return text
  if ('problem' in result) {
    const reason = `the variables of ${JSON.stringify(value)} cannot be substituted`
    if (result.problem === 'refused') throw refused('substitution', at, reason)
    throw new BuildFailure(at.part.source.file, `${reason} here`)
  }
  if (isBlock) return { ...text, value: result.text }
  const [document] = readDocuments(`a: ${result.text}\n`, { mentions: /(?:)/ })
  const read = document && isObject(document.value) ? document.value.a : undefined
  if (read === undefined) throw refused('substitution', at, `${JSON.stringify(value)} is no YAML with its variables`)
  return allAt(read, values.get(WHOLE.exec(value)?.[1] ?? '')?.at ?? at)
}

/** What is no plain scalar for the library that Flux writes YAML with. */
const NOT_PLAIN = /^[\s!&*%@`|>{}[\]"'#,]|^[?:-](?:\s|$)|\s$|:(?:\s|$)|\s#/
const CONTROL = /\p{Cc}/u

/** A string of one line as Flux writes it: without quotes where it can. */
const writtenScalar = (value: string): string => {
  if (CONTROL.test(value)) return JSON.stringify(value)
  return NOT_PLAIN.test(value) ? `'${value.replaceAll("'", "''")}'` : value
}
