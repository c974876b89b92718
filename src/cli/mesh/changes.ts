/** Changes of the mesh's configuration from flags: `--set mtls.mode=strict`, `--add injection.enabledNamespaces=prod`. */
import type { Json, JsonObject } from '../../json/member.ts'
import { fieldPath } from '../../json/pointer.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { type ConfigField, configFields } from '../../mesh/config-fields.ts'
import { InputError } from '../core/io.ts'

/** The flags, in the order in which their operations are sent, with the operation that each means. */
const CHANGE_FLAGS = { set: 'replace', remove: 'remove', add: 'add' } as const

type ChangeFlag = keyof typeof CHANGE_FLAGS

/** One operation of a patch. */
type Change = {
  /** As it was written: `--set mtls.mode=strict`. */
  readonly flag: string
  readonly operation: { readonly op: (typeof CHANGE_FLAGS)[ChangeFlag]; readonly field: JsonObject }
}

/** Reads the values of the flags. Throws {@link InputError} for one that has no form. What the API accepts it knows itself. */
export function readChanges(valuesOf: (flag: ChangeFlag) => readonly string[], names: ApiNames): readonly Change[] {
  const fields = new Map(configFields(names).map((field) => [fieldPath(field.pointer), field]))
  return (['set', 'remove', 'add'] as const).flatMap((flag) =>
    valuesOf(flag).map((text): Change => {
      const [, path = '', equals = '', value = ''] = /^([A-Za-z][A-Za-z.]*)(?:(=)(.*))?$/s.exec(text) ?? []
      const isWhole = equals === '' && flag === 'remove'
      if (path === '' || path.includes('..') || path.endsWith('.') || (equals === '' && !isWhole))
        throw new InputError(`--${flag} must be FIELD=VALUE, such as ${EXAMPLES[flag]}; got "${text}"`)
      const field = fields.get(path)
      const given = isWhole ? emptyOf(field) : parseValue(value, field)
      return { flag: `--${flag} ${text}`, operation: { op: CHANGE_FLAGS[flag], field: nested(path.split('.'), given) } }
    }),
  )
}

const EXAMPLES: Readonly<Record<ChangeFlag, string>> = {
  set: 'mtls.mode=strict',
  remove: 'injection.enabledNamespaces=prod, or FIELD for its initial value',
  add: 'injection.enabledNamespaces=prod',
}

/** What `remove` takes for everything: the whole of a list, of an object of fields, or of one field. */
function emptyOf(field: ConfigField | undefined): Json {
  if (!field) return {}
  return field.type.isList ? [] : null
}

/** A value by the type of its field. What has another form stays a text: the API says what it expects. */
function parseValue(text: string, field: ConfigField | undefined): Json {
  if (field?.type.isList) return text === '' ? [] : text.split(',')
  const { type } = field?.type.schema ?? {}
  if (type === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true'
  const isNumber = type === 'number' || type === 'integer'
  return isNumber && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
}

const nested = ([name = '', ...rest]: readonly string[], value: Json): JsonObject => ({
  [name]: rest.length === 0 ? value : nested(rest, value),
})

/** A refusal in the words of the command line: operations are called by their flags. */
export const inFlags = (description: string, changes: readonly Change[]): string =>
  description.replace(/\boperation (\d+)(?:, [\w.[\]]+)?/, (whole, index) => changes[Number(index)]?.flag ?? whole)
