/** The transformer configuration of a kustomization: kustomize's own and `configurations`. */

import type { BuildContext } from './context.ts'
import { type FieldSpec, gvkIn, isEmptyMap, mergeFieldSpecs, readFieldSpecs } from './field-specs.ts'
import { type Kustomization, stringsIn } from './kustomization.ts'
import { readFirst } from './read.ts'
import type { Gvk } from './resource.ts'
import { CONFIGURATION, checkShape } from './schema.ts'
import { itemsOf, memberOf, type Place } from './traced.ts'

/** Fields of some kinds that hold the name of an object of another kind. */
export type NameReference = { readonly target: Partial<Gvk>; readonly fields: readonly FieldSpec[] }

const LISTS = [
  'namePrefix',
  'nameSuffix',
  'namespace',
  'commonLabels',
  'labels',
  'commonAnnotations',
  'replicas',
] as const

/** Where the transformers work. */
export type TransformerConfig = Readonly<Record<(typeof LISTS)[number], readonly FieldSpec[]>> & {
  readonly nameReference: readonly NameReference[]
}

const METADATA_NAME: FieldSpec = { path: 'metadata/name', create: false }

/** kustomize's own, without the fields of Kubernetes' own kinds. It knows no reference between other kinds. */
const OWN_CONFIG: TransformerConfig = {
  namePrefix: [METADATA_NAME],
  nameSuffix: [METADATA_NAME],
  namespace: [],
  commonLabels: [{ path: 'metadata/labels', create: true }],
  labels: [],
  commonAnnotations: [{ path: 'metadata/annotations', create: true }],
  replicas: ['Deployment', 'ReplicationController', 'ReplicaSet', 'StatefulSet'].map((kind) => ({
    path: 'spec/replicas',
    create: true,
    kind,
  })),
  nameReference: [],
}

/** Nothing. */
export const NO_CONFIG: TransformerConfig = {
  namePrefix: [],
  nameSuffix: [],
  namespace: [],
  commonLabels: [],
  labels: [],
  commonAnnotations: [],
  replicas: [],
  nameReference: [],
}

/** kustomize's own configuration with what `configurations` add. */
export function readConfig(kustomization: Kustomization, context: BuildContext): TransformerConfig {
  let config = OWN_CONFIG
  for (const { text, at } of stringsIn(kustomization, 'configurations')) {
    const source = context.file(kustomization, text, at)
    const root = readFirst(source)
    if (!root || isEmptyMap(root)) continue
    checkShape(root, CONFIGURATION)
    const lists = LISTS.map((name) => [name, readFieldSpecs(memberOf(root, name))] as const)
    const references = memberOf(root, 'nameReference')
    const nameReference = ((references && itemsOf(references)) ?? []).map((item) => ({
      target: gvkIn(item),
      fields: readFieldSpecs(memberOf(item, 'fieldSpecs')),
    }))
    config = mergeConfigs(config, { ...NO_CONFIG, ...Object.fromEntries(lists), nameReference }, at)
  }
  return config
}

/** Both configurations; `at` is what adds the second. */
export function mergeConfigs(config: TransformerConfig, more: TransformerConfig, at: Place): TransformerConfig {
  const merged = LISTS.map((name) => [name, mergeFieldSpecs(config[name], more[name], at)] as const)
  const nameReference = [...config.nameReference]
  for (const reference of more.nameReference) {
    const index = nameReference.findIndex(({ target }) => isSameGvk(target, reference.target))
    const known = nameReference[index]
    if (known) nameReference[index] = { ...known, fields: mergeFieldSpecs(known.fields, reference.fields, at) }
    else nameReference.push(reference)
  }
  return { ...config, ...Object.fromEntries(merged), nameReference }
}

const isSameGvk = (a: Partial<Gvk>, b: Partial<Gvk>): boolean =>
  (['group', 'version', 'kind'] as const).every((name) => (a[name] ?? '') === (b[name] ?? ''))
