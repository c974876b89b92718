/** The cluster to connect to, and the user. */
import { KubeConfig, type RequestContext } from '@kubernetes/client-node'
import { isObject } from '../../json/member.ts'
import { describeFileError, describeSystemError, systemErrorCode } from '../../text/system-error.ts'
import { describeFirstProblem } from '../../yaml/first-problem.ts'

/** Milliseconds for one request to the API server; watches have their own timeout. */
const REQUEST_TIMEOUT = 30_000

/** Requests with a timeout: by itself the client waits for minutes where a network drops packets. */
class KubeConfigWithTimeout extends KubeConfig {
  override applySecurityAuthentication(context: RequestContext): Promise<void> {
    context.setSignal(AbortSignal.timeout(REQUEST_TIMEOUT))
    return super.applySecurityAuthentication(context)
  }
}

/** Throws in one line what is wrong. */
function loaded(load: (kubeconfig: KubeConfig) => void, describe: (error: unknown) => string): KubeConfig {
  const kubeconfig = new KubeConfigWithTimeout()
  try {
    load(kubeconfig)
  } catch (error) {
    throw new Error(describe(error), { cause: error })
  }
  return kubeconfig
}

/** What is wrong with a kubeconfig, or with its file. An error of the YAML parser has the text that it could not read. */
function describeContent(error: unknown): string {
  const mark = error instanceof Error && 'mark' in error && isObject(error.mark) ? error.mark : undefined
  const text = typeof mark?.buffer === 'string' ? mark.buffer : undefined
  if (text !== undefined) return describeFirstProblem(text) ?? describeFileError(error)
  return error instanceof Error && error.name === 'YAMLException' ? 'the file is empty' : describeFileError(error)
}

/** The cluster of a kubeconfig's current context; throws what is wrong with the file. */
export function clusterOfFile(path: string): KubeConfig {
  return loaded(
    (kubeconfig) => kubeconfig.loadFromFile(path),
    (error) => (systemErrorCode(error) === undefined ? describeContent(error) : describeSystemError(error)),
  )
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
  const kubeconfig = loaded(
    (config) => config.loadFromDefault(),
    (error) => `the kubeconfig cannot be read: ${describeContent(error)}`,
  )
  if (context !== undefined) kubeconfig.setCurrentContext(context)
  // Without any kubeconfig the client makes one up, as kubectl does.
  if (context === undefined && kubeconfig.getCurrentCluster()?.server === 'http://localhost:8080')
    throw new Error('there is no kubeconfig: create ~/.kube/config, or name one in KUBECONFIG')
  const name: string | undefined = kubeconfig.getCurrentContext()
  if (!name) throw new Error('the kubeconfig has no current context: choose one with --context')
  const chosen = kubeconfig.getContextObject(name)
  if (!chosen || !kubeconfig.getCurrentCluster()) throw new Error(`no context "${name}" in the kubeconfig`)
  return { kubeconfig, namespace: chosen.namespace ?? 'default' }
}
