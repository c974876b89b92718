import { isObject } from '../../src/json/member.ts'
import { fieldPath } from '../../src/json/pointer.ts'
import { jsonAt } from '../../src/mesh/config.ts'
import { CONTRADICTIONS } from '../../src/mesh/contradictions.ts'
import { rule } from '../../src/mesh/rule.ts'
import { joinItems } from '../describe.ts'
import { meshConfigMap } from './examples.ts'

/** Some fields of the configuration exclude each other. */
export default rule({
  id: 'mesh/config-contradiction',
  severity: 'error',
  since: '0.2',
  judges: 'ConfigMap',
  summary: 'The fields of the stored configuration agree.',
  why: 'Of two fields that exclude each other one has no effect, and the API refuses every patch until they agree.',
  remedy: 'Change one of the two fields.',
  source: 'OpenAPI document of the mesh management API, PATCH config',
  messages: { contradiction: { text: '{field}: {reason}', remedy: 'Change one of {fields}.' } },
  examples: () => ({
    bad: meshConfigMap({ '/injection/enabledNamespaces': ['shop'], '/enabledNamespaces': ['shop'] }),
    good: meshConfigMap({ '/injection/disabledNamespaces': ['shop'] }),
  }),
  check({ stored }, { report }) {
    const config = stored?.config
    if (!stored || !isObject(config)) return
    for (const { pointer, dependsOn, reason, holds } of CONTRADICTIONS)
      if (holds((at) => jsonAt(config, at)))
        report('contradiction', stored.pointer, {
          field: fieldPath(pointer),
          reason,
          fields: joinItems(dependsOn.map(fieldPath)),
        })
  },
})
