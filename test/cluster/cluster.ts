/** The cluster of a test file, and the webhook in front of it. */
import { afterAll, beforeAll } from 'vitest'
import {
  type AdmissionServer,
  type CertificateFiles,
  installWebhooks,
  type Start,
  startAdmission,
  writeCertificate,
} from './admission-server.ts'
import { type ControlPlane, type MoreFlags, startControlPlane } from './control-plane.ts'
import { createKubectl, type Kubectl, must } from './kubectl.ts'
import { createWriter, type Write } from './policy-requests.ts'
import { applyCrds, BROKEN, until } from './resources.ts'
import { borrowControlPlane } from './shared-planes.ts'
import { ADMIN } from './users.ts'

/** A cluster of a file with the CRDs. */
export type Cluster = ReturnType<typeof useCluster>

type ClusterWishes = {
  /** What it holds in the beginning. */
  readonly objects?: readonly object[]
  /** More flags, for which it needs an API server of its own. */
  readonly flags?: MoreFlags
}

/** Has a cluster for the tests of the file or of the group. It is there from the next hook on. */
export function useCluster({ objects = [], flags }: ClusterWishes = {}) {
  let plane: ControlPlane | undefined
  const known = (): ControlPlane => {
    if (plane) return plane
    throw new Error('the cluster is there from beforeAll on')
  }
  const kubectl: Kubectl = (...words) => createKubectl(known().kubeconfig(ADMIN))(...words)
  beforeAll(async () => {
    plane = flags ? await startControlPlane(flags) : await borrowControlPlane()
    if (flags) await applyCrds(kubectl)
    if (objects.length > 0) await must(kubectl('apply -f -', objects))
  })
  afterAll(() => plane?.stop())
  return {
    get url() {
      return known().url
    },
    get folder() {
      return known().folder
    },
    /** As its administrator, like all that follows. */
    kubectl,
    /** Stores objects as `kubectl apply` does, and returns what it says. */
    store: (input: readonly object[] | string) => must(kubectl('apply -f -', input)),
    /** What `kubectl get WORDS -o json` prints. */
    read: async (words: string) => JSON.parse(await must(kubectl(`get ${words} -o json`))),
    /** Writes a policy. */
    write: (...request: Parameters<Write>) => createWriter(known())(...request),
    kubeconfig: (...way: Parameters<ControlPlane['kubeconfig']>) => known().kubeconfig(...way),
    stopServer: () => known().stopServer(),
    startServer: () => known().startServer(),
    restartEtcd: () => known().restartEtcd(),
    compact: () => known().compact(),
    stop: () => known().stop(),
  }
}

/** A `sluice serve admission` that the API server asks. */
export type Webhook = {
  /** The process that runs now. */
  readonly server: AdmissionServer
  readonly certificate: CertificateFiles
  /** Ends it and starts it again on its port; waits until it denies and knows the cluster. */
  restart(start?: Start & { readonly kubeconfig?: string; readonly signal?: NodeJS.Signals }): Promise<void>
  /** Has the API server ask it, or a server on another port. */
  install(failurePolicy?: 'Fail' | 'Ignore', port?: number): Promise<void>
  /** True where a policy that is wrong for nginx alone is denied. */
  isDenying(): Promise<boolean>
}

type WebhookWishes = {
  /** By default, that of the administrator. */
  readonly kubeconfig?: () => string
  /** Instead of those by which it watches the cluster. */
  readonly flags?: () => readonly string[]
  /** Beside them. */
  readonly more?: () => readonly string[]
  /** Undefined: as the shipped configurations have it. */
  readonly failurePolicy?: 'Fail' | 'Ignore'
  readonly start?: () => Start
}

/** Has a webhook for the tests of the file, which denies and knows the cluster from the next hook on. */
export function useWebhook(cluster: Cluster, wishes: WebhookWishes = {}): Webhook {
  const { flags, more = () => [], failurePolicy } = wishes
  let server: AdmissionServer
  let certificate: CertificateFiles
  const isDenying = async () => (await cluster.write('POST', BROKEN)).message.includes('rules[0].rate')
  const run = async (start: Start = {}, kubeconfig = wishes.kubeconfig?.() ?? cluster.kubeconfig(ADMIN)) => {
    const own = [...certificate.flags, ...(flags?.() ?? ['--kubeconfig', kubeconfig]), ...more()]
    server = await startAdmission(own, { ...wishes.start?.(), ...start })
  }
  const ready = async () => {
    await until('the webhook denies', isDenying)
    if (!flags) await until('the watches are synced', () => server.isSynced())
  }
  const install = (policy = failurePolicy, port = server.port) =>
    installWebhooks(cluster.kubectl, {
      ...{ port, authority: certificate.authority },
      ...(policy ? { failurePolicy: policy } : {}),
    })
  beforeAll(async () => {
    certificate = await writeCertificate(cluster.folder)
    await run()
    await install()
    await ready()
  })
  afterAll(() => server?.stop())
  return {
    get server() {
      return server
    },
    get certificate() {
      return certificate
    },
    async restart({ kubeconfig, signal, ...start } = {}) {
      await server.stop(signal)
      await run({ port: server.port, ...start }, kubeconfig)
      await ready()
    },
    install,
    isDenying,
  }
}
