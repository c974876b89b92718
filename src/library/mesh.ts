/** The service mesh: sidecars in manifests, the configuration and its patches, and which Pods get the sidecar. */
import { isObject, type JsonObject } from '../json/member.ts'
import { type ApiNames, apiNames } from '../kubernetes/api-groups.ts'
import type { PodTemplates } from '../kubernetes/pod-templates.ts'
import { configFaults, initialConfig } from '../mesh/config.ts'
import { isPort } from '../mesh/config-fields.ts'
import * as mesh from '../mesh/decide-injection.ts'
import { type InjectedObject, inject as injectText } from '../mesh/inject/inject.ts'
import { describeNotEnforced, type NotEnforced, notEnforced } from '../mesh/not-enforced.ts'
import { describeOperationError, patchConfig } from '../mesh/patch-config.ts'
import { boolean, json, list, type Members, object, problemsOf, string, value } from './check.ts'
import { anyObject, notChecked, readSettingsOption, type SettingsInput } from './input.ts'
import { failure, guarded, type Problem, type Result, success } from './result.ts'

/** Options of {@link patchMeshConfig}. */
export type MeshPatchOptions = {
  /** Only their `apiGroups` and `podTemplates` matter. */
  readonly settings?: SettingsInput | undefined
}

/** Options of {@link inject}. */
export type MeshOptions = MeshPatchOptions & {
  /** The mesh's configuration, or a part of it; what it lacks is as in a new mesh. */
  readonly config?: JsonObject | undefined
  /** Ports whose incoming traffic the sidecar leaves alone. */
  readonly ignoreIncomingPorts?: readonly number[] | undefined
  readonly ignoreOutgoingPorts?: readonly number[] | undefined
}

/** Manifests with sidecars. */
export type InjectResult = {
  readonly text: string
  /** What became of each object, in the order of the text. */
  readonly objects: readonly InjectedObject[]
  /** Documents that cannot be read, and stay as they are. */
  readonly unread: readonly Problem[]
  /** What the configuration and the Pods ask for, and the sidecar of `sluice render --sidecar` does not do. */
  readonly warnings: readonly Problem[]
}

const ports = list(value('a port from 1 to 65535', isPort))

const PATCH_OPTIONS = { settings: notChecked } as const satisfies Members<keyof MeshPatchOptions>
const OPTIONS = {
  ...PATCH_OPTIONS,
  config: anyObject,
  ignoreIncomingPorts: ports,
  ignoreOutgoingPorts: ports,
} as const satisfies Members<keyof MeshOptions>

/**
 * Adds the sidecar to the workloads of a text, which may hold several documents of YAML or JSON; all else stays as it is.
 * A problem of the text has its line and column.
 */
export function inject(text: string, options?: MeshOptions): Result<InjectResult> {
  return guarded(() => {
    const names = readNames(options, OPTIONS)
    const problems = problemsOf(string, text, 'text')
    if (!names.ok) return failure(...problems, ...names.problems)
    const { config = {}, ignoreIncomingPorts, ignoreOutgoingPorts } = options ?? {}
    const ofConfig = configFaults(config, names.value, { isPart: true }).map(({ field, reason }) => ({
      path: `config.${field}`,
      message: reason,
    }))
    if (problems.length > 0 || ofConfig.length > 0) return failure(...problems, ...ofConfig)
    const { podTemplates } = names
    const result = injectText(text, {
      config,
      names: names.value,
      ignoreIncomingPorts,
      ignoreOutgoingPorts,
      podTemplates,
    })
    const told = (result.ok ? result.unread : result.errors).map(
      ({ document, field, message, line, column }): Problem => ({
        path: 'text',
        message: `document ${document}${field === '' ? '' : `, ${field}`}: ${message}`,
        line,
        column,
      }),
    )
    if (!result.ok) return failure(...told)
    const ofPods = result.warnings.map(({ document, line, column, ...one }) => ({
      path: 'text',
      message: `document ${document}, ${describeNotEnforced(one)}`,
      line,
      column,
    }))
    const warnings = [...notEnforced(config).map(configWarning), ...ofPods]
    return success({ text: result.text, objects: result.objects, unread: told, warnings })
  })
}

const configWarning = (one: NotEnforced): Problem => ({
  path: `config.${one.field}`,
  message: describeNotEnforced(one),
})

/** The configuration of a mesh after a patch: one operation, or a list of which all are applied or none. Without a configuration that of a new mesh. */
export function patchMeshConfig(
  config: JsonObject | undefined,
  patch: unknown,
  options?: MeshPatchOptions,
): Result<JsonObject> {
  return guarded(() => {
    const names = readNames(options, PATCH_OPTIONS)
    const problems: readonly Problem[] = [
      ...(config === undefined ? [] : problemsOf(anyObject, config, 'config')),
      ...problemsOf(json, patch, 'patch'),
    ]
    if (!names.ok) return failure(...problems, ...names.problems)
    if (problems.length > 0) return failure(...problems)
    const patched = patchConfig(config ?? initialConfig(names.value), JSON.parse(JSON.stringify(patch)), names.value)
    return 'document' in patched
      ? success(patched.document)
      : failure(...patched.errors.map((error) => ({ path: 'patch', message: describeOperationError(error) })))
  })
}

const QUESTION = {
  config: anyObject,
  namespace: string,
  namespaceLabel: string,
  podLabel: string,
  isInjected: boolean,
} as const satisfies Members<keyof mesh.InjectionQuestion>

/** Whether a new Pod gets the sidecar by itself, and what decides. */
export function decideInjection(question: mesh.InjectionQuestion): Result<mesh.InjectionDecision> {
  return guarded(() => {
    const problems = problemsOf(object(QUESTION, ['config', 'namespace']), question, 'question')
    return problems.length > 0 ? failure(...problems) : success(mesh.decideInjection(question))
  })
}

function readNames(
  options: MeshPatchOptions | undefined,
  members: Members,
): Result<ApiNames> & { readonly podTemplates?: readonly PodTemplates[] } {
  const problems = options === undefined ? [] : problemsOf(object(members), options, '')
  const settings = readSettingsOption(isObject(options) ? options.settings : undefined)
  if (!settings.ok) return failure(...problems, ...settings.problems)
  const { apiGroups, podTemplates } = settings.value
  return problems.length > 0 ? failure(...problems) : { ...success(apiNames(apiGroups)), podTemplates }
}
