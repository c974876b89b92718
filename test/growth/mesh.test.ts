/** A patch of the mesh's configuration takes time in proportion to its fields, also where there are none such. */
import { it } from 'vitest'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { initialConfig } from '../../src/mesh/config.ts'
import { patchConfig } from '../../src/mesh/patch-config.ts'
import { patchObject } from '../../src/servers/mesh/patch-object.ts'
import { expectLinear } from './growth.ts'

const names = apiNames()
const config = initialConfig(names)
const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, 1]))

it.each(['operations', 'a merge patch'])('%s with unknown fields', (what) =>
  expectLinear((size) => {
    const field = unknown(size)
    const sent = { type: 'application/merge-patch+json', body: field }
    return what === 'operations'
      ? () => patchConfig(config, { op: 'replace', field }, names)
      : () => patchObject(config, sent, { names, validation: 'Warn' })
  }, 256),
)
