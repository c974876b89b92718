/** Messages that the text of a fixture cannot show: of bytes, of sizes, and of what a tenant must not know. */
import targetNamespace from '../../rules/gateway/target-namespace.ts'
import { createJudge } from '../../src/engine/run.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { decodeText } from '../../src/yaml/decode.ts'
import { gateway } from '../gateway/objects.ts'
import { subjectsIn, worldOfObjects } from '../subjects.ts'
import { askAbout } from './ask.ts'

/** A message, and what is found before and after its remedy is carried out: ids of messages. */
type Elsewhere = {
  readonly rule: string
  readonly id: string
  before(): readonly string[]
  after(): readonly string[]
}

const policy = (name: string, namespace = 'shop', more = ''): string => `apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata: { name: ${name}, namespace: ${namespace} }
spec:
  targetRefs: [{ group: gateway.networking.k8s.io, kind: Gateway, name: edge }]
  rateLimit: { local: { rules: [{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }] } }
${more}`

const found = (source: Parameters<typeof askAbout>[0]) => askAbout(source).findings.map(({ id }) => id)

/** More than half of what a document may have. */
const HALF = `# ${'x'.repeat(9 * 1024 ** 2)}\n`
const large = (...texts: readonly string[]) => found({ file: 'large.yaml', text: texts.join('---\n') })

const encoded = (encoding: BufferEncoding) =>
  found({ file: 'coffee.yaml', ...decodeText(Buffer.from(policy('coffee', 'shop', '# café\n'), encoding)) })

/** What a tenant is told of a policy whose Gateway is in another namespace. */
function toldTenant(namespace: string): readonly string[] {
  const world = worldOfObjects(gateway('edge', undefined, 'infra').object).forTenant()
  const judge = createJudge({ rules: [targetNamespace], settings: DEFAULT_SETTINGS })
  const subjects = subjectsIn([{ file: 'edge.yaml', text: policy('edge', namespace) }])
  return subjects.flatMap((subject) => judge({ ...subject, world })).map(({ message }) => message)
}

export const ELSEWHERE: readonly Elsewhere[] = [
  {
    rule: 'document/unreadable',
    id: 'large',
    before: () => large(policy('coffee') + HALF + HALF),
    after: () => large(policy('coffee') + HALF, policy('tea') + HALF),
  },
  {
    rule: 'document/unreadable',
    id: 'encoding',
    before: () => encoded('latin1'),
    after: () => encoded('utf8'),
  },
  {
    rule: 'gateway/target-namespace',
    id: 'elsewhere-unnamed',
    before: () => toldTenant('shop'),
    after: () => toldTenant('infra'),
  },
]
