/** `webhook-config/base`, the components and the overlays, generated from the objects of an installation. */
import { posix } from 'node:path'
import jsonPatch from 'fast-json-patch'
import { installation } from '../../src/installation/installation.ts'
import { COMPONENTS, type ComponentName, type KubeObject } from '../../src/installation/object.ts'
import { writeDocuments } from '../../src/yaml/documents.ts'
import type { Page } from '../docs/page.ts'
import { BASE, componentNames, fileOf, identityOf, MADE } from './parts.ts'

const FOLDER = 'webhook-config'

/** Every file of the kustomize tree. */
export function kustomizePages(): readonly Page[] {
  const base = installation(BASE)
  const files = [...new Set(base.map(fileOf))]
  return [
    ...files.map((file) => page(`base/${file}`, ...base.filter((object) => fileOf(object) === file))),
    page('base/kustomization.yaml', {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: files,
    }),
    ...componentNames().flatMap((name) => [...componentPages(name, base), overlayPage(name)]),
  ]
}

const page = (path: string, ...values: readonly unknown[]): Page => ({
  path: `${FOLDER}/${path}`,
  text: MADE + writeDocuments(values),
})

/** What one component adds, changes and removes. */
function componentPages(name: ComponentName, base: readonly KubeObject[]): readonly Page[] {
  const folder = `components/${name}`
  const changed = new Map(
    installation({ ...BASE, components: new Set([name]) }).map((object) => [identityOf(object), object]),
  )
  const known = new Set(base.map(identityOf))
  const added = [...changed.values()].filter((object) => !known.has(identityOf(object)))
  const patches = base.flatMap((object) => patchesOf(object, changed.get(identityOf(object))))
  const files = [...new Set(added.map(fileOf))]
  return [
    ...files.map((file) => page(`${folder}/${file}`, ...added.filter((object) => fileOf(object) === file))),
    page(`${folder}/kustomization.yaml`, {
      apiVersion: 'kustomize.config.k8s.io/v1alpha1',
      kind: 'Component',
      ...(files.length > 0 ? { resources: files } : {}),
      ...(patches.length > 0 ? { patches } : {}),
    }),
  ]
}

function patchesOf(before: KubeObject, after: KubeObject | undefined) {
  const { apiVersion, kind, metadata } = before
  const { name, namespace } = metadata
  if (!after)
    return [{ patch: writeDocuments([{ $patch: 'delete', apiVersion, kind, metadata: { name, namespace } }]) }]
  const operations = jsonPatch.compare(before, after)
  if (operations.length === 0) return []
  const slash = apiVersion.lastIndexOf('/')
  const group = slash < 0 ? {} : { group: apiVersion.slice(0, slash) }
  const target = { ...group, kind, name, version: apiVersion.slice(slash + 1) }
  return [{ patch: writeDocuments([operations]), target }]
}

/** The base with one component. */
const overlayPage = (name: ComponentName): Page => ({
  path: posix.join(FOLDER, 'overlays', name, 'kustomization.yaml'),
  text: `${MADE}# ${COMPONENTS[name]}\n${writeDocuments([
    {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: ['../../base'],
      components: [`../../components/${name}`],
    },
  ])}`,
})
