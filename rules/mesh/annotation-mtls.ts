import { jsonAt } from '../../src/mesh/config.ts'
import { MTLS_MODES } from '../../src/mesh/config-fields.ts'
import { meshKeys } from '../../src/mesh/inject/settings.ts'
import { injectionFaults, keyed } from '../../src/mesh/objects/workloads.ts'
import { rule } from '../../src/mesh/rule.ts'
import { describeValue, joinItems } from '../describe.ts'
import { meshConfigMap, meshDeployment } from './examples.ts'

const both = (mode: string): string =>
  `${meshConfigMap({ '/mtls/mode': 'strict' })}---\n${meshDeployment({ annotations: [`config.nsm.nginx.com/mtls-mode: ${mode}`] })}`

/** The mode of a Pod is one that the mode of the mesh allows. */
export default rule({
  id: 'mesh/annotation-mtls',
  severity: 'error',
  since: '0.2',
  judges: 'Workload',
  reads: ['names', 'meshConfig', 'namespaces'],
  summary: 'The annotation mtls-mode is off, permissive or strict, and strict in a strict mesh.',
  why: 'The mesh does not add its sidecar to a Pod with another mode: the Pod is refused, or starts outside of the mesh.',
  remedy: 'Write a mode that the mesh allows, or remove the annotation.',
  source: 'specification of the mesh management API, annotations of Pods; mtls.mode',
  messages: {
    unknown: { text: 'the modes of mTLS are {modes}, and this is {actual}', remedy: 'Write "strict".' },
    forbidden: {
      text: 'the mode of the mesh is strict, so a Pod cannot be {mode}',
      remedy: 'Write "strict".',
    },
  },
  examples: () => ({ bad: both('permissive'), good: both('strict') }),
  check(view, { names, meshConfig, namespaces, report }) {
    const config = meshConfig.current()
    const faults = new Set(injectionFaults(view, { config, names, namespaces }).map(({ pointer }) => pointer))
    for (const written of view.pods.map(({ annotations }) => keyed(annotations, meshKeys(names).mtlsMode))) {
      if (written.raw === undefined || !faults.has(written.pointer)) continue
      const isMode = MTLS_MODES.some((mode) => mode === written.value)
      if (isMode && config && jsonAt(config, '/mtls/mode') === 'strict')
        report('forbidden', written, { mode: written.value })
      if (!isMode) report('unknown', written, { modes: joinItems(MTLS_MODES), actual: describeValue(written.raw) })
    }
  },
})
