/** The values of the chart other than its switches, and where they are used in the templates. */

import { DEFAULT_CONFIG } from '../../src/installation/component.ts'
import { RESOURCES } from '../../src/installation/pod-defaults.ts'
import { writeDocuments } from '../../src/yaml/documents.ts'

/** A part of the base, and what replaces it in the chart. */
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
    base: '  - ports:\n    - port: 9443\n      protocol: TCP\n',
    template: `  - ports:
    - port: 9443
      protocol: TCP
    {{- with .Values.apiServers }}
    from:
      {{- toYaml . | nindent 4 }}
    {{- end }}
`,
  },
  {
    base: indented(DEFAULT_CONFIG, 4),
    template: `    ${CONFIG_COMMENT}\n    {{- toYaml .Values.config | nindent 4 }}\n`,
  },
]

/** The values of every chart, each with a comment. */
export const commonValues = (): string => `image:
  repository: sluice
  # Default: the appVersion of the chart.
  tag: ""

replicas: 2

${writeDocuments([{ resources: RESOURCES }])}
# The settings (sluice.config.yaml), as a mapping. Changes are read without a restart.
config: {}
`

/** Those of the webhook other than switches. */
export const defaultValues = (): string => `${commonValues()}
# Where reviews come from, as peers of a NetworkPolicy, such as: {ipBlock: {cidr: 10.0.0.0/28}}. Default: everywhere.
apiServers: []
`

/** The JSON schemas of the values that only some charts have, by name. */
type OwnValues = Readonly<Record<string, object>>

/** Those of the webhook. */
export const webhookValues = (switches: readonly { readonly name: string; readonly does: string }[]): OwnValues => ({
  apiServers: { type: 'array', items: { type: 'object' } },
  ...Object.fromEntries(switches.map(({ name, does }) => [name, { type: 'boolean', description: does }])),
})

/** A JSON schema of the values, so that a misspelt switch is an error. */
export const valuesSchema = (own: OwnValues = {}) => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  additionalProperties: false,
  properties: {
    // Helm adds it where the chart is a dependency of another.
    global: { type: 'object' },
    image: {
      type: 'object',
      additionalProperties: false,
      properties: { repository: { type: 'string', minLength: 1 }, tag: { type: ['string', 'integer'] } },
    },
    replicas: { type: 'integer', minimum: 1 },
    resources: { type: 'object' },
    config: { type: 'object' },
    ...own,
  },
})
