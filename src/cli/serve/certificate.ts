/** A server's certificate: from files, from a Secret of the cluster, or of our own making. */
import { resolve } from 'node:path'
import type { Configurations } from '../../cluster/certificates/ca-bundle.ts'
import { readSmallText } from '../../disk/read-regular-file.ts'
import type { Serving, TlsMaterial } from '../../http/listen.ts'
import type { Log } from '../../http/log.ts'
import { type Metrics, registerRepairs } from '../../http/metrics.ts'
import { readTlsFiles, type TlsFiles, watchTlsFiles } from '../../http/watched-files.ts'
import { NAMES } from '../../installation/object.ts'
import { describeFileError, systemErrorCode } from '../../text/system-error.ts'
import type { Args } from '../core/flags.ts'
import { InputError, type Io } from '../core/io.ts'
import { openKeptAuthority } from './kept-authority.ts'
import type { ServedCluster } from './world.ts'

/** The certificate of a server, while it runs. */
export type Certificate = {
  readonly material: TlsMaterial
  /** Gives every later certificate to the server. */
  follow(serving: Pick<Serving, 'useCertificate'>): void
  /** Why clients cannot trust the certificate yet; undefined once they can. */
  notReady(): string | undefined
  /** The authority (PEM) that signed it, where both are of our own making. */
  readonly authority?: string
  /** What the user of a webhook has to do with it, as text to print; empty where there is nothing to do. */
  advice(port: number): string
  stop(): void
}

/** Where all replicas in a cluster share a certificate, and who must trust it. */
type SharedCertificate = {
  readonly kubeconfig: NonNullable<ServedCluster['ownCluster']>
  /** The Service by whose names clients call the server. */
  readonly service: string
  /** In the namespace of this process. */
  readonly secret: string
  readonly configurations: Configurations
}

type CertificateContext = {
  readonly log: Log
  readonly metrics: Metrics
  /** Undefined where this does not run in a cluster. */
  readonly shared: SharedCertificate | undefined
  /** The file in which the authority of a certificate of our own is kept; undefined: there is one for each run. */
  readonly keptIn?: string | undefined
}

/** Where the authority is kept of a server with this state file. */
export const authorityFile = (state: string): string => `${state}.authority.pem`

/**
 * Reads `--cert` and `--key`; without them the Secret of the cluster in which this runs; elsewhere creates a certificate.
 * Throws {@link InputError}.
 */
export async function openCertificate(
  io: Io,
  args: Args<'cert' | 'key' | 'host'>,
  { log, metrics, shared, keptIn }: CertificateContext,
): Promise<Certificate> {
  const [cert, key] = [args.value('cert'), args.value('key')]
  if ((cert === undefined) !== (key === undefined)) throw new InputError('--cert and --key must be used together')
  if (cert !== undefined && key !== undefined)
    return fromFiles({ cert: resolve(io.cwd, cert), key: resolve(io.cwd, key) }, log)
  const own = await createCertificate(args.value('host'), { log, keptIn: shared ? undefined : keptIn })
  return shared ? await fromSecret(own, shared, { log, metrics }) : own
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

async function createCertificate(
  host = '::',
  { log, keptIn }: Pick<CertificateContext, 'log' | 'keptIn'>,
): Promise<Certificate> {
  const { createOwnCertificate } = await import('../../cluster/certificates/certificates.ts')
  const { systemClock } = await import('../../cluster/client/clock.ts')
  const isEverywhere = host === '::' || host === '0.0.0.0'
  const names = new Set(['localhost', '127.0.0.1', '::1', ...(isEverywhere ? [] : [host])])
  const { material, authority, keep } = await createOwnCertificate(
    [...names],
    systemClock,
    keptIn === undefined ? undefined : openKeptAuthority(keptIn, log),
  )
  let keeper: { stop(): void } | undefined
  return {
    material,
    authority,
    follow(serving) {
      keeper = keep({
        serve(next) {
          serving.useCertificate(next)
          log.info({}, 'a new certificate is in use')
        },
        announce: (bundle) =>
          log.warn(
            { caBundle: encoded(bundle) },
            'a new authority will sign later certificates: write this caBundle, which has both, within a year',
          ),
        failed: (reason) => log.warn({ reason }, 'the certificate could not be renewed; will try again'),
      })
    },
    notReady: () => undefined,
    advice: (port) => adviceFor(port, authority),
    stop: () => keeper?.stop(),
  }
}

const encoded = (bundle: string): string => Buffer.from(bundle).toString('base64')

const adviceFor = (port: number, authority: string): string =>
  `sluice: the certificate was created for this run; to trust it, a webhook configuration needs
  clientConfig:
    url: https://localhost:${port}/validate
    caBundle: ${encoded(authority)}
sluice: use --cert and --key for a certificate of yours; "sluice manifests" prints what an installation in a cluster needs
`

const CREATED = 'sluice: the certificate was created for this run'

/** What the user of an API has to do with a certificate of our own making; `authority` (PEM), which may be kept, has signed it. */
export const trustAdvice = (authority: string, keptIn: string | undefined): string =>
  `${keptIn === undefined ? CREATED : `sluice: the certificate is signed by the authority that is kept in ${keptIn}`}; clients trust it with this authority (curl --cacert FILE):
${authority}sluice: use --cert and --key for a certificate of yours
`

const NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace'

/** The namespace in which this process runs; `otherwise` where that cannot be read. */
export function ownNamespace(otherwise: string = NAMES.namespace): string {
  try {
    return readSmallText(NAMESPACE_FILE).trim() || otherwise
  } catch {
    return otherwise
  }
}

/** The certificate that all replicas share; until it can be read, `first`, which no client trusts. */
async function fromSecret(
  first: Certificate,
  { kubeconfig, service, secret, configurations }: SharedCertificate,
  { log, metrics }: Pick<CertificateContext, 'log' | 'metrics'>,
): Promise<Certificate> {
  const { watchBundles } = await import('../../cluster/certificates/ca-bundle.ts')
  const { keepCertificates } = await import('../../cluster/certificates/keep-certificates.ts')
  const { serviceNames } = await import('../../cluster/certificates/certificates.ts')
  const { systemClock } = await import('../../cluster/client/clock.ts')
  const namespace = ownNamespace()
  const countRepair = registerRepairs(metrics)
  let stop = (): void => undefined
  let isShared = false
  return {
    material: first.material,
    notReady: () => (isShared ? undefined : 'waiting for the certificate that all replicas share'),
    advice: () => '',
    follow(serving) {
      const keeper = keepCertificates({
        kubeconfig,
        clock: systemClock,
        secret: { namespace, name: secret },
        configurations,
        names: serviceNames(service, namespace),
        serve(material) {
          serving.useCertificate(material)
          isShared = true
          log.info({ secret, namespace }, 'a new certificate is in use')
        },
        failed: (reason) => log.warn({ reason }, 'the certificates could not be checked or renewed; will try again'),
        repaired(object, times) {
          countRepair(object)
          log.warn({ object, times }, 'another client had changed the caBundle; it is written again')
        },
      })
      const changed = (): void => {
        const bundle = keeper.bundle()
        if (bundle !== undefined && bundles.hasOther(bundle)) keeper.bundleChanged()
      }
      const bundles = watchBundles(kubeconfig, { configurations, clock: systemClock, changed })
      stop = () => {
        bundles.stop()
        keeper.stop()
      }
    },
    stop: () => stop(),
  }
}
