/** Where the webhook's certificate comes from: files, the cluster's Secret, or our own making. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { TlsMaterial } from '../../http/listen.ts'
import type { Log } from '../../http/log.ts'
import { readTlsFiles, type TlsFiles, watchTlsFiles } from '../../http/tls-files.ts'
import { NAMES } from '../../installation/object.ts'
import type { Serving } from '../../servers/admission/serve.ts'
import { InputError, type Io } from '../core/io.ts'
import type { ServeFlags } from './flags.ts'
import type { ServedWorld } from './world.ts'

export type Certificate = {
  readonly material: TlsMaterial
  /** Hands every later certificate to the server. */
  follow(serving: Pick<Serving, 'useCertificate'>): void
  /** Why no client can trust the certificate yet; undefined once it can. */
  notReady(): string | undefined
  /** What is to be done next, for people; empty where nothing is. */
  advice(port: number): string
  stop(): void
}

type Surroundings = { readonly log: Log; readonly ownCluster: ServedWorld['ownCluster'] }

/** Opens `--cert` and `--key`, else the Secret of the own cluster, else makes a certificate. Throws {@link InputError}. */
export async function openCertificate(
  io: Io,
  given: ServeFlags,
  { log, ownCluster }: Surroundings,
): Promise<Certificate> {
  const [cert, key] = [given.value('cert'), given.value('key')]
  if ((cert === undefined) !== (key === undefined)) throw new InputError('--cert and --key belong together')
  if (cert !== undefined && key !== undefined)
    return fromFiles({ cert: resolve(io.cwd, cert), key: resolve(io.cwd, key) }, log)
  const own = await makeCertificate(given.value('host'), log)
  return ownCluster ? await fromSecret(own, ownCluster, log) : own
}

function fromFiles(files: TlsFiles, log: Log): Certificate {
  const material = opened(files)
  let stop = () => {}
  return {
    material,
    notReady: () => undefined,
    advice: () => '',
    follow(serving) {
      const onChange = (next: TlsMaterial) => {
        serving.useCertificate(next)
        log.info({ ...files }, 'a new certificate is in use')
      }
      const onProblem = (error: unknown) => log.warn({ ...files, error }, 'the new certificate is not used')
      stop = watchTlsFiles({ files, onChange, onProblem }, material)
    },
    stop: () => stop(),
  }
}

function opened(files: TlsFiles): TlsMaterial {
  try {
    return readTlsFiles(files)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new InputError(`--cert ${files.cert}, --key ${files.key}: ${reason}`)
  }
}

async function makeCertificate(host = '::', log: Log): Promise<Certificate> {
  const { createOwnCertificate } = await import('../../cluster/certificates/own-certificate.ts')
  const { systemClock } = await import('../../cluster/client/clock.ts')
  const isEverywhere = host === '::' || host === '0.0.0.0'
  const names = new Set(['localhost', '127.0.0.1', '::1', ...(isEverywhere ? [] : [host])])
  const { material, authority, keep } = await createOwnCertificate([...names], systemClock)
  let keeper: { stop(): void } | undefined
  return {
    material,
    follow(serving) {
      keeper = keep({
        serve(next) {
          serving.useCertificate(next)
          log.info({}, 'a new certificate is in use')
        },
        failed: (reason) => log.warn({ reason }, 'the certificate could not be renewed; it is tried again'),
      })
    },
    notReady: () => undefined,
    advice: (port) => adviceFor(port, authority),
    stop: () => keeper?.stop(),
  }
}

const adviceFor = (port: number, authority: string): string =>
  `sluice: this certificate is of our own making, with an authority for this run; a webhook configuration trusts it with
  clientConfig:
    url: https://localhost:${port}/validate
    caBundle: ${Buffer.from(authority).toString('base64')}
sluice: --cert and --key name files; for a cluster, "sluice manifests" prints all that it needs
`

const NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace'

/** The namespace in which this process runs. */
export function ownNamespace(): string {
  try {
    return readFileSync(NAMESPACE_FILE, 'utf8').trim() || NAMES.namespace
  } catch {
    return NAMES.namespace
  }
}

/** The certificate that all replicas share; until it has come, one that nobody trusts. */
async function fromSecret(
  first: Certificate,
  kubeconfig: NonNullable<ServedWorld['ownCluster']>,
  log: Log,
): Promise<Certificate> {
  const { keepCertificates } = await import('../../cluster/certificates/keep-certificates.ts')
  const { serviceNames } = await import('../../cluster/certificates/certificates.ts')
  const { systemClock } = await import('../../cluster/client/clock.ts')
  const namespace = ownNamespace()
  let keeper: { stop(): void } | undefined
  let hasCome = false
  return {
    material: first.material,
    notReady: () => (hasCome ? undefined : 'waiting for the certificate that all replicas share'),
    advice: () => '',
    follow(serving) {
      keeper = keepCertificates({
        kubeconfig,
        clock: systemClock,
        secret: { namespace, name: NAMES.tls },
        configurations: { validating: [NAMES.validating], mutating: [NAMES.mutating] },
        names: serviceNames(NAMES.admission, namespace),
        serve(material) {
          hasCome = true
          serving.useCertificate(material)
          log.info({ secret: NAMES.tls, namespace }, 'a new certificate is in use')
        },
        failed: (reason) => log.warn({ reason }, 'the certificates could not be looked after; it is tried again'),
      })
    },
    stop: () => keeper?.stop(),
  }
}
