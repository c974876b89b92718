/** Repositories with a base and overlays, made at random: what each kustomization does, and to which objects. */
import fc from 'fast-check'
import { casesOf } from '../support/cases.ts'

const { cases } = casesOf(import.meta.url)

/** Files by path. */
export type Files = Readonly<Record<string, string>>

/** A repository and the folders of its roots. */
export type Repository = { readonly files: Files; readonly roots: readonly string[] }

const GROUPS = {
  ...{ RateLimitPolicy: 'gateway.nginx.org/v1alpha1', HTTPRoute: 'gateway.networking.k8s.io/v1' },
  ...{ Gateway: 'gateway.networking.k8s.io/v1', ConfigMap: 'v1' },
} as const

type Writable = Value | { readonly [name: string]: Value | undefined }
type Kind = keyof typeof GROUPS
type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value }

const NAMES = ['shop', 'checkout', 'partners'] as const

const object = (kind: Kind, name: string, rest: Value): Value => ({
  apiVersion: GROUPS[kind],
  kind,
  metadata: { name },
  ...Object(rest),
})

/** YAML is a superset of JSON. Some documents are written in block style, where quotes matter. */
const write = (value: Writable): string => `${JSON.stringify(value, null, 2)}\n`

const rule = fc.record(
  {
    key: fc.constantFrom('$binary_remote_addr', '$uri', '$http_x_api_key', '${NAME}'),
    rate: fc.constantFrom('10r/s', '5r/m', '10R/S', '0r/s', 'SET_BY_OVERLAY'),
    zoneSize: fc.constantFrom('10m', '1m', '8k', '0m'),
    burst: fc.constantFrom(0, 5, 20, '7'),
    delay: fc.constantFrom(1, 30),
    noDelay: fc.boolean(),
  },
  { requiredKeys: ['rate'] },
)

const limits = fc.record({ rules: fc.array(rule, { minLength: 1, maxLength: 2 }) }, { requiredKeys: ['rules'] })

const policyOf = (name: string) =>
  fc
    .record({
      target: fc.constantFrom(...NAMES),
      kind: fc.constantFrom('HTTPRoute', 'Gateway'),
      local: limits,
      rejectCode: fc.constantFrom(429, 503, 200, null),
      namespace: fc.constantFrom(undefined, undefined, undefined, 'default'),
    })
    .map(({ target, kind, local, rejectCode, namespace }) => ({
      name,
      namespace,
      value: {
        apiVersion: GROUPS.RateLimitPolicy,
        kind: 'RateLimitPolicy',
        metadata: { name, ...(namespace ? { namespace } : {}), labels: { tier: name, app: 'shop' } },
        spec: {
          targetRefs: [{ group: 'gateway.networking.k8s.io', kind, name: target }],
          rateLimit: { local, rejectCode },
        },
      },
    }))

const routes = NAMES.map((name) =>
  object('HTTPRoute', name, {
    spec: {
      parentRefs: [{ name: 'shop' }],
      hostnames: [`${name}.example`, 'www.shop.example'],
      rules: [{ matches: [{ path: { type: 'PathPrefix', value: `/${name}` } }], backendRefs: [{ name, port: 80 }] }],
    },
  }),
)

/** The files of a base. */
const base = fc
  .record({ policies: fc.tuple(...NAMES.map(policyOf)), isBlock: fc.boolean() })
  .map(({ policies, isBlock }): Files => {
    const text = policies.map(({ value }) => (isBlock ? block(value) : write(value))).join('---\n')
    return {
      'policies.yaml': text,
      'routes.yaml': routes.map(write).join('---\n'),
      'gateway.yaml': write(cases<Value>('gateway')),
      'values.yaml': cases<readonly Value[]>('values and a deployment').map(write).join('---\n'),
    }
  })

/** Block style, in which plain words and numbers stand without quotes. */
function block(value: Value, indent = ''): string {
  if (Array.isArray(value)) return value.map((item) => `${indent}- ${block(item, `${indent}  `).trimStart()}`).join('')
  if (typeof value !== 'object' || value === null) return `${indent}${scalar(value)}\n`
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) =>
      typeof member === 'object' && member !== null && Object.keys(member).length > 0
        ? `${indent}${name}:\n${block(member, Array.isArray(member) ? indent : `${indent}  `)}`
        : `${indent}${name}: ${typeof member === 'object' && member !== null ? JSON.stringify(member) : scalar(member)}\n`,
    )
    .join('')
}

const scalar = (value: Value): string =>
  typeof value === 'string' && (/^[\d.]+$/.test(value) || /[{}#:]/.test(value)) ? JSON.stringify(value) : String(value)

const target = fc.record(
  {
    kind: fc.constantFrom('RateLimitPolicy', 'RateLimit.*', 'HTTPRoute', 'ConfigMap'),
    name: fc.constantFrom(...NAMES, 'sh.*'),
    labelSelector: fc.constantFrom('app=shop', 'app in (shop, other),!old', 'tier!=shop'),
    group: fc.constantFrom('gateway.nginx.org', ''),
  },
  { requiredKeys: ['kind'] },
)

/** A strategic merge patch of a policy's limits. */
const mergeBody: fc.Arbitrary<Value> = fc.oneof(
  limits.map((local) => ({ spec: { rateLimit: { local } } })),
  ...cases<readonly Value[]>('merges').map(fc.constant),
)

/** Fields that a middle layer leaves to others more often than it sets them. */
const RARE = { nil: undefined, freq: 1 } as const

const withIdentity = (kind: Kind, name: string, body: Value): Value => ({
  apiVersion: GROUPS[kind],
  kind,
  ...Object(body),
  metadata: { ...Object(Object(body).metadata), name },
})

const jsonPatch: fc.Arbitrary<Value> = fc.array(
  fc.oneof(
    fc
      .constantFrom('20r/s', '1R/S')
      .map((value) => ({ op: 'replace', path: '/spec/rateLimit/local/rules/0/rate', value })),
    ...cases<readonly Value[]>('operations').map(fc.constant),
  ),
  { minLength: 1, maxLength: 2 },
)

const replacement: fc.Arbitrary<Value> = fc.constantFrom(...cases<readonly Value[]>('replacements'))

/** What a kustomization does beside its resources, with the files that it needs. */
const customization = fc
  .record({
    namespace: fc.option(fc.constantFrom('prod', 'edge'), RARE),
    namePrefix: fc.option(fc.constantFrom('eu-', 'us-'), RARE),
    nameSuffix: fc.option(fc.constant('-v2'), RARE),
    commonLabels: fc.option(fc.constant({ team: 'a', tier: 'common' }), RARE),
    commonAnnotations: fc.option(fc.constant({ 'a.example/owner': 'b' }), RARE),
    labels: fc.option(
      fc.boolean().map((includeSelectors) => [{ pairs: { region: 'eu' }, includeSelectors }]),
      RARE,
    ),
    merges: fc.array(
      fc.tuple(fc.constantFrom(...NAMES), mergeBody, fc.constantFrom('inline', 'file', 'old', 'old-file')),
      { maxLength: 1 },
    ),
    targeted: fc.array(fc.tuple(target, mergeBody, fc.boolean()), { maxLength: 1 }),
    operations: fc.array(
      fc.tuple(
        fc.constantFrom({ kind: 'RateLimitPolicy' }, { kind: 'RateLimit.*', name: 'sh.*|partners' }),
        jsonPatch,
        fc.constantFrom('inline', 'file', 'old'),
      ),
      { maxLength: 1 },
    ),
    replacements: fc.array(replacement, { maxLength: 1 }),
    isReplacedInFile: fc.boolean(),
    hasReferences: fc.boolean(),
    generated: fc.option(fc.string({ unit: fc.constantFrom(...'abcdefgh'), minLength: 6, maxLength: 6 }), RARE),
  })
  .map((all) => customize(all))

type Customized = { readonly kustomization: { readonly [name: string]: Value | undefined }; readonly files: Files }

type Choices = {
  readonly namespace: string | undefined
  readonly namePrefix: string | undefined
  readonly nameSuffix: string | undefined
  readonly commonLabels: Value | undefined
  readonly commonAnnotations: Value | undefined
  readonly labels: Value | undefined
  readonly merges: readonly (readonly [string, Value, string])[]
  readonly targeted: readonly (readonly [Value, Value, boolean])[]
  readonly operations: readonly (readonly [Value, Value, string])[]
  readonly replacements: readonly Value[]
  readonly isReplacedInFile: boolean
  readonly hasReferences: boolean
  readonly generated: string | undefined
}

type Lists = Record<'patches' | 'patchesStrategicMerge' | 'patchesJson6902' | 'replacements', Value[]>

function customize(choices: Choices): Customized {
  const { merges, targeted, operations, replacements, isReplacedInFile, hasReferences, generated, ...simple } = choices
  const files: Record<string, string> = {}
  const addFile = (name: string, value: Value): string => {
    files[name] = write(value)
    return name
  }
  const lists: Lists = { patches: [], patchesStrategicMerge: [], patchesJson6902: [], replacements: [] }
  for (const [index, choice] of merges.entries())
    addMerge(lists, choice, (patch) => addFile(`merge-${index}.yaml`, patch))
  for (const [target, body, isFile] of targeted) {
    const patch = withIdentity('RateLimitPolicy', 'any', body)
    lists.patches.push({ target, ...(isFile ? { path: addFile('targeted.yaml', patch) } : { patch: block(patch) }) })
  }
  for (const choice of operations) addOperations(lists, choice, (list) => addFile('operations.json', list))
  const isInFile = isReplacedInFile && replacements.length > 0
  lists.replacements.push(...(isInFile ? [{ path: addFile('replacements.yaml', replacements) }] : replacements))
  if (hasReferences) files['references.yaml'] = write(cases<Value>('references'))
  const used = Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0))
  const configurations = hasReferences ? ['references.yaml'] : undefined
  const configMapGenerator = generated === undefined ? undefined : [{ name: generated, literals: ['a=1'] }]
  return { kustomization: { ...simple, ...used, configurations, configMapGenerator }, files }
}

function addMerge(lists: Lists, [name, body, how]: Choices['merges'][number], addFile: (patch: Value) => string): void {
  const patch = withIdentity('RateLimitPolicy', name, body)
  if (how === 'inline') lists.patches.push({ patch: block(patch) })
  else if (how === 'file') lists.patches.push({ path: addFile(patch) })
  else lists.patchesStrategicMerge.push(how === 'old' ? block(patch) : addFile(patch))
}

function addOperations(
  { patches, patchesJson6902 }: Lists,
  [target, list, how]: Choices['operations'][number],
  addFile: (list: Value) => string,
): void {
  const own = { group: 'gateway.nginx.org', version: 'v1alpha1', kind: 'RateLimitPolicy', name: 'shop' }
  if (how === 'file') patches.push({ target, path: addFile(list) })
  else if (how === 'inline') patches.push({ target, patch: block(list) })
  else patchesJson6902.push({ target: own, path: addFile(list) })
}

/** A base, perhaps a middle layer, a component, and one or two overlays. */
export const repositories: fc.Arbitrary<Repository> = fc
  .record({
    base,
    own: customization,
    middle: fc.option(customization, { nil: undefined }),
    component: fc.option(customization, { nil: undefined }),
    overlays: fc.array(customization, { minLength: 1, maxLength: 2 }),
    isOldName: fc.boolean(),
  })
  .map(({ base: resources, own, middle, component, overlays, isOldName }) => {
    const files: Record<string, string> = {}
    const add = (folder: string, { kustomization, files: more }: Customized, rest: Value) => {
      for (const [name, text] of Object.entries(more)) files[`${folder}/${name}`] = text
      files[`${folder}/kustomization.yaml`] = write({ ...kustomization, ...Object(rest) })
    }
    for (const [name, text] of Object.entries(resources)) files[`base/${name}`] = text
    add('base', own, { resources: Object.keys(resources) })
    if (middle) add('middle', middle, { resources: ['../base'] })
    if (component)
      add('component', component, {
        ...{ apiVersion: 'kustomize.config.k8s.io/v1alpha1', kind: 'Component' },
        labels: [{ pairs: { component: 'yes' } }],
      })
    const roots = overlays.map((overlay, index) => {
      const folder = `overlays/o${index}`
      const below = [`../../${middle ? 'middle' : 'base'}`]
      const components = component ? { components: ['../../component'] } : {}
      add(folder, overlay, { [isOldName ? 'bases' : 'resources']: below, ...components })
      return folder
    })
    return { files, roots }
  })
