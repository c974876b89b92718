/** The versions of what the mesh consists of, as the tags of its images tell them. */
import { isObject, type JsonObject } from '../json/member.ts'
import type { ApiNames } from '../kubernetes/api-groups.ts'
import { readMetadata } from '../kubernetes/metadata.ts'
import { compareText } from '../text/order.ts'
import { imagesOf, type MeshPod } from './pods.ts'

/** Versions by component, without a leading v: `{"nginx-mesh-api": ["1.7.0"]}`. Empty where no image has a tag. */
export type MeshVersions = Readonly<Record<string, readonly string[]>>

/** The label of the Deployments that the mesh consists of, with its value: `app.kubernetes.io/part-of: nginx-service-mesh`. */
export const componentLabel = ({ meshName }: ApiNames): readonly [label: string, value: string] => [
  'app.kubernetes.io/part-of',
  `${meshName.replace(/-mesh$/, '')}-service-mesh`,
]

/** A Deployment that belongs to the mesh. */
export type Component = { readonly name: string; readonly namespace: string; readonly images: readonly string[] }

/** Reads a Deployment; undefined where it does not belong to the mesh. Never throws. */
export function readComponent(deployment: JsonObject, names: ApiNames): Component | undefined {
  const { name, namespace, labels } = readMetadata(deployment)
  const [label, value] = componentLabel(names)
  if (!name.value || labels.value?.[label] !== value) return undefined
  const { template } = isObject(deployment.spec) ? deployment.spec : {}
  const { containers } = isObject(template) && isObject(template.spec) ? template.spec : {}
  return {
    name: name.value,
    namespace: namespace.value ?? '',
    images: imagesOf(containers).map(({ image }) => image),
  }
}

/** The containers that are injected: their names, and the images with which they are injected now. */
type Injected = readonly { readonly name: string; readonly image: string }[]

/** The versions of Deployments, and of the containers that are injected: now, and in the Pods that there are. */
export function meshVersions(
  components: readonly Component[],
  pods: readonly MeshPod[],
  injected: Injected,
): MeshVersions {
  const images = new Map<string, Set<string>>(injected.map(({ name, image }) => [name, new Set([image])]))
  for (const pod of pods) for (const { container, image } of pod.images) images.get(container)?.add(image)
  for (const component of components)
    images.set(component.name, new Set([...(images.get(component.name) ?? []), ...component.images]))
  const versions = [...images].map(([name, all]): [string, readonly string[]] => [name, versionsOf([...all])])
  return Object.fromEntries(versions.sort(([a], [b]) => compareText(a, b)))
}

const versionsOf = (images: readonly string[]): readonly string[] =>
  [...new Set(images.map(versionOf).filter((version) => version !== ''))].sort(compareText)

/** The tag of an image without a leading v; empty where it has none. A port is not a tag, and a digest tells no version. */
export function versionOf(image: string): string {
  const [reference = ''] = image.split('@', 1)
  const tag = /:([\w][\w.-]{0,127})$/.exec(reference.slice(reference.lastIndexOf('/') + 1))?.[1] ?? ''
  return tag.replace(/^v(?=\d)/, '')
}
