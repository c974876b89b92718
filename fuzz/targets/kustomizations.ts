/** Kustomizations with bases, components, patches and replacements. */
import { dump } from 'js-yaml'
import { problemsOf } from '../core/manifests.ts'
import { mutatedText, mutatedValue } from '../core/mutate.ts'
import { textAt, textsAt } from '../core/read.ts'
import { GATEWAY, POLICY } from '../core/samples.ts'
import type { Input, Target } from '../core/target.ts'
import { TOKENS } from './yaml-texts.ts'

/** The files, with every member of a kustomization that is built. */
const FILES: { readonly [path: string]: Input } = {
  'base/kustomization.yaml': {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: ['policy.yaml', 'gateway.yaml'],
    commonLabels: { app: 'shop' },
  },
  'base/policy.yaml': POLICY,
  'base/gateway.yaml': GATEWAY,
  'component/kustomization.yaml': {
    apiVersion: 'kustomize.config.k8s.io/v1alpha1',
    kind: 'Component',
    patches: [
      {
        target: { kind: 'RateLimitPolicy', name: 'cof.*' },
        patch: '- op: replace\n  path: /spec/rateLimit/rejectCode\n  value: 430\n',
      },
    ],
  },
  'eu/kustomization.yaml': {
    resources: ['../base'],
    components: ['../component'],
    namespace: 'eu',
    namePrefix: 'eu-',
    nameSuffix: '-v1',
    labels: [
      {
        pairs: { region: 'eu' },
        includeSelectors: true,
        includeTemplates: true,
        fields: [{ path: 'spec/labels', create: true }],
      },
    ],
    commonAnnotations: { a: 'b' },
    patches: [
      { path: 'patch.yaml' },
      {
        patch:
          'kind: RateLimitPolicy\napiVersion: gateway.nginx.org/v1alpha1\nmetadata: {name: coffee}\nspec: {rateLimit: {dryRun: true}}\n',
        options: { allowNameChange: true },
      },
    ],
    patchesStrategicMerge: ['patch.yaml'],
    patchesJson6902: [
      {
        target: { group: 'gateway.nginx.org', version: 'v1alpha1', kind: 'RateLimitPolicy', name: 'coffee' },
        path: 'json.yaml',
      },
    ],
    configurations: ['names.yaml'],
    configMapGenerator: [{ name: 'values', literals: ['rate=5r/s'] }],
    replacements: [
      {
        source: {
          kind: 'RateLimitPolicy',
          name: 'coffee',
          fieldPath: 'spec.rateLimit.local.rules.0.rate',
          options: { delimiter: 'r', index: 0 },
        },
        targets: [
          {
            select: { kind: 'RateLimitPolicy', name: 'coffee' },
            reject: [{ name: 'tea' }],
            fieldPaths: ['spec.rateLimit.local.rules.[key=$binary_remote_addr].burst', 'metadata.annotations.[a/b]'],
            options: { create: true, delimiter: '/', index: 1 },
          },
        ],
      },
    ],
    images: [{ name: 'a', newTag: 'b' }],
  },
  'eu/patch.yaml': {
    apiVersion: 'gateway.nginx.org/v1alpha1',
    kind: 'RateLimitPolicy',
    metadata: { name: 'coffee', namespace: 'shop' },
    spec: { rateLimit: { logLevel: null, local: { rules: [{ key: '$uri', rate: '1r/s', $patch: 'replace' }] } } },
  },
  'eu/json.yaml': [
    { op: 'add', path: '/spec/rateLimit/local/rules/-', value: { key: '$uri', rate: '5r/s' } },
    { op: 'test', path: '/spec/rateLimit/rejectCode', value: 430 },
    { op: 'remove', path: '/spec/rateLimit/dryRun' },
    { op: 'move', from: '/metadata/labels/team', path: '/metadata/labels/crew' },
  ],
  'eu/names.yaml': {
    nameReference: [
      {
        kind: 'Gateway',
        group: 'gateway.networking.k8s.io',
        fieldSpecs: [{ kind: 'RateLimitPolicy', path: 'spec/targetRefs/name' }],
      },
    ],
    namePrefix: [{ path: 'metadata/name' }],
    commonLabels: [{ path: 'metadata/labels', create: true }],
  },
}

export const KUSTOMIZATIONS: Target = {
  name: 'kustomizations',
  reads: 'kustomizations with all that they build on',
  make(random) {
    const changed = random.pick(Object.keys(FILES))
    const files = Object.entries(FILES).map(([path, value]): [string, Input] => {
      const isChanged = path === changed || random.below(6) === 0
      if (!isChanged) return [path, dump(value)]
      return [
        path,
        random.below(4) === 0 ? mutatedText(random, dump(value), TOKENS) : dump(mutatedValue(random, value)),
      ]
    })
    return { asked: random.pick(['lint', 'lint', 'fix', 'queries']), files: Object.fromEntries(files) }
  },
  async open() {
    return { check }
  },
}

function check(input: Input) {
  const sources = textsAt(input, 'files').map(([file, text]) => ({ file, text }))
  const options = { kustomize: true }
  return problemsOf(textAt(input, 'asked'), sources, options)
}
