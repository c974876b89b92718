/**
 * Replicas that share their certificates through the Secret of a real cluster, in this process: each with a clock that a
 * test moves, all behind one address.
 */
import { RULES } from '../../rules/index.ts'
import { createReviewer } from '../../src/admission/reviewer.ts'
import { keepCertificates } from '../../src/cluster/certificates/keep-certificates.ts'
import { readSecret } from '../../src/cluster/certificates/secret.ts'
import { clusterOfFile } from '../../src/cluster/client/kubeconfig.ts'
import { createAuthority, issueServing } from '../../src/http/authority.ts'
import type { TlsMaterial } from '../../src/http/listen.ts'
import { createMetrics } from '../../src/http/metrics.ts'
import { SYSTEMS } from '../../src/registry.ts'
import { serveAdmission } from '../../src/servers/admission/serve.ts'
import { DEFAULT_PROJECT } from '../../src/settings/settings.ts'
import { unknownWorld } from '../subjects.ts'
import { installWebhooks } from './admission-server.ts'
import { createClock } from './clock.ts'
import type { ControlPlane } from './control-plane.ts'
import { createKubectl, type Kubectl, must } from './kubectl.ts'
import { BROKEN, until } from './resources.ts'
import { ADMIN } from './users.ts'
import { layWire } from './wire.ts'

export const MINUTE = 60_000
export const HOST = '127.0.0.1'
const NAMES = [HOST, 'localhost']
const SECRET = { namespace: 'sluice-system', name: 'sluice-admission-tls' }

/** One replica. */
export type Replica = Awaited<ReturnType<typeof startReplica>>

const silent = () => {}
const log = { debug: silent, info: silent, warn: silent, error: silent }

/** A server with a certificate that no client trusts until it has the one of the Secret. */
export async function startReplica(plane: ControlPlane, begin: number, kubeconfig = plane.kubeconfig(ADMIN)) {
  const own = { from: Date.now() - MINUTE, until: Date.now() + 60 * MINUTE }
  const reviewer = createReviewer(DEFAULT_PROJECT, { rules: RULES, systems: SYSTEMS })
  const view = { world: unknownWorld(), synced: true, notSynced: [] }
  const serving = await serveAdmission({
    ...{ host: HOST, port: 0, healthPort: 0, log, metrics: createMetrics('0.1.0') },
    material: await issueServing(await createAuthority('nobody', own), NAMES, own),
    reviewer: () => reviewer,
    world: () => view,
    notReady: () => undefined,
    now: () => performance.now(),
    wallClock: Date.now,
  })
  const time = createClock(begin)
  const served: TlsMaterial[] = []
  const failures: string[] = []
  const keeper = keepCertificates({
    kubeconfig: clusterOfFile(kubeconfig),
    clock: time.clock,
    secret: SECRET,
    configurations: { validating: ['sluice-validating'], mutating: ['sluice-mutating'] },
    names: NAMES,
    serve(material) {
      served.push(material)
      serving.useCertificate(material)
    },
    failed: (reason) => failures.push(reason),
    repaired: () => {},
  })
  /** Ends it; drains for some milliseconds before. */
  const stop = async (drain = 0) => {
    keeper.stop()
    await serving.stop({ drain, grace: 1000 })
  }
  return { port: serving.port, time, served, failures, stop }
}

/** Replicas behind one address, of which the webhook configurations tell the API server. */
export type Replicas = Awaited<ReturnType<typeof startReplicas>>

/** Starts as many replicas as there are clocks: when each begins, in milliseconds since 1970. */
export async function startReplicas(
  plane: ControlPlane,
  { begins, failurePolicy }: { readonly begins: readonly number[]; readonly failurePolicy: 'Fail' | 'Ignore' },
) {
  const kubectl = createKubectl(plane.kubeconfig(ADMIN))
  const all = await Promise.all(begins.map((begin) => startReplica(plane, begin)))
  const wire = await layWire(...all.map(({ port }) => `https://${HOST}:${port}`))
  await installWebhooks(kubectl, { port: Number(new URL(wire.url).port), failurePolicy })
  const settled = () => until('the replicas are done', () => all.every(({ time }) => time.isIdle()))
  await settled()
  return {
    all,
    /** Moves all clocks, one after the other. */
    async advance(milliseconds: number): Promise<void> {
      for (const { time } of all) {
        time.advance(milliseconds)
        await settled()
      }
    },
    /** The certificate that each serves. */
    serials: () => all.map(({ served }) => served.at(-1)?.cert),
    async stop(): Promise<void> {
      for (const { stop } of all) await stop()
      await wire.stop()
      await must(kubectl('delete validatingwebhookconfigurations,mutatingwebhookconfigurations --all'))
      await must(kubectl('delete secret sluice-admission-tls -n sluice-system --ignore-not-found'))
    },
  }
}

/** Waits until the webhook denies. */
export const guarded = (kubectl: Kubectl) =>
  until('the webhook denies', async () =>
    (await kubectl('apply --dry-run=server -f -', [BROKEN])).stderr.includes('rules[0].rate'),
  )

/** The certificates in the Secret. */
export const stored = async (kubectl: Kubectl) =>
  readSecret(JSON.parse(await must(kubectl('get secret sluice-admission-tls -n sluice-system -o json'))))

/** The authorities that the API server trusts (PEM). */
export const trusted = async (kubectl: Kubectl) =>
  Buffer.from(
    await must(
      kubectl('get validatingwebhookconfiguration sluice-validating -o jsonpath={.webhooks[0].clientConfig.caBundle}'),
    ),
    'base64',
  ).toString()
