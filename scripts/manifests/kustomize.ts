/** `webhook-config/base`, the components and the overlays, generated from the objects of an installation. */
import { posix } from 'node:path'
import jsonPatch, { type Operation } from 'fast-json-patch'
import { admissionInstallation } from '../../src/installation/admission.ts'
import { apiManagementInstallation } from '../../src/installation/api-management.ts'
import { controllerInstallation } from '../../src/installation/controller.ts'
import { meshInstallation, meshNames } from '../../src/installation/mesh.ts'
import { COMPONENTS, type ComponentName, type KubeObject } from '../../src/installation/object.ts'
import { writeDocuments } from '../../src/yaml/documents.ts'
import type { Page } from '../docs/page.ts'
import { BASE, componentNames, fileOf, identityOf, MADE } from './parts.ts'

const FOLDER = 'webhook-config'

/** Every file of the kustomize tree. */
export function kustomizePages(): readonly Page[] {
  const base = admissionInstallation(BASE)
  return [
    ...folderPages('base', base),
    ...folderPages('controller', controllerInstallation(BASE)),
    ...folderPages('api-management', apiManagementInstallation(BASE)),
    ...folderPages('mesh', meshInstallation({ ...BASE, namespace: meshNames({}).namespace })),
    ...componentNames().flatMap((name) => [...componentPages(name, base), overlayPage(name)]),
  ]
}

/** Objects that are installed together: a folder with a kustomization. */
function folderPages(folder: string, objects: readonly KubeObject[]): readonly Page[] {
  const files = [...new Set(objects.map(fileOf))]
  return [
    ...files.map((file) => page(`${folder}/${file}`, ...objects.filter((object) => fileOf(object) === file))),
    page(`${folder}/kustomization.yaml`, {
      apiVersion: 'kustomize.config.k8s.io/v1beta1',
      kind: 'Kustomization',
      resources: files,
    }),
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
    admissionInstallation({ ...BASE, components: new Set([name]) }).map((object) => [identityOf(object), object]),
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
  const operations = jsonPatch.compare(before, after).map((operation) => atTheEnd(before, operation))
  if (operations.length === 0) return []
  const slash = apiVersion.lastIndexOf('/')
  const group = slash < 0 ? {} : { group: apiVersion.slice(0, slash) }
  const target = { ...group, kind, name, version: apiVersion.slice(slash + 1) }
  return [{ patch: writeDocuments([operations]), target }]
}

/** What is added behind the last item of a list stays behind it, also where another component has added items. */
function atTheEnd(object: KubeObject, operation: Operation): Operation {
  const list = /^(.*)\/(\d+)$/.exec(operation.path)
  if (operation.op !== 'add' || !list) return operation
  const found: unknown = jsonPatch.getValueByPointer(object, list[1] ?? '')
  return Array.isArray(found) && Number(list[2]) >= found.length ? { ...operation, path: `${list[1]}/-` } : operation
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
