/** Which cluster, and as whom. */
import { KubeConfig, type RequestContext } from '@kubernetes/client-node'

/** Milliseconds for one question to the API server and its answer; watches have a patience of their own. */
const PATIENCE = 30_000

/** The client waits for minutes where a network swallows what is sent: whoever asks shall hear of it before. */
class ImpatientConfig extends KubeConfig {
  override applySecurityAuthentication(context: RequestContext): Promise<void> {
    context.setSignal(AbortSignal.timeout(PATIENCE))
    return super.applySecurityAuthentication(context)
  }
}

/** Mistakes in YAML come with a picture of several lines: the first one says it. */
function loaded(load: (kubeconfig: KubeConfig) => void): KubeConfig {
  const kubeconfig = new ImpatientConfig()
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

/** The cluster in which this process runs, as its service account; undefined where it runs in none. */
export function ownCluster(environment: Readonly<Record<string, string | undefined>>): KubeConfig | undefined {
  if (!environment.KUBERNETES_SERVICE_HOST) return undefined
  const kubeconfig = new ImpatientConfig()
  kubeconfig.loadFromCluster()
  return kubeconfig
}

/** A person's cluster: where kubectl would go, or by another context. Throws what is wrong with the files. */
export function clusterOfUser(context?: string): { readonly kubeconfig: KubeConfig; readonly namespace: string } {
  const kubeconfig = loaded((config) => config.loadFromDefault())
  if (context !== undefined) kubeconfig.setCurrentContext(context)
  const name = kubeconfig.getCurrentContext()
  const chosen = kubeconfig.getContextObject(name)
  if (!chosen || !kubeconfig.getCurrentCluster()) throw new Error(`no context "${name}" in the kubeconfig`)
  return { kubeconfig, namespace: chosen.namespace ?? 'default' }
}
