/** A cluster as a Pod sees it: the shipped manifests on a real API server, and what the kubelet mounts. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DEFAULT_CONFIG } from '../../src/installation/component.ts'
import { type KubeObject, NAMES } from '../../src/installation/object.ts'
import { isObject } from '../../src/json/member.ts'
import type { ControlPlane } from '../cluster/control-plane.ts'
import { type Kubectl, must } from '../cluster/kubectl.ts'

/** The address of a Service leads nowhere here: the API server is sent to a port of this machine instead. */
export const reachable = (objects: readonly KubeObject[], port: number): readonly KubeObject[] =>
  objects.map((object) => {
    if (object.kind === 'Service') return { ...object, spec: { type: 'ExternalName', externalName: 'localhost' } }
    if (!Array.isArray(object.webhooks)) return object
    const webhooks = object.webhooks.filter(isObject).map((webhook) => {
      const service = isObject(webhook.clientConfig) ? webhook.clientConfig.service : undefined
      return { ...webhook, clientConfig: { service: { ...(isObject(service) ? service : {}), port } } }
    })
    return { ...object, webhooks }
  })

/** Parameters of the container, as the Deployment has them. */
export function parametersOf(objects: readonly KubeObject[]): readonly string[] {
  const path = ['spec', 'template', 'spec', 'containers', '0', 'args']
  const args = path.reduce<unknown>(
    (value, name) => (Array.isArray(value) ? value[Number(name)] : isObject(value) ? value[name] : undefined),
    objects.find(({ kind }) => kind === 'Deployment'),
  )
  return Array.isArray(args) ? args.filter((word) => typeof word === 'string') : []
}

/** Writes what the kubelet would mount below the root of a container; gives what it would put into its environment. */
export async function mountAccount(
  root: string,
  plane: ControlPlane,
  kubectl: Kubectl,
): Promise<Record<string, string>> {
  const token = (await must(kubectl(`create token ${NAMES.admission} -n ${NAMES.namespace}`))).trim()
  const account = join(root, 'var/run/secrets/kubernetes.io/serviceaccount')
  const files = {
    [join(account, 'token')]: token,
    [join(account, 'ca.crt')]: readFileSync(join(plane.folder, 'apiserver.crt'), 'utf8'),
    [join(account, 'namespace')]: NAMES.namespace,
    [join(root, 'etc/sluice', NAMES.configKey)]: DEFAULT_CONFIG,
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const { hostname, port } = new URL(plane.url)
  return { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port }
}
