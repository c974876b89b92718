/**
 * The authorities that the API server trusts, in webhook configurations and in registrations of API groups: written by
 * server-side apply, so that sluice owns the field, and applying the manifests neither empties it nor shows drift.
 */

import { pemBlocks } from '../../http/authority.ts'
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import { readIdentity, readMetadata } from '../../kubernetes/metadata.ts'
import { callApi, callUnless } from '../client/api.ts'
import type { Clock } from '../client/clock.ts'
import type { KubeConfig } from '../client/library.ts'
import { type KindWatch, watchKind } from '../watch/kind-watch.ts'

/** The field manager of server-side apply. */
const FIELD_MANAGER = 'sluice'

/** The names of the objects whose `caBundle` sluice writes. */
export type Configurations = {
  readonly validating?: readonly string[]
  readonly mutating?: readonly string[]
  readonly apiServices?: readonly string[]
}

/**
 * Writes the bundle where it differs, and tells of each object in which it did (`APIService/v1.x`). Configurations that do
 * not exist are not created. Rejects with the error of the API server.
 */
export async function writeBundle(
  kubeconfig: KubeConfig,
  { configurations, bundle }: { readonly configurations: Configurations; readonly bundle: string },
  written: (object: string) => void,
): Promise<void> {
  const encoded = encodedBundle(bundle)
  for (const one of listConfigurations(configurations))
    if (await applyBundle(kubeconfig, one, encoded)) written(`${one.kind}/${one.name}`)
}

/** A bundle as objects have it. */
const encodedBundle = (bundle: string): string => Buffer.from(bundle).toString('base64')

/** The bundles of the cluster, as watches know them. */
export type BundleWatch = {
  /** True where an object that is there has another one. */
  hasOther(bundle: string): boolean
  stop(): void
}

/**
 * Watches the objects that have bundles; `changed` is called after every change of one. Never throws. Needs the rights `list`
 * and `watch` on each; without them nothing is known of it.
 */
export function watchBundles(
  kubeconfig: KubeConfig,
  {
    configurations,
    clock,
    changed,
  }: { readonly configurations: Configurations; readonly clock: Clock; changed(): void },
): BundleWatch {
  const watches = listConfigurations(configurations).map(({ kind, name }): KindWatch => {
    const [group = '', version = ''] = FORMS[kind].apiVersion.split('/')
    const resource = { version, plural: `${kind.toLowerCase()}s`, namespaced: false, optional: false }
    const read = (object: JsonObject) => ({ object, identity: readIdentity(kind, readMetadata(object)) })
    const keep = (object: JsonObject): JsonObject => ({
      metadata: { name },
      bundles: FORMS[kind].bundlesIn(object).map((bundle) => bundle ?? ''),
    })
    return watchKind({ kind, group, resource, read }, { kubeconfig, clock, keep, only: { name }, changed })
  })
  return {
    hasOther(bundle) {
      const encoded = encodedBundle(bundle)
      const known = watches.filter(({ state }) => state() === 'synced').flatMap(({ objects }) => objects().all())
      return known.some(({ object: { bundles } }) => Array.isArray(bundles) && bundles.some((one) => one !== encoded))
    },
    stop() {
      for (const watch of watches) watch.stop()
    },
  }
}

/** The certificates (PEM) that the API server trusts now. Rejects with its error. */
export async function readBundles(kubeconfig: KubeConfig, names: Configurations): Promise<readonly string[]> {
  const found = new Set<string>()
  for (const { kind, path } of listConfigurations(names)) {
    const known = await callUnless(404, kubeconfig, { path })
    for (const bundle of known ? FORMS[kind].bundlesIn(known) : [])
      if (typeof bundle === 'string')
        for (const cert of pemBlocks(Buffer.from(bundle, 'base64').toString())) found.add(cert)
  }
  return [...found]
}

/** Where a kind of object has its bundles, and what is applied to write them. */
type Form = {
  readonly apiVersion: string
  bundlesIn(object: JsonObject): readonly (Json | undefined)[]
  withBundle(object: JsonObject, caBundle: string): JsonObject
}

const WEBHOOKS: Form = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  bundlesIn: (object) =>
    webhooksIn(object).map(({ clientConfig }) => (isObject(clientConfig) ? clientConfig.caBundle : undefined)),
  withBundle: (object, caBundle) => ({
    webhooks: webhooksIn(object).map(({ name }) => ({ name, clientConfig: { caBundle } })),
  }),
}

const FORMS = {
  ValidatingWebhookConfiguration: WEBHOOKS,
  MutatingWebhookConfiguration: WEBHOOKS,
  APIService: {
    apiVersion: 'apiregistration.k8s.io/v1',
    bundlesIn: ({ spec }) => [isObject(spec) ? spec.caBundle : undefined],
    withBundle: (_, caBundle) => ({ spec: { caBundle } }),
  },
} as const satisfies Record<string, Form>

type Configuration = { readonly kind: keyof typeof FORMS; readonly name: string; readonly path: string }

function listConfigurations({
  validating = [],
  mutating = [],
  apiServices = [],
}: Configurations): readonly Configuration[] {
  const ofKind = (kind: Configuration['kind'], names: readonly string[]) =>
    names.map((name) => ({ kind, name, path: `/apis/${FORMS[kind].apiVersion}/${kind.toLowerCase()}s/${name}` }))
  return [
    ...ofKind('ValidatingWebhookConfiguration', validating),
    ...ofKind('MutatingWebhookConfiguration', mutating),
    ...ofKind('APIService', apiServices),
  ]
}

const webhooksIn = ({ webhooks }: JsonObject): readonly JsonObject[] =>
  Array.isArray(webhooks) ? webhooks.filter(isObject) : []

async function applyBundle(
  kubeconfig: KubeConfig,
  { kind, name, path }: Configuration,
  caBundle: string,
): Promise<boolean> {
  const { apiVersion, bundlesIn, withBundle } = FORMS[kind]
  const known = await callUnless(404, kubeconfig, { path })
  if (!known || bundlesIn(known).every((bundle) => bundle === caBundle)) return false
  await callApi(kubeconfig, {
    method: 'PATCH',
    path,
    query: { fieldManager: FIELD_MANAGER, force: 'true' },
    contentType: 'application/apply-patch+yaml',
    body: { apiVersion, kind, metadata: { name }, ...withBundle(known, caBundle) },
  })
  return true
}
