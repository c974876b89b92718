import { isObject } from '../../src/json/member.ts'
import { fieldPath } from '../../src/json/pointer.ts'
import { jsonAt } from '../../src/mesh/config.ts'
import { MEANINGS } from '../../src/mesh/meanings.ts'
import { rule } from '../../src/mesh/rule.ts'
import { joinItems } from '../describe.ts'
import { meshConfigMap } from './examples.ts'

/** A value of the right form may still mean nothing: an address without a port, a certificate that outlives its authority. */
export default rule({
  id: 'mesh/config-meaning',
  severity: 'warning',
  since: '0.2',
  judges: 'ConfigMap',
  summary: 'Addresses, lifetimes, sizes and ports of the stored configuration are such as the mesh and nginx can use.',
  why: 'The mesh starts with such a value, and fails where it is used: nobody is at the address, a certificate is refused before it ends, or nginx does not start. The API refuses every patch that writes one.',
  remedy: 'Correct the field.',
  source: 'nginx, client_max_body_size and listen; OpenAPI document of the mesh management API, MeshConfig',
  messages: { meaning: { text: '{field}: {reason}', remedy: 'Correct {fields}.' } },
  examples: () => ({
    bad: meshConfigMap({ '/mtls/svidTTL': '800h', '/prometheusAddress': 'http://prometheus' }),
    good: meshConfigMap({ '/mtls/svidTTL': '24h', '/prometheusAddress': 'prometheus.monitoring:9090' }),
  }),
  check({ stored }, { report }) {
    const config = stored?.config
    if (!stored || !isObject(config)) return
    for (const { pointer, dependsOn, reason, holds } of MEANINGS)
      if (holds((at) => jsonAt(config, at)))
        report('meaning', stored.pointer, {
          field: fieldPath(pointer),
          reason,
          fields: dependsOn.length === 1 ? fieldPath(pointer) : `one of ${joinItems(dependsOn.map(fieldPath))}`,
        })
  },
})
