/**
 * The authorities that the API server trusts, in the webhook configurations: written by server-side apply, so that
 * sluice owns the field, and applying the manifests neither empties it nor shows drift.
 */
import {
  AdmissionregistrationV1Api,
  type KubeConfig,
  KubernetesObjectApi,
  PatchStrategy,
} from '@kubernetes/client-node'
import { statusOf } from '../client/failure.ts'

/** The field manager of server-side apply. */
const FIELD_MANAGER = 'sluice'

/** The names of the webhook configurations whose `caBundle` sluice writes. */
export type Configurations = { readonly validating: readonly string[]; readonly mutating: readonly string[] }

/** Writes the bundle where it differs. Configurations that do not exist are not created. */
export async function writeBundle(kubeconfig: KubeConfig, names: Configurations, bundle: string): Promise<void> {
  const api = kubeconfig.makeApiClient(AdmissionregistrationV1Api)
  const encoded = Buffer.from(bundle).toString('base64')
  for (const name of names.validating) {
    const read = api.readValidatingWebhookConfiguration({ name })
    await applyBundle(kubeconfig, 'ValidatingWebhookConfiguration', await present(read), encoded)
  }
  for (const name of names.mutating) {
    const read = api.readMutatingWebhookConfiguration({ name })
    await applyBundle(kubeconfig, 'MutatingWebhookConfiguration', await present(read), encoded)
  }
}

/** The members of a configuration that are read here. */
type Configuration = {
  readonly metadata?: { readonly name?: string }
  readonly webhooks?: readonly {
    readonly name: string
    readonly clientConfig: { readonly caBundle?: string }
  }[]
}

async function present(read: Promise<Configuration>): Promise<Configuration | undefined> {
  try {
    return await read
  } catch (error) {
    if (statusOf(error) === 404) return undefined
    throw error
  }
}

async function applyBundle(
  kubeconfig: KubeConfig,
  kind: string,
  configuration: Configuration | undefined,
  caBundle: string,
): Promise<void> {
  const { metadata: { name } = {}, webhooks = [] } = configuration ?? {}
  if (!name || webhooks.every(({ clientConfig }) => clientConfig.caBundle === caBundle)) return
  const apiVersion = 'admissionregistration.k8s.io/v1'
  const ours = webhooks.map((webhook) => ({ name: webhook.name, clientConfig: { caBundle } }))
  const body = { apiVersion, kind, metadata: { name }, webhooks: ours }
  const api = KubernetesObjectApi.makeApiClient(kubeconfig)
  await api.patch(body, undefined, undefined, FIELD_MANAGER, true, PatchStrategy.ServerSideApply)
}
