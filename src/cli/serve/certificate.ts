/** The webhook's certificate: from files, from a Secret of the cluster, or created for this run. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { TlsMaterial } from '../../http/listen.ts'
import type { Log } from '../../http/log.ts'
import { readTlsFiles, type TlsFiles, watchTlsFiles } from '../../http/watched-files.ts'
import { NAMES } from '../../installation/object.ts'
import type { Serving } from '../../servers/admission/serve.ts'
import { describeFileError, systemErrorCode } from '../../text/system-error.ts'
import { InputError, type Io } from '../core/io.ts'
import type { ServeFlags } from './flags.ts'
import type { ServedWorld } from './world.ts'

/** The certificate of the webhook, while it runs. */
export type Certificate = {
  readonly material: TlsMaterial
  /** Gives every later certificate to the server. */
  follow(serving: Pick<Serving, 'useCertificate'>): void
  /** Why clients cannot trust the certificate yet; undefined once they can. */
  notReady(): string | undefined
  /** What the user has to do with it, as text to print; empty where there is nothing to do. */
  advice(port: number): string
  stop(): void
}

type CertificateContext = { readonly log: Log; readonly ownCluster: ServedWorld['ownCluster'] }

/**
 * Reads `--cert` and `--key`; without them the Secret of the cluster in which this runs; elsewhere creates a certificate.
 * Throws {@link InputError}.
 */
export async function openCertificate(
  io: Io,
  args: ServeFlags,
  { log, ownCluster }: CertificateContext,
): Promise<Certificate> {
  const [cert, key] = [args.value('cert'), args.value('key')]
  if ((cert === undefined) !== (key === undefined)) throw new InputError('--cert and --key must be used together')
  if (cert !== undefined && key !== undefined)
    return fromFiles({ cert: resolve(io.cwd, cert), key: resolve(io.cwd, key) }, log)
  const own = await createCertificate(args.value('host'), log)
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
      const onProblem = (error: unknown) =>
        log.warn({ ...files, error }, 'the new certificate cannot be used; the old one stays in use')
      stop = watchTlsFiles({ files, onChange, onProblem }, material)
    },
    stop: () => stop(),
  }
}

function opened(files: TlsFiles): TlsMaterial {
  try {
    return readTlsFiles(files)
  } catch (error) {
    throw new InputError(
      systemErrorCode(error) === undefined
        ? `--cert ${files.cert}, --key ${files.key}: ${describeFileError(error)}`
        : describeFileError(error),
    )
  }
}

async function createCertificate(host = '::', log: Log): Promise<Certificate> {
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
        failed: (reason) => log.warn({ reason }, 'the certificate could not be renewed; will try again'),
      })
    },
    notReady: () => undefined,
    advice: (port) => adviceFor(port, authority),
    stop: () => keeper?.stop(),
  }
}

const adviceFor = (port: number, authority: string): string =>
  `sluice: the certificate was created for this run; to trust it, a webhook configuration needs
  clientConfig:
    url: https://localhost:${port}/validate
    caBundle: ${Buffer.from(authority).toString('base64')}
sluice: use --cert and --key for a certificate of yours; "sluice manifests" prints what an installation in a cluster needs
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

/** The certificate that all replicas share; until it can be read, `first`, which no client trusts. */
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
  let isShared = false
  return {
    material: first.material,
    notReady: () => (isShared ? undefined : 'waiting for the certificate that all replicas share'),
    advice: () => '',
    follow(serving) {
      keeper = keepCertificates({
        kubeconfig,
        clock: systemClock,
        secret: { namespace, name: NAMES.tls },
        configurations: { validating: [NAMES.validating], mutating: [NAMES.mutating] },
        names: serviceNames(NAMES.admission, namespace),
        serve(material) {
          isShared = true
          serving.useCertificate(material)
          log.info({ secret: NAMES.tls, namespace }, 'a new certificate is in use')
        },
        failed: (reason) => log.warn({ reason }, 'the certificates could not be checked or renewed; will try again'),
      })
    },
    stop: () => keeper?.stop(),
  }
}
