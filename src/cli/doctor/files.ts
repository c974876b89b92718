/** Reads of manifests what the doctor judges. */
import { ABSENT, type Evidence, found, type Known, listAt, textAt, unknownBecause } from '../../doctor/evidence.ts'
import { keyOf } from '../../doctor/wanted.ts'
import type { Collected } from '../../files/discover/collect-sources.ts'
import { NAMES } from '../../installation/object.ts'
import { isObject, type JsonObject } from '../../json/member.ts'
import { isSameValue } from '../../json/same.ts'
import { apiNames } from '../../kubernetes/api-groups.ts'
import type { ProjectSettings } from '../../settings/settings.ts'
import { groupBy } from '../../text/group.ts'
import { readDocuments } from '../../yaml/documents.ts'

/** Texts that may hold an object of an installation, or of what it needs. */
export const MENTIONS_INSTALLATION = /sluice|CustomResourceDefinition|nginx-gateway-fabric|-mesh-api/

/** What files are judged with. */
export type FilesSight = Pick<Evidence, 'sluice' | 'localNginx' | 'settingsTexts'> & {
  readonly project: ProjectSettings
  readonly namespace: string | undefined
}

/**
 * The objects that the files hold. Kustomizations are not built: patches of kinds of Kubernetes need its schemas, so what
 * is patched counts as defined twice.
 */
const objectsIn = ({ sources }: Collected): readonly JsonObject[] =>
  sources
    .flatMap((source) =>
      'object' in source
        ? [source.object]
        : readDocuments(source.text, { mentions: /(?:)/ }).map(({ value }) => (isObject(value) ? value : {})),
    )
    .flatMap((object) => (object.kind === 'List' ? listAt(object, 'items').filter(isObject) : [object]))

/** Reads them. What the files do not hold may be in the cluster all the same. */
export function readFiles(collected: Collected, sight: FilesSight): Evidence {
  const objects = objectsIn(collected)
  const byPlace = groupBy(objects, (object) =>
    keyOf({
      kind: textAt(object, 'kind'),
      name: textAt(object, 'metadata', 'name'),
      namespace: textAt(object, 'metadata', 'namespace'),
    }),
  )
  const get: Evidence['get'] = (place): Known<JsonObject> => {
    const [first, ...others] = byPlace.get(keyOf(place)) ?? []
    if (!first) return ABSENT
    return others.every((other) => isSameValue(first, other))
      ? found(first)
      : unknownBecause('it is defined or patched more than once: kubectl kustomize FOLDER | sluice doctor -')
  }
  const namespace = sight.namespace ?? namespaceIn(objects)
  const config = get({ kind: 'ConfigMap', name: NAMES.config, namespace })
  const text = config.state === 'found' ? textAt(config.value, 'data', NAMES.configKey) : ''
  const own = text === '' ? [] : [{ where: `ConfigMap ${namespace}/${NAMES.config}`, text }]
  return {
    ...sight,
    place: 'files',
    names: apiNames(sight.project.settings.apiGroups),
    namespace,
    now: Date.now(),
    settingsTexts: [...sight.settingsTexts, ...own],
    certificates: {},
    cluster: undefined,
    get,
    list: (kind) => found(objects.filter((object) => object.kind === kind)),
  }
}

/** The namespace of the webhook's Deployment, else of the Service that a configuration names, else the usual one. */
const namespaceIn = (objects: readonly JsonObject[]): string =>
  [
    ...objects
      .filter((object) => object.kind === 'Deployment' && textAt(object, 'metadata', 'name') === NAMES.admission)
      .map((object) => textAt(object, 'metadata', 'namespace')),
    ...objects
      .flatMap((object) => listAt(object, 'webhooks'))
      .flatMap((webhook) =>
        textAt(webhook, 'clientConfig', 'service', 'name') === NAMES.admission
          ? [textAt(webhook, 'clientConfig', 'service', 'namespace')]
          : [],
      ),
  ].find((one) => one !== '') ?? NAMES.namespace
