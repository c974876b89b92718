import { configFaults } from '../../src/mesh/config.ts'
import { CONTRADICTIONS } from '../../src/mesh/contradictions.ts'
import { rule } from '../../src/mesh/rule.ts'
import { joinItems } from '../describe.ts'
import { meshConfigMap } from './examples.ts'

/** A stored configuration is one that the API would accept. */
export default rule({
  id: 'mesh/config',
  severity: 'error',
  since: '0.2',
  judges: 'ConfigMap',
  reads: ['names'],
  summary: 'The stored configuration of the mesh has the fields and values that its API accepts.',
  why: 'The API refuses such values, but whoever edits the ConfigMap writes past it: the mesh then starts with a configuration that it cannot use.',
  remedy: 'Correct the field, or change it through the API of the mesh.',
  source: 'OpenAPI document of the mesh management API, MeshConfig',
  messages: {
    unreadable: {
      text: 'the configuration of the mesh is not valid JSON',
      remedy: 'Write the configuration as one JSON object.',
    },
    field: { text: '{field}: {reason}', remedy: 'Correct {field} in the text of the configuration.' },
    whole: { text: 'the configuration of the mesh: {reason}', remedy: 'Write the configuration as one JSON object.' },
    missing: {
      text: 'the configuration of the mesh lacks {fields}',
      remedy: 'Add {fields} to the text of the configuration.',
    },
  },
  examples: () => ({
    bad: meshConfigMap({ '/mtls/mode': 'on', '/clientMaxBodySize': '1 MB' }),
    good: meshConfigMap(),
  }),
  check({ stored }, { names, report }) {
    if (!stored) return
    const { config, pointer } = stored
    if (config === undefined) return report('unreadable', pointer)
    const faults = configFaults(config, names).filter(
      (fault) => !CONTRADICTIONS.some((one) => one.pointer === fault.pointer && one.reason === fault.reason),
    )
    const missing = faults.filter(({ reason }) => reason === MISSING).map(({ field }) => field)
    if (missing.length > 0) report('missing', pointer, { fields: listed(missing) })
    for (const { pointer: at, field, reason } of faults)
      if (reason !== MISSING) report(at === '' ? 'whole' : 'field', pointer, { field, reason })
  },
})

const MISSING = 'is missing'
const MOST_NAMES = 8

/** The first of many names, and how many more there are. */
const listed = (names: readonly string[]): string =>
  joinItems(names.length > MOST_NAMES ? [...names.slice(0, MOST_NAMES), `${names.length - MOST_NAMES} more`] : names)
