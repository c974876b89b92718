/** The cluster to connect to, and the user. */
import { delimiter, dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { readSmallText } from '../../disk/read-regular-file.ts'
import { isObject, type Json } from '../../json/member.ts'
import { describeFileError, describeSystemError, systemErrorCode } from '../../text/system-error.ts'
import { readDocuments } from '../../yaml/documents.ts'
import { describeFirstProblem } from '../../yaml/first-problem.ts'
import { Agent, KubeConfig, type RequestContext } from './library.ts'

/** Limits of one request to the API server, in milliseconds; watches have their own. */
type Limits = {
  /** Until the response begins, and between any two parts of it. */
  readonly silence: number
  readonly whole: number
}

/** A page of a list takes minutes where the network is slow. */
const LIMITS: Limits = { silence: 30_000, whole: 600_000 }

/** Milliseconds until a connection is there. Source: the default of undici. */
const CONNECTING = 10_000

/** Milliseconds that a connection is kept for the next request: longer than between two renewals of a Lease. */
const KEPT = 15_000

/**
 * Requests with a timeout: by itself the client waits for minutes where a network drops packets. And over connections that
 * are kept: by itself the client makes an agent for each request, and so a TLS handshake.
 */
class KubeConfigWithTimeout extends KubeConfig {
  readonly #limits: Limits
  /** What the client would make an agent of; undefined where a proxy is between, or where there is no TLS. */
  #connect: object | undefined
  #kept: { readonly connect: object; readonly agent: Agent } | undefined

  constructor(limits = LIMITS) {
    super()
    this.#limits = limits
  }

  override createDispatcherOptions(...parameters: Parameters<KubeConfig['createDispatcherOptions']>) {
    const options = super.createDispatcherOptions(...parameters)
    this.#connect = options.type === 'agent' ? options.connect : undefined
    return options
  }

  override async applySecurityAuthentication(context: RequestContext): Promise<void> {
    await super.applySecurityAuthentication(context)
    const { silence, whole } = this.#limits
    const dispatcher = this.#agent() ?? context.getDispatcher()
    // Without TLS the client has no dispatcher of its own, which alone knows when a part arrives.
    context.setSignal(AbortSignal.timeout(dispatcher ? whole : silence))
    if (!dispatcher) return
    const timeouts = { headersTimeout: silence, bodyTimeout: silence }
    context.setDispatcher(
      dispatcher.compose((next) => (options, handler) => next({ ...options, ...timeouts }, handler)),
    )
  }

  /** The agent for the newest credentials: those of a file or of a program change while this runs. */
  #agent(): Agent | undefined {
    const connect = this.#connect
    if (!connect) return undefined
    if (!this.#kept || !isDeepStrictEqual(this.#kept.connect, connect)) {
      // Ends when the last of its requests has.
      this.#kept?.agent.close().catch(() => {})
      // Without HTTP/2: a connection that the network has lost, which nobody notices, would hold up all requests.
      const timed = { ...connect, timeout: Math.min(CONNECTING, this.#limits.silence) }
      this.#kept = { connect, agent: new Agent({ connect: timed, keepAliveTimeout: KEPT, allowH2: false }) }
    }
    return this.#kept.agent
  }

  /**
   * Reads the text as kubectl does and says which field is wrong. By itself the client has another reader of YAML, and
   * calls methods of whatever is there.
   */
  override loadFromString(...[text, options]: Parameters<KubeConfig['loadFromString']>): void {
    const problem = describeFirstProblem(text)
    if (problem !== undefined) throw new Error(problem)
    const [document] = readDocuments(text, { mentions: /(?:)/ })
    const wrong = wrongField(document?.value ?? null)
    if (wrong !== undefined) throw new Error(wrong)
    super.loadFromString(JSON.stringify(document?.value), options)
  }

  /** By itself the client reads the second file of KUBECONFIG, and those behind it, without these checks. */
  override loadFromDefault(...parameters: Parameters<KubeConfig['loadFromDefault']>): void {
    const [first, ...others] = (process.env.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '')
    if (first === undefined) super.loadFromDefault(...parameters)
    else this.loadFromFile(first)
    for (const file of others) {
      const other = new KubeConfigWithTimeout()
      other.loadFromFile(file)
      this.mergeConfig(other)
    }
  }
}

/** Throws in one line what is wrong. */
function loaded(
  load: (kubeconfig: KubeConfig) => void,
  describe: (error: unknown) => string,
  limits?: Limits,
): KubeConfig {
  const kubeconfig = new KubeConfigWithTimeout(limits)
  try {
    load(kubeconfig)
  } catch (error) {
    throw new Error(describe(error), { cause: error })
  }
  return kubeconfig
}

/** The cluster of a kubeconfig's current context; throws what is wrong with the file. */
export function clusterOfFile(path: string, limits?: Limits): KubeConfig {
  return loaded(
    (kubeconfig) => {
      kubeconfig.loadFromString(readSmallText(path))
      kubeconfig.makePathsAbsolute(dirname(path))
    },
    (error) => (systemErrorCode(error) === undefined ? describeFileError(error) : describeSystemError(error)),
    limits,
  )
}

const usualCluster = (limits?: Limits): KubeConfig =>
  loaded(
    (config) => config.loadFromDefault(),
    (error) => `the kubeconfig cannot be read: ${describeFileError(error)}`,
    limits,
  )

/** The cluster in which this process runs, as its service account; undefined outside a cluster. */
export function ownCluster(environment: Readonly<Record<string, string | undefined>>): KubeConfig | undefined {
  if (!environment.KUBERNETES_SERVICE_HOST) return undefined
  const kubeconfig = new KubeConfigWithTimeout()
  kubeconfig.loadFromCluster()
  return kubeconfig
}

/**
 * The user's cluster: that of kubectl's current context, or of another one, of the usual files or of one that is named.
 * Throws what is wrong with the files.
 */
export function clusterOfUser({
  context,
  file,
  limits,
}: {
  readonly context?: string | undefined
  readonly file?: string | undefined
  readonly limits?: Limits
} = {}): { readonly kubeconfig: KubeConfig; readonly namespace: string } {
  const kubeconfig = file === undefined ? usualCluster(limits) : clusterOfFile(file, limits)
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

/** Lists of the file, the object in each of their items, and its fields that are texts. */
const LISTS: Readonly<Record<string, { readonly inner: string; readonly texts: readonly string[] }>> = {
  clusters: {
    inner: 'cluster',
    texts: ['server', 'certificate-authority', 'certificate-authority-data', 'tls-server-name', 'proxy-url'],
  },
  users: {
    inner: 'user',
    texts: [
      ...['client-certificate', 'client-certificate-data', 'client-key', 'client-key-data'],
      ...['token', 'tokenFile', 'token-file', 'username', 'password', 'as'],
    ],
  },
  contexts: { inner: 'context', texts: ['cluster', 'user', 'namespace'] },
}

/** The first field with a value of another type: `clusters[0].cluster.server: expected a string`. A null is no value. */
function wrongField(kubeconfig: unknown): string | undefined {
  if (kubeconfig === null) return 'the file is empty'
  if (!isObject(kubeconfig)) return 'expected an object'
  for (const [list, { inner, texts }] of Object.entries(LISTS)) {
    const items = kubeconfig[list] ?? []
    if (!Array.isArray(items)) return `${list}: expected a list`
    for (const [index, item] of items.entries()) {
      const wrong = wrongIn(item, inner, texts)
      if (wrong !== undefined) return `${list}[${index}]${wrong}`
    }
  }
  return notText(kubeconfig, 'current-context', '')
}

function wrongIn(item: Json, inner: string, texts: readonly string[]): string | undefined {
  if (!isObject(item)) return ': expected an object'
  const object = item[inner] ?? {}
  if (!isObject(object)) return `.${inner}: expected an object`
  const wrong = texts.map((name) => notText(object, name, `.${inner}.`)).find((one) => one !== undefined)
  return notText(item, 'name', '.') ?? wrong
}

const notText = (object: Readonly<Record<string, unknown>>, name: string, before: string): string | undefined =>
  typeof (object[name] ?? '') === 'string' ? undefined : `${before}${name}: expected a string`
