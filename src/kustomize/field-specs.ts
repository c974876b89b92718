/** Where in objects a transformer works. Source: kustomize, api/types/fieldspec.go, api/filters/fieldspec. */
import { isObject, type Json } from '../json/member.ts'
import { rejectLongPath } from './bounds.ts'
import { refused } from './failure.ts'
import { type Gvk, gvkOf, isSelected } from './resource.ts'
import {
  isList,
  itemsOf,
  madeAt,
  memberOf,
  namesOf,
  type Place,
  stringAt,
  type Traced,
  withItems,
  withMember,
  withMembers,
} from './traced.ts'

/** A place in the objects of some kinds. */
export type FieldSpec = Partial<Gvk> & {
  /** `spec/template/metadata/labels`; a name may contain `\/`. It goes through every item of a list. */
  readonly path: string
  readonly create: boolean
}

/** Reads a list of field specs. */
export function readFieldSpecs(written: Traced | undefined): readonly FieldSpec[] {
  return ((written && itemsOf(written)) ?? []).map((item) => ({
    path: stringAt(item, 'path') ?? '',
    create: memberOf(item, 'create')?.value === true,
    ...gvkIn(item),
  }))
}

/** The group, version and kind that a mapping names. */
export const gvkIn = (written: Traced): Partial<Gvk> =>
  Object.fromEntries(
    (['group', 'version', 'kind'] as const).flatMap((name) => {
      const text = stringAt(written, name)
      return text ? [[name, text]] : []
    }),
  )

/** The specs of both lists; one that is in the first already counts once. `at` is what adds the second. */
export function mergeFieldSpecs(
  specs: readonly FieldSpec[],
  more: readonly FieldSpec[],
  at: Place,
): readonly FieldSpec[] {
  const merged = [...specs]
  const byPath = new Map<string, FieldSpec[]>()
  const remember = (spec: FieldSpec): void => {
    const known = byPath.get(spec.path)
    if (known) known.push(spec)
    else byPath.set(spec.path, [spec])
  }
  for (const spec of specs) remember(spec)
  for (const spec of more) {
    const known = byPath.get(spec.path)?.find((other) => isNarrower(other, spec))
    if (known && known.create !== spec.create)
      throw refused('transformer', at, `the field "${spec.path}" is to be created by one field spec and not by another`)
    if (known) continue
    merged.push(spec)
    remember(spec)
  }
  return merged
}

const isNarrower = (known: FieldSpec, { group, version, kind }: FieldSpec): boolean =>
  isSelected(
    { group: known.group ?? '', version: known.version ?? '', kind: known.kind ?? '' },
    {
      ...(group ? { group } : {}),
      ...(version ? { version } : {}),
      ...(kind ? { kind } : {}),
    },
  )

/** What happens at a place. */
export type FieldChange = {
  /** The new value. */
  set(field: Traced): Traced
  /** The value that is created where the spec says so. */
  readonly created: Json
  /** Where created values come from. */
  readonly at: Place
}

/** Changes the fields of an object that a spec names. Throws {@link BuildFailure} where its path meets a scalar. */
export function changeFields(root: Traced, spec: FieldSpec, change: FieldChange): Traced {
  if (!isSelected(gvkOf(root), spec)) return root
  const path = splitPath(spec.path)
  rejectLongPath(path, root.at.part.source.file)
  return changeAt(root, path, { ...change, spec })
}

/** Splits a path at its slashes; `\/` is part of a name. */
function splitPath(path: string): readonly string[] {
  const parts = path.split('/')
  const names: string[] = []
  for (const part of parts[0] === '' && parts.length > 1 ? parts.slice(1) : parts) {
    const last = names.at(-1)
    if (last?.endsWith('\\')) names[names.length - 1] = `${last.slice(0, -1)}/${part}`
    else names.push(part)
  }
  return names
}

function changeAt(at: Traced, path: readonly string[], change: FieldChange & { readonly spec: FieldSpec }): Traced {
  const [written = '', ...rest] = path
  if (path.length === 0) return change.set(at)
  if (at.value === null) return at
  const items = itemsOf(at)
  if (items)
    return withItems(
      at,
      items.map((item) => changeAt(item, path, change)),
    )
  if (!isObject(at.value))
    throw refused('transformer', change.at, `cannot set "${change.spec.path}": "${written}" would be in a scalar`)
  const isSequence = written.endsWith('[]')
  const name = isSequence ? written.slice(0, -2) : written
  const member = memberOf(at, name)
  const isCreated = change.spec.create && !isSequence && (member === undefined || member.value === null)
  const field = isCreated ? madeAt(rest.length === 0 ? change.created : {}, change.at) : member
  return field ? withMember(at, name, changeAt(field, rest, change)) : at
}

/** Sets some members of a mapping. */
export function withPairs(map: Traced, pairs: ReadonlyMap<string, Traced>): Traced {
  if (isList(map.value) || (map.value !== null && !isObject(map.value)))
    throw refused('transformer', map.at, 'labels or annotations are to be set here, and this is no mapping')
  return withMembers(map, pairs)
}

/** True where nothing is in a mapping. */
export const isEmptyMap = (map: Traced): boolean => isObject(map.value) && namesOf(map).length === 0
