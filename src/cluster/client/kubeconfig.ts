/** The cluster to connect to, and the user. */
import { KubeConfig, type RequestContext } from '@kubernetes/client-node'

/** Milliseconds for one request to the API server; watches have their own timeout. */
const REQUEST_TIMEOUT = 30_000

/** Requests with a timeout: by itself the client waits for minutes where a network drops packets. */
class KubeConfigWithTimeout extends KubeConfig {
  override applySecurityAuthentication(context: RequestContext): Promise<void> {
    context.setSignal(AbortSignal.timeout(REQUEST_TIMEOUT))
    return super.applySecurityAuthentication(context)
  }
}

/** Errors in YAML come with an excerpt of several lines: only the first one is used. */
function loaded(load: (kubeconfig: KubeConfig) => void): KubeConfig {
  const kubeconfig = new KubeConfigWithTimeout()
  try {
    load(kubeconfig)
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
    throw new Error(`the kubeconfig cannot be read: ${reason}`, { cause: error })
  }
  return kubeconfig
}

/** The cluster of a kubeconfig's current context; throws what is wrong with the file. */
export function clusterOfFile(path: string): KubeConfig {
  return loaded((kubeconfig) => kubeconfig.loadFromFile(path))
}

/** The cluster in which this process runs, as its service account; undefined outside a cluster. */
export function ownCluster(environment: Readonly<Record<string, string | undefined>>): KubeConfig | undefined {
  if (!environment.KUBERNETES_SERVICE_HOST) return undefined
  const kubeconfig = new KubeConfigWithTimeout()
  kubeconfig.loadFromCluster()
  return kubeconfig
}

/** The user's cluster: that of kubectl's current context, or of another one. Throws what is wrong with the files. */
export function clusterOfUser(context?: string): { readonly kubeconfig: KubeConfig; readonly namespace: string } {
  const kubeconfig = loaded((config) => config.loadFromDefault())
  if (context !== undefined) kubeconfig.setCurrentContext(context)
  const name = kubeconfig.getCurrentContext()
  const chosen = kubeconfig.getContextObject(name)
  if (!chosen || !kubeconfig.getCurrentCluster()) throw new Error(`no context "${name}" in the kubeconfig`)
  return { kubeconfig, namespace: chosen.namespace ?? 'default' }
}
