import { isObject } from '../../src/json/member.ts'
import { jsonAt } from '../../src/mesh/config.ts'
import { rule } from '../../src/mesh/rule.ts'
import { meshConfigMap } from './examples.ts'

/** Where the settings ask for it, the mesh takes encrypted connections alone. */
export default rule({
  id: 'mesh/config-key-types',
  severity: 'warning',
  since: '0.2',
  judges: 'ConfigMap',
  reads: ['meshMtls'],
  summary: 'Where the settings say meshMtls: strict, the mode of the mesh is strict.',
  why: 'Without strict mode the mesh passes on what is not encrypted and comes from nobody in particular.',
  remedy:
    'Set mtls.mode to strict; for the files of a development mesh, switch the rule off in the settings (overrides).',
  source: 'OpenAPI document of the mesh management API, mtls.mode',
  messages: {
    mode: {
      text: 'mtls.mode is {mode}: the mesh takes connections without certificates',
      remedy: 'Set mtls.mode to strict, or switch this rule off for the files of a development mesh.',
    },
  },
  examples: () => ({
    settings: { meshMtls: 'strict' },
    bad: meshConfigMap({ '/mtls/mode': 'permissive' }),
    good: meshConfigMap({ '/mtls/mode': 'strict' }),
  }),
  check({ stored }, { meshMtls, report }) {
    if (meshMtls !== 'strict' || !stored || !isObject(stored.config)) return
    const mode = jsonAt(stored.config, '/mtls/mode')
    if (mode === 'off' || mode === 'permissive') report('mode', stored.pointer, { mode })
  },
})
