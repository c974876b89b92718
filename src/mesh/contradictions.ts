/** Fields of the mesh's configuration that exclude each other, and the operations that make way for the one or the other. */
import type { Json } from '../json/member.ts'

/** One operation of a patch. */
export type ConfigOperation = {
  readonly op: 'add' | 'remove' | 'replace'
  readonly field: { readonly [name: string]: Json }
}

/** The value at a pointer of a configuration. */
type ReadConfig = (pointer: string) => Json | undefined

type Remedies = readonly (readonly ConfigOperation[])[]

/** Fields that exclude each other, or a value that means nothing. */
export type Contradiction = {
  /** The field that messages name. */
  readonly pointer: string
  /** All fields that it depends on. */
  readonly dependsOn: readonly string[]
  readonly reason: string
  /**
   * Operations of which one helps when it is sent before; none where the patch itself has to change. A function makes them of
   * the configuration that the patch would lead to.
   */
  readonly remedies: Remedies | ((read: ReadConfig) => Remedies)
  holds(read: ReadConfig): boolean
}

const AUTO = '/injection/isAutoInjectEnabled'
const ENABLED = '/injection/enabledNamespaces'
const DISABLED = '/injection/disabledNamespaces'
const OTLP = '/telemetry/exporters/otlp/host'
const TRACING = '/tracing/isEnabled'
const BACKEND = '/tracing/backend'
const ADDRESS = '/tracing/backendAddress'

const injectAll = (isOn: boolean): ConfigOperation => ({
  op: 'replace',
  field: { injection: { isAutoInjectEnabled: isOn } },
})
const clear = (list: 'enabledNamespaces' | 'disabledNamespaces'): ConfigOperation => ({
  op: 'remove',
  field: { injection: { [list]: [] } },
})

const hasItems = (list: Json | undefined): boolean => Array.isArray(list) && list.length > 0

/** All of them, in the order in which they are reported. */
export const CONTRADICTIONS: readonly Contradiction[] = [
  {
    pointer: ENABLED,
    dependsOn: [AUTO, ENABLED],
    reason: 'namespaces cannot be enabled one by one while automatic injection is enabled for all',
    remedies: [[injectAll(false)], [injectAll(false), clear('disabledNamespaces')], [clear('enabledNamespaces')]],
    holds: (read) => read(AUTO) === true && hasItems(read(ENABLED)),
  },
  {
    pointer: DISABLED,
    dependsOn: [AUTO, DISABLED],
    reason: 'namespaces cannot be disabled one by one while automatic injection is disabled for all',
    remedies: [[injectAll(true)], [injectAll(true), clear('enabledNamespaces')], [clear('disabledNamespaces')]],
    holds: (read) => read(AUTO) === false && hasItems(read(DISABLED)),
  },
  {
    pointer: BACKEND,
    dependsOn: [BACKEND, ADDRESS],
    reason: 'a backend needs backendAddress; set or remove both in one patch',
    remedies: [],
    holds: (read) => read(BACKEND) !== undefined && read(ADDRESS) === undefined,
  },
  {
    pointer: ADDRESS,
    dependsOn: [BACKEND, ADDRESS],
    reason: 'the address of a backend needs backend; set or remove both in one patch',
    remedies: [],
    holds: (read) => read(BACKEND) === undefined && read(ADDRESS) !== undefined,
  },
  {
    pointer: TRACING,
    dependsOn: [TRACING, OTLP],
    reason: 'tracing and telemetry cannot both be on: telemetry is on while telemetry.exporters.otlp.host is set',
    remedies: [
      [{ op: 'replace', field: { tracing: { isEnabled: false } } }],
      [{ op: 'remove', field: { telemetry: {} } }],
    ],
    holds: (read) => read(TRACING) === true && read(OTLP) !== undefined,
  },
]
