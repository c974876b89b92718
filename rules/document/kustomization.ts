import { documentRule as rule } from '../../src/engine/rule.ts'

const kustomization = (...lines: readonly string[]): string =>
  ['apiVersion: kustomize.config.k8s.io/v1beta1', 'kind: Kustomization', ...lines, ''].join('\n')

const text = 'kustomize refuses this: {reason}'

/** kustomize builds all of a kustomization or nothing. */
export default rule({
  id: 'document/kustomization',
  severity: 'error',
  since: '0.2',
  judges: 'Kustomization',
  summary: 'kubectl, Flux or Argo CD can build a kustomization.',
  why: 'kubectl stops at the first mistake of a kustomization and builds nothing: none of its objects reaches the cluster. What is written before the mistake is judged all the same; what comes after it is not.',
  remedy: 'Correct the kustomization, the patch or the file until kubectl kustomize builds it.',
  source: 'kustomize 5.5, which kubectl 1.32 contains',
  messages: {
    syntax: { text, remedy: 'Correct the YAML or JSON.' },
    field: { text, remedy: 'Correct the name of the field, or remove it.', marks: 'key' },
    value: { text, remedy: 'Write a value of the expected type.' },
    kind: { text, remedy: 'Write the kind and apiVersion of a kustomization or a component, or remove both.' },
    empty: { text, remedy: 'List resources, or remove the file.' },
    'several-files': { text, remedy: 'Keep only one kustomization file in a folder.' },
    missing: { text, remedy: 'Correct the path, add the file, or remove the entry.' },
    outside: {
      text,
      remedy: 'Move the file into the folder of the kustomization, or build on the folder of the file.',
    },
    cycle: { text, remedy: 'Remove the entry, or move what both need to a folder of its own.' },
    component: { text, remedy: 'List components in "components" and all else in "resources".' },
    object: { text, remedy: 'Write objects with kind and metadata.name, or remove the file from the kustomization.' },
    twice: { text, remedy: 'Remove one of the two, or give them different names or namespaces.' },
    generator: { text, remedy: 'Correct the entry of the generator.' },
    patch: { text, remedy: 'Correct the patch.' },
    'patch-target': { text, remedy: 'Write the kind, name and namespace of the object to patch, or remove the patch.' },
    operation: { text, remedy: 'Correct the operation, or remove it.' },
    selector: { text, remedy: 'Correct the selector.' },
    replacement: { text, remedy: 'Correct the replacement, or remove it.' },
    replicas: { text, remedy: 'Correct the name, or remove the entry.' },
    variable: { text, remedy: 'Correct the variable, or remove it.' },
    deployment: { text: 'this deploys nothing: {reason}', remedy: 'Correct the path, or add the folder.' },
    substitution: {
      text: 'Flux refuses this: {reason}',
      remedy: 'Correct the variables, or write "$$" for a "$" that begins none.',
    },
    transformer: { text, remedy: 'Correct the field spec or the field that it leads to.' },
  },
  examples: () => ({
    bad: kustomization('resources: [coffee.yaml]  # there is no such file'),
    good: kustomization('configMapGenerator:', '- { name: coffee, literals: [rate=10r/s] }'),
  }),
  check({ cause, reason, place }, { report }) {
    report(cause, place, { reason })
  },
})
