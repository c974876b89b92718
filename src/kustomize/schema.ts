/**
 * The fields of kustomize's files and their types, as its decoder checks them. Source: kustomize, api/types, with the
 * fields that later releases know.
 */
import { isObject, type Json } from '../json/member.ts'
import { BuildFailure, refused } from './failure.ts'
import { isList, itemsOf, memberOf, namesOf, type Traced } from './traced.ts'

/** What a value must be; null is always allowed. */
export type Shape =
  | 'string'
  /** A string. Another scalar is taken for its text, which is not followed. */
  | 'scalar'
  | 'boolean'
  | 'integer'
  | 'anything'
  | { readonly list: Shape }
  | { readonly values: Shape }
  | { readonly fields: Fields }

type Fields = Readonly<Record<string, Shape>>

const STRINGS: Shape = { list: 'string' }
const TEXTS: Shape = { values: 'string' }
const all = (type: Shape, ...names: readonly string[]): Fields => Object.fromEntries(names.map((name) => [name, type]))
const listOf = (...fields: readonly Fields[]): Shape => ({ list: { fields: Object.assign({}, ...fields) } })

const GVK = all('string', 'group', 'version', 'kind')
const ID = { ...GVK, ...all('string', 'name', 'namespace') }
const SELECTOR: Shape = { fields: { ...ID, ...all('string', 'annotationSelector', 'labelSelector') } }
const FIELD_SPECS = listOf(GVK, { path: 'string', create: 'boolean' })
const FIELD_OPTIONS: Shape = {
  fields: { delimiter: 'string', index: 'integer', encoding: 'string', create: 'boolean' },
}

const GENERATOR_OPTIONS: Shape = {
  fields: { labels: TEXTS, annotations: TEXTS, ...all('boolean', 'disableNameSuffixHash', 'immutable') },
}

const GENERATOR: Fields = {
  ...all('string', 'namespace', 'name', 'behavior', 'env'),
  ...all(STRINGS, 'literals', 'files', 'envs'),
  options: GENERATOR_OPTIONS,
}

const PATCHES = listOf({
  ...all('string', 'path', 'patch'),
  target: SELECTOR,
  options: { values: 'boolean' },
})

const REPLACEMENT: Fields = {
  source: { fields: { ...ID, fieldPath: 'string', options: FIELD_OPTIONS } },
  sourceValue: 'string',
  targets: listOf({ select: SELECTOR, reject: { list: SELECTOR }, fieldPaths: STRINGS, options: FIELD_OPTIONS }),
}

/** A replacement in a file of its own. Its decoder takes some scalars for texts, and does not mind unknown fields. */
const OPTIONS_IN_FILE: Shape = {
  fields: { ...all('scalar', 'delimiter', 'encoding'), index: 'integer', create: 'boolean' },
}
const SELECTOR_IN_FILE: Shape = { fields: { ...ID, ...all('scalar', 'annotationSelector', 'labelSelector') } }
export const REPLACEMENT_IN_FILE: Shape = {
  fields: {
    source: { fields: { ...ID, fieldPath: 'scalar', options: OPTIONS_IN_FILE } },
    sourceValue: 'scalar',
    targets: listOf({
      select: SELECTOR_IN_FILE,
      reject: { list: SELECTOR_IN_FILE },
      fieldPaths: { list: 'scalar' },
      options: OPTIONS_IN_FILE,
    }),
  },
}

const IMAGES = listOf(all('string', 'name', 'newName', 'tagSuffix', 'newTag', 'digest'))

/** A kustomization. */
export const KUSTOMIZATION: Shape = {
  fields: {
    ...all('string', 'kind', 'apiVersion', 'namePrefix', 'nameSuffix', 'namespace'),
    ...all(STRINGS, 'resources', 'bases', 'components', 'crds', 'configurations', 'patchesStrategicMerge'),
    ...all(STRINGS, 'generators', 'transformers', 'validators', 'buildMetadata'),
    ...all(TEXTS, 'openapi', 'commonLabels', 'commonAnnotations'),
    metadata: { fields: { ...all('string', 'name', 'namespace'), labels: TEXTS, annotations: TEXTS } },
    labels: listOf({ pairs: TEXTS, ...all('boolean', 'includeSelectors', 'includeTemplates'), fields: FIELD_SPECS }),
    ...all(PATCHES, 'patches', 'patchesJson6902'),
    ...all(IMAGES, 'images', 'imageTags'),
    replacements: listOf(REPLACEMENT, { path: 'string' }),
    replicas: listOf({ name: 'string', count: 'integer' }),
    vars: listOf({
      name: 'string',
      objref: { fields: { apiVersion: 'string', ...ID } },
      fieldref: { fields: { fieldPath: 'string' } },
    }),
    sortOptions: {
      fields: { order: 'string', legacySortOptions: { fields: all(STRINGS, 'orderFirst', 'orderLast') } },
    },
    configMapGenerator: listOf(GENERATOR),
    secretGenerator: listOf(GENERATOR, { type: 'string' }),
    generatorOptions: GENERATOR_OPTIONS,
    helmGlobals: 'anything',
    helmCharts: 'anything',
    helmChartInflationGenerator: 'anything',
  },
}

/** A file of `configurations`. */
const SPECS = listOf(GVK, { path: 'scalar', create: 'boolean' })
export const CONFIGURATION: Shape = {
  fields: {
    ...all(SPECS, 'namePrefix', 'nameSuffix', 'namespace', 'commonLabels', 'labels', 'templateLabels'),
    ...all(SPECS, 'commonAnnotations', 'varReference', 'images', 'replicas'),
    nameReference: listOf(GVK, { fieldSpecs: SPECS }),
  },
}

/** What a field is that no shape names. */
type UnknownField = 'refused' | 'ignored'

/** Throws {@link BuildFailure} where a value is not what its shape says. */
export function checkShape(written: Traced, shape: Shape, unknown: UnknownField = 'refused'): void {
  if (shape === 'anything' || written.value === null) return
  if (typeof shape === 'string') checkScalar(written, shape)
  else if ('list' in shape) checkItems(written, shape.list, unknown)
  else checkMembers(written, shape, unknown)
}

function checkScalar({ value, at }: Traced, shape: keyof typeof NAMES): void {
  if (shape === 'scalar' && typeof value !== 'string' && typeof value !== 'object')
    throw new BuildFailure(at.part.source.file, `${typeName(value)} in the place of a string is not followed`)
  const isRight =
    shape === 'integer' ? Number.isInteger(value) : typeof value === (shape === 'scalar' ? 'string' : shape)
  if (!isRight) throw refused('value', at, `expected ${NAMES[shape]}, found ${typeName(value)}`)
}

function checkItems(written: Traced, shape: Shape, unknown: UnknownField): void {
  const items = itemsOf(written)
  if (!items) throw refused('value', written.at, `expected a list, found ${typeName(written.value)}`)
  for (const item of items) checkShape(item, shape, unknown)
}

function checkMembers(
  written: Traced,
  shape: Extract<Shape, { values: Shape } | { fields: Fields }>,
  unknown: UnknownField,
): void {
  const { value, at } = written
  if (!isObject(value)) throw refused('value', at, `expected a mapping, found ${typeName(value)}`)
  for (const name of namesOf(written)) {
    const member = memberOf(written, name)
    if (!member) continue
    checkShape(member, 'values' in shape ? shape.values : shapeOf(name, member, shape.fields, unknown), unknown)
  }
}

function shapeOf(name: string, { at }: Traced, fields: Fields, unknown: UnknownField): Shape {
  const shape = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (shape !== undefined) return shape
  // The decoder of Go does not distinguish case.
  const meant = Object.keys(fields).find((known) => known.toLowerCase() === name.toLowerCase())
  if (meant !== undefined)
    throw new BuildFailure(at.part.source.file, `"${name}" is not followed, as it is not spelt "${meant}"`)
  if (unknown === 'ignored') return 'anything'
  throw refused('field', at, `unknown field "${name}"`)
}

const NAMES = { string: 'a string', scalar: 'a string', boolean: 'true or false', integer: 'an integer' }

const typeName = (value: Json): string =>
  isList(value)
    ? 'a list'
    : isObject(value)
      ? 'a mapping'
      : value === null
        ? 'nothing'
        : `the ${typeof value} ${JSON.stringify(value)}`
