/** Messages that the text of a fixture cannot show: of bytes, sizes, kustomizations, small texts, and of what a tenant must not know. */
import targetNamespace from '../../rules/gateway/target-namespace.ts'
import { createJudge } from '../../src/engine/run.ts'
import { createBuilder } from '../../src/kustomize/build.ts'
import { withKustomizations } from '../../src/project/kustomize.ts'
import type { Source } from '../../src/project/source.ts'
import { MENTIONS } from '../../src/registry.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { decodeText } from '../../src/yaml/decode.ts'
import { createTexts } from '../../src/yaml/documents.ts'
import { gateway } from '../gateway/objects.ts'
import { subjectsIn, worldOfObjects } from '../subjects.ts'
import { casesOf } from '../support/cases.ts'
import { askAbout } from './ask.ts'
import { SYNTAX_CASES } from './syntax-cases.ts'

/** A message, and what is found before and after its remedy is carried out: ids of messages. */
type Elsewhere = {
  /** Where a message has several. */
  readonly written?: string
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

const foundIn = (sources: Parameters<typeof askAbout>[0]) => askAbout(sources).findings.map(({ id }) => id)
const found = (source: Source) => foundIn([source])

/** More than half of what a document may have. */
const HALF = `# ${'x'.repeat(9 * 1024 ** 2)}\n`
const large = (...texts: readonly string[]) => found({ file: 'large.yaml', text: texts.join('---\n') })

const encoded = (encoding: BufferEncoding) =>
  found({ file: 'coffee.yaml', ...decodeText(Buffer.from(policy('coffee', 'shop', '# café\n'), encoding)) })

/** What a tenant is shown about a policy whose Gateway is in another namespace. */
function foundByTenant(namespace: string): readonly string[] {
  const world = worldOfObjects(gateway('edge', undefined, 'infra').object).forTenant()
  const judge = createJudge({ rules: [targetNamespace], settings: DEFAULT_SETTINGS })
  const subjects = subjectsIn([{ file: 'edge.yaml', text: policy('edge', namespace) }])
  return subjects.flatMap((subject) => judge({ ...subject, world })).map(({ message }) => message)
}

const REFERENCES = `nameReference:
- kind: Gateway
  fieldSpecs:
  - { kind: RateLimitPolicy, path: spec/targetRefs/name }
`

/** What is found in a kustomization of two files, each with a policy of one of these names. */
const foundInTwo = (...names: readonly string[]): readonly string[] =>
  askAbout([
    {
      file: 'kustomization.yaml',
      text: 'resources: [0.yaml, 1.yaml]\n',
      world: 'eu',
      isPart: true,
      builds: [{ folder: '.', createBuilder }],
    },
    ...names.map((name, index) => ({ file: `${index}.yaml`, text: policy(name), isPart: true })),
  ]).findings.flatMap(({ id, finding }) => (finding.rule === 'gateway/duplicate-object' ? [id] : []))

/** What is found in a kustomization that puts a prefix before the names of a policy and its Gateway. */
function foundInBuild(configurations: string): readonly string[] {
  const text = `namePrefix: eu-\nresources: [policy.yaml, gateway.yaml]\n${configurations}`
  const parts = { 'policy.yaml': policy('coffee'), 'gateway.yaml': JSON.stringify(gateway('edge').object) }
  return foundIn([
    { file: 'kustomization.yaml', text, world: 'eu', isPart: true, builds: [{ folder: '.', createBuilder }] },
    ...Object.entries({ ...parts, 'names.yaml': REFERENCES }).map(([file, content]) => ({
      file,
      text: content,
      world: 'eu',
      isPart: true,
    })),
  ])
}

/** Files with their texts before and after the remedy: undefined for one that is not there; `POLICY` is one of this name. */
type Refused = Readonly<Record<string, readonly (readonly [string, string | undefined, string | undefined])[]>>
const REFUSED = casesOf(import.meta.url).cases<Refused>('refused')
const filled = (text: string | undefined) => text?.replace(/^POLICY (\S+)$/, (_, name: string) => policy(name))

/** What is wrong with the text itself. */
const inDocument = (text: string) =>
  askAbout([{ file: 'a.yaml', text }])
    .findings.filter(({ finding }) => finding.rule.startsWith('document/'))
    .map(({ id }) => id)

const SYNTAX = SYNTAX_CASES.map(({ cause, written, broken, cured }) => ({
  rule: 'document/syntax',
  id: cause,
  written,
  before: () => inDocument(broken),
  after: () => cured.flatMap(inDocument),
}))

const refusedIn = (files: readonly (readonly [string, string | undefined])[]) => {
  const sources = files.flatMap(([file, text]) => (text === undefined ? [] : [{ file, text }]))
  const built = withKustomizations({ sources, texts: createTexts() }, MENTIONS)
  return askAbout(built).findings.flatMap(({ id, finding }) => (finding.rule === 'document/kustomization' ? [id] : []))
}

const KUSTOMIZATION = Object.entries(REFUSED).map(([id, files]) => ({
  rule: 'document/kustomization',
  id,
  before: () => refusedIn(files.map(([file, before]) => [file, filled(before)])),
  after: () => refusedIn(files.map(([file, , after]) => [file, filled(after)])),
}))

export const ELSEWHERE: readonly Elsewhere[] = [
  ...SYNTAX,
  ...KUSTOMIZATION,
  {
    rule: 'document/unreadable',
    id: 'large',
    before: () => large(policy('coffee') + HALF + HALF),
    after: () => large(policy('coffee') + HALF, policy('tea') + HALF),
  },
  { rule: 'document/unreadable', id: 'encoding', before: () => encoded('latin1'), after: () => encoded('utf8') },
  {
    rule: 'gateway/duplicate-object',
    id: 'built',
    before: () => foundInTwo('coffee', 'coffee'),
    after: () => foundInTwo('coffee', 'tea'),
  },
  {
    rule: 'gateway/target-namespace',
    id: 'elsewhere-unnamed',
    before: () => foundByTenant('shop'),
    after: () => foundByTenant('infra'),
  },
  {
    rule: 'gateway/target-not-found',
    id: 'not-renamed',
    before: () => foundInBuild(''),
    after: () => foundInBuild('configurations: [names.yaml]\n'),
  },
]
