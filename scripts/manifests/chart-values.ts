/** What a user of the chart may choose beside its switches, and where in the templates it goes. */

import { DEFAULT_CONFIG } from '../../src/installation/cluster-objects.ts'
import { RESOURCES } from '../../src/installation/workload.ts'
import { writeDocuments } from '../../src/yaml/documents.ts'

/** A piece of the base, as written, and what stands there in the chart. */
type Substitution = { readonly base: string; readonly template: string }

const indented = (text: string, by: number): string => text.replaceAll(/^(?=.)/gm, ' '.repeat(by))

const CONFIG_COMMENT = DEFAULT_CONFIG.split('\n')[0] ?? ''

export const SUBSTITUTIONS: readonly Substitution[] = [
  { base: '  replicas: 2\n', template: '  replicas: {{ .Values.replicas }}\n' },
  {
    base: indented(writeDocuments([{ resources: RESOURCES }]), 8),
    template: '        resources:\n          {{- toYaml .Values.resources | nindent 10 }}\n',
  },
  {
    base: indented(DEFAULT_CONFIG, 4),
    template: `    ${CONFIG_COMMENT}\n    {{- toYaml .Values.config | nindent 4 }}\n`,
  },
]

/** The values that are no switches, with a comment each. */
export const defaultValues = (): string => `image:
  repository: sluice
  # The chart's appVersion where it is empty.
  tag: ""

replicas: 2

${writeDocuments([{ resources: RESOURCES }])}
# The settings (sluice.config.yaml), as a mapping. Changes are read without a restart.
config: {}
`

/** A JSON schema of the values, so that a misspelt switch is refused and not passed over. */
export const valuesSchema = (switches: readonly { readonly name: string; readonly does: string }[]) => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  additionalProperties: false,
  properties: {
    // Helm writes it where the chart is a part of another.
    global: { type: 'object' },
    image: {
      type: 'object',
      additionalProperties: false,
      properties: { repository: { type: 'string', minLength: 1 }, tag: { type: ['string', 'integer'] } },
    },
    replicas: { type: 'integer', minimum: 1 },
    resources: { type: 'object' },
    config: { type: 'object' },
    ...Object.fromEntries(switches.map(({ name, does }) => [name, { type: 'boolean', description: does }])),
  },
})
