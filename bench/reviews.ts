/** The review that every server of the benchmarks is asked, and how `wrk` sends it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const POLICY = {
  apiVersion: 'gateway.nginx.org/v1alpha1',
  kind: 'RateLimitPolicy',
  metadata: {
    name: 'coffee',
    namespace: 'shop',
    uid: '0f4b5cf7-2c5f-4a3b-9f0e-3f0a0a9c6a11',
    resourceVersion: '48151',
    creationTimestamp: '2026-01-01T00:00:00Z',
    annotations: { 'example.com/owner': 'a team of the shop '.repeat(14) },
  },
  spec: {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'coffee' }],
    rateLimit: {
      rejectCode: 429,
      local: {
        rules: [
          { key: '$binary_remote_addr', rate: '10r/s', zoneSize: '10m', burst: 20, noDelay: true },
          { key: '$binary_remote_addr$uri', rate: '5r/s', zoneSize: '10m', burst: 10 },
        ],
      },
    },
  },
}

/** An update that changes nothing, of about 2 kB; its policy targets the HTTPRoute `coffee` of namespace `shop`. */
const REVIEW = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: {
    uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
    kind: { group: 'gateway.nginx.org', version: 'v1alpha1', kind: 'RateLimitPolicy' },
    operation: 'UPDATE',
    namespace: 'shop',
    name: 'coffee',
    userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
    object: POLICY,
    oldObject: POLICY,
    dryRun: false,
  },
}

/** As kubectl applied it, with another rate. */
function appliedPolicy(rate: string): object {
  const [first, ...others] = POLICY.spec.rateLimit.local.rules
  const rateLimit = { ...POLICY.spec.rateLimit, local: { rules: [{ ...first, rate }, ...others] } }
  const { uid: _, resourceVersion: __, creationTimestamp: ___, ...metadata } = POLICY.metadata
  const policy = { ...POLICY, spec: { ...POLICY.spec, rateLimit } }
  const text = JSON.stringify({ ...policy, metadata })
  const annotations = { ...metadata.annotations, 'kubectl.kubernetes.io/last-applied-configuration': text }
  return { ...policy, metadata: { ...POLICY.metadata, annotations } }
}

/** Reviews of what `kubectl apply` does: a new policy, and one that gets another rate. */
export const CREATION = {
  ...REVIEW,
  request: { ...REVIEW.request, operation: 'CREATE', object: appliedPolicy('10r/s'), oldObject: null },
}
export const CHANGE = {
  ...REVIEW,
  request: { ...REVIEW.request, object: appliedPolicy('20r/s'), oldObject: appliedPolicy('10r/s') },
}

/** A review of an update that changes nothing. */
export const reviewOf = (object: { readonly metadata: { readonly name: string; readonly namespace?: string } }) => ({
  ...REVIEW,
  request: { ...REVIEW.request, ...object.metadata, object, oldObject: object },
})

type ScriptOptions = {
  /** Milliseconds that each connection waits, on average, before it asks again. */
  readonly pause?: number
  /** Asked in turns. */
  readonly reviews?: readonly object[]
  /** Of the file. */
  readonly name?: string
}

/** Writes the script by which `wrk` sends reviews, and gives its path. */
export function writeScript(
  folder: string,
  { pause = 0, reviews = [REVIEW], name = 'review' }: ScriptOptions = {},
): string {
  const path = join(folder, `${name}-${pause}-${reviews.length}.lua`)
  const lines = [
    'local headers = { ["Content-Type"] = "application/json" }',
    `local bodies = { ${reviews.map((review) => `[==[${JSON.stringify(review)}]==]`).join(', ')} }`,
    'local requests, sent = {}, 0',
    'function init() for at, body in ipairs(bodies) do requests[at] = wrk.format("POST", nil, headers, body) end end',
    'function request() sent = sent + 1; return requests[(sent - 1) % #requests + 1] end',
    ...(pause > 0 ? [`function delay() return math.random(0, ${2 * pause}) end`] : []),
  ]
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}
