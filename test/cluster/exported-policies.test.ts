/** `sluice export validating-admission-policy` as a user installs it, in the real API server. */
import { beforeAll, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/member.ts'
import { sluice } from '../cli/run.ts'
import { useCluster } from './cluster.ts'
import { isDenied, withMetadata } from './policy-requests.ts'
import { limit, limited, namespace, policy, until } from './resources.ts'

const LARGE = 'large'
const { kubectl, store, write } = useCluster({
  objects: [namespace('shop'), namespace(LARGE), namespace('free', { 'sluice.policy/enforce': 'off' })],
})

/** The policies as a user installs them, with flags. */
async function installed(...flags: readonly string[]): Promise<string> {
  const { stdout } = await sluice(['export', 'validating-admission-policy', ...flags])
  return stdout
}

const rateOf = (name: string, rate: string, space: string, metadata: JsonObject = {}) => {
  const object = limited(name, { rate }, space)
  return { ...object, metadata: { ...object.metadata, ...metadata } }
}

const SHAPES = ['quoted and escaped', 'of variables', 'of backslashes', 'not closed'] as const

beforeAll(async () => {
  expect(await write('POST', rateOf('old', '0r/s', 'shop'), '')).toMatchObject({ status: 201 })
  for (const shape of SHAPES) {
    const answer = await write('POST', largest(shape, 'a'), '')
    expect(answer).toMatchObject({ status: 201, message: '' })
    stored.set(shape, answer.resourceVersion ?? '')
  }
  await store(await installed())
  // Each binding comes into force on its own: that which denies, and that which warns.
  await until('they are in force', async () => {
    const { warnings } = await write('POST', weak())
    return warnings.length > 0 && isDenied(await write('POST', rateOf('new', '0r/s', 'shop')))
  })
})

/** A policy without limits. */
const weak = (metadata: JsonObject = {}) => ({
  ...rateOf('weak', '10r/s', 'shop', metadata),
  spec: policy('weak', ['Gateway/edge'], { local: { rules: [] } }).spec,
})

/** The versions of what is stored before there is any policy. */
const stored = new Map<string, string>()

it('the policies are unchanged when they are applied again, and show no drift', async () => {
  const text = await installed()
  expect((await store(text)).trim().split('\n')).toEqual(Array(4).fill(expect.stringMatching(/ unchanged$/)))
  const { code, stdout } = await kubectl(['diff', '-f', '-'], text)
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
})

it('the policies answer as the API server does to an invalid object, with the message of the webhook', async () => {
  const { status, message } = await write('POST', rateOf('new', '0r/s', 'shop'))
  expect(status).toBe(422)
  expect(message).toContain(
    'denied request: RateLimitPolicy "shop/new" is denied: spec.rateLimit.local.rules[0].rate: nginx refuses the rate "0r/s"',
  )
  expect(message).toMatch(/\[gateway\/rate-zero\]$/)
})

it('the policies are asked only about what the schema of the CRD accepts', async () => {
  const { message } = await write('POST', { ...rateOf('new', '0r/s', 'shop'), spec: { targetRefs: 'edge' } })
  expect(message).toContain('spec.targetRefs in body must be of type array')
  expect(message).not.toContain('denied request')
})

it('the policies let an old error stay, and deny a new one beside it', async () => {
  const change = (rate: string) =>
    kubectl([...'patch ratelimitpolicy old -n shop --type=merge --dry-run=server -p'.split(' '), rate])
  const spec = (rules: readonly object[]) =>
    JSON.stringify({ spec: { rateLimit: { rejectCode: 429, local: { rules } } } })
  expect((await change(spec([limit({ rate: '0r/s' })]))).code).toBe(0)
  const { code, stderr } = await change(spec([limit({ rate: '0r/s' }), limit({ rate: '00r/m' })]))
  expect(code).toBe(1)
  expect(stderr).toContain('spec.rateLimit.local.rules[1].rate: ')
  expect(stderr).not.toContain('rules[0]')
})

it('the policies leave out namespaces in which nothing is enforced', async () =>
  expect((await write('POST', rateOf('new', '0r/s', 'free'))).status).toBe(201))

it('the policies warn, unless the object has the annotation that ignores the rule', async () => {
  const { status, warnings } = await write('POST', weak())
  expect(status).toBe(201)
  expect(warnings).toEqual([
    expect.stringMatching(/: spec\.rateLimit\.local\.rules: the policy limits nothing: .* \[gateway\/no-limits\]$/),
  ])
  for (const named of ['gateway/shared-budget, gateway/no-limits -- tomorrow', 'no-limits until=2999-01-01']) {
    const annotations = { 'sluice.policy/ignore': named }
    expect((await write('POST', weak({ annotations }))).warnings).toEqual([])
  }
})

it.each(SHAPES)(
  'the policies have a verdict on the largest policies that an API server stores, with keys %s',
  async (shape) => {
    const resourceVersion = stored.get(shape) ?? ''
    const [created, changed] = [
      await write('POST', withMetadata(largest(shape, 'b'), { name: 'other' })),
      await write('PUT', withMetadata(largest(shape, 'b'), { resourceVersion })),
    ]
    for (const { message, warnings } of [created, changed])
      expect(`${message} ${warnings.join()}`).not.toMatch(/cost|budget|evaluat|failed expression|no such|described by/)
    const isReadable = shape !== 'not closed'
    expect(isDenied(created)).toBe(!isReadable)
    if (isReadable) expect(changed.message).toMatch(/rules\[0\]\.key: the key changes from .*; and \d+ more$/)
  },
)

it('the policies only warn with --enforce warn, and are silent with --enforce audit', async () => {
  await store(await installed('--enforce', 'warn'))
  await until('errors warn', async () => (await write('POST', rateOf('new', '0r/s', 'shop'))).status === 201)
  const { warnings } = await write('POST', rateOf('new', '0r/s', 'shop'))
  expect(warnings).toEqual([expect.stringContaining('RateLimitPolicy "shop/new" would be denied: spec.rateLimit')])
  await store(await installed('--enforce', 'audit'))
  await until('nothing is said', async () => (await write('POST', rateOf('new', '0r/s', 'shop'))).warnings.length === 0)
  expect((await write('POST', rateOf('new', '0r/s', 'shop'))).status).toBe(201)
})

/** The longest keys, made to be slow to read. */
const KEYS = {
  'quoted and escaped': (end: string) => `"${'\\\\'.repeat(1000)}${'$uri:'.repeat(400)}${end}"`,
  'of variables': (end: string) => `${'$uri'.repeat(1020)}${end}`,
  'of backslashes': (end: string) => `${'\\\\'.repeat(2040)}${end}`,
  'not closed': (end: string) => `'${'$uri\\'.repeat(800)}${end}`,
} as const
type Shape = keyof typeof KEYS

/** A policy near the limit of etcd, 1.5 MB: more limits than are judged. */
function largest(shape: Shape, end: string): JsonObject {
  const key = KEYS[shape](end)
  const count = Math.floor(1_350_000 / (JSON.stringify(key).length + 200))
  const rules = Array.from({ length: count }, () => ({ key, rate: `${'0'.repeat(80)}1r/s`, zoneSize: '10m' }))
  return policy(shape.replaceAll(' ', '-'), ['Gateway/edge'], { local: { rules } }, LARGE)
}
