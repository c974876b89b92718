/** AdmissionReviews and the webhook that responds to them, within the test. */
import request from 'supertest'
import { RULES } from '../../rules/index.ts'
import type { AdmissionResponse } from '../../src/admission/response.ts'
import { createReviewer } from '../../src/admission/reviewer.ts'
import type { AnyRule } from '../../src/engine/rule.ts'
import type { Log } from '../../src/http/log.ts'
import { createMetrics } from '../../src/http/metrics.ts'
import { SYSTEMS } from '../../src/registry.ts'
import { createAdmissionApp } from '../../src/servers/admission/app.ts'
import type { MeshView } from '../../src/servers/admission/inject-pod.ts'
import {
  type AdmissionSettings,
  DEFAULT_ADMISSION,
  DEFAULT_PROJECT,
  type Settings,
} from '../../src/settings/settings.ts'
import type { System } from '../../src/world/system.ts'
import type { ClusterView, World } from '../../src/world/world.ts'
import { unknownWorld } from '../subjects.ts'

export type Wishes = {
  readonly admission?: Partial<AdmissionSettings>
  readonly settings?: Settings
  readonly rules?: readonly AnyRule[]
  readonly systems?: readonly System[]
  /** What there is, or what there is at the time of each review. */
  readonly world?: World | (() => World)
  readonly notSynced?: readonly string[]
  readonly mesh?: MeshView
}

type Line = { readonly level: string; readonly message: string; readonly fields: Readonly<Record<string, unknown>> }

/** The time of all reviews. */
export const NOW = Date.parse('2026-07-01T12:00:00Z')

const keep =
  <Value>(value: Value) =>
  () =>
    value

/** A webhook with what it logs and counts. */
export function createWebhook({
  admission,
  settings,
  rules = RULES,
  systems = SYSTEMS,
  world,
  notSynced = [],
  mesh,
}: Wishes = {}) {
  const lines: Line[] = []
  const logAs = (level: string) => (fields: Readonly<Record<string, unknown>>, message: string) =>
    void lines.push({ level, message, fields })
  const log: Log = { debug: logAs('debug'), info: logAs('info'), warn: logAs('warn'), error: logAs('error') }
  const metrics = createMetrics('0.1.0')
  const project = {
    ...DEFAULT_PROJECT,
    settings: settings ?? DEFAULT_PROJECT.settings,
    admission: { ...DEFAULT_ADMISSION, ...admission },
  }
  const reviewer = createReviewer(project, { rules, systems })
  const known = world ?? unknownWorld()
  const viewOf = (seen: World): ClusterView => ({ world: seen, synced: notSynced.length === 0, notSynced })
  const view = typeof known === 'function' ? () => viewOf(known()) : keep(viewOf(known))
  const app = createAdmissionApp({
    reviewer: () => reviewer,
    world: view,
    mesh: mesh && (() => mesh),
    log,
    metrics,
    now: () => performance.now(),
    wallClock: () => NOW,
    isClosing: () => false,
  })
  const ask = async (path: string, review: unknown): Promise<AdmissionResponse> => {
    const { body, status } = await request(app)
      .post(path)
      .set('content-type', 'application/json')
      .send(JSON.stringify(review))
    if (status !== 200) throw new Error(`${status}: ${body.message}`)
    return body.response
  }
  return { app, ask, lines, metrics }
}

/** A review; by default of a new object. */
export const reviewOf = (request: Readonly<Record<string, unknown>>) => ({
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: '0b5f', operation: 'CREATE', namespace: 'shop', name: 'coffee', dryRun: false, ...request },
})

const ROUTE = { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'coffee' }

type Parts = {
  readonly rules?: readonly object[]
  readonly targetRefs?: readonly object[]
  readonly metadata?: object
  /** What stands beside `local`. */
  readonly [setting: string]: unknown
}

/** A good policy around what matters. */
export const policyOf = ({ rules, targetRefs, metadata, ...settings }: Parts = {}) => ({
  apiVersion: 'gateway.nginx.org/v1alpha1',
  kind: 'RateLimitPolicy',
  metadata: { name: 'coffee', namespace: 'shop', ...metadata },
  spec: {
    targetRefs: targetRefs ?? [ROUTE],
    rateLimit: {
      ...settings,
      local: { rules: rules ?? [{ key: '$binary_remote_addr', rate: '10r/s', zoneSize: '10m' }] },
    },
  },
})
