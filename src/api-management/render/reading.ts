/** Reads values of a body and collects what is wrong with them. */
import { isObject, type Json } from '../../json/member.ts'
import { escapeToken } from '../../json/pointer.ts'

/** Why a body cannot become a configuration. */
export type PublicationProblem = {
  /** JSON Pointer of the value, or of the missing member. */
  readonly pointer: string
  readonly message: string
  readonly remedy: string
}

/** A value of a body, where it is, and the list of what is wrong. `raw` is undefined for an absent member. */
export type Place = {
  readonly raw: Json | undefined
  readonly pointer: string
  readonly problems: PublicationProblem[]
}

/** What a string must be: words for it, as in "is not a hostname", and a good one where the words do not have it. */
export type Form = {
  readonly what: string
  readonly example?: string
  test(text: string): boolean
  /** Why a text is refused that is what the words say; undefined for other texts. */
  why?(text: string): string | undefined
}

/** Adds a problem with a value. */
export function refuse({ pointer, problems }: Place, message: string, remedy: string): undefined {
  problems.push({ pointer, message, remedy })
}

/** A member of an object; of anything else it is absent. */
export function memberOf({ raw, pointer, problems }: Place, name: string): Place {
  const own = isObject(raw) && Object.hasOwn(raw, name) ? raw[name] : undefined
  return { raw: own, pointer: `${pointer}/${escapeToken(name)}`, problems }
}

/** A member that must be an object where it is there. */
export function objectIn(parent: Place, name: string): Place {
  const place = memberOf(parent, name)
  if (place.raw === undefined || isObject(place.raw)) return place
  refuse(place, `"${name}" must be an object`, `Write an object, or remove "${name}".`)
  return { ...place, raw: undefined }
}

/** The items of a member that must be a list of objects; none where it is absent. */
export function itemsIn(parent: Place, name: string): readonly Place[] {
  const list = memberOf(parent, name)
  if (list.raw === undefined) return []
  if (!Array.isArray(list.raw)) {
    refuse(list, `"${name}" must be a list`, `Write a list, or remove "${name}".`)
    return []
  }
  const items: readonly Json[] = list.raw
  return items.flatMap((raw, index) => {
    const item = { raw, pointer: `${list.pointer}/${index}`, problems: list.problems }
    if (isObject(raw)) return [item]
    refuse(item, `an item of "${name}" must be an object`, 'Write an object, or remove the item.')
    return []
  })
}

/** A member that must be a string of a form; undefined where it is absent or something else. */
export function textIn(parent: Place, name: string, form: Form): string | undefined {
  const place = memberOf(parent, name)
  const { raw } = place
  if (raw === undefined) return undefined
  if (typeof raw === 'string' && form.test(raw)) return raw
  const example = form.example === undefined ? '' : ` such as "${form.example}"`
  const why = typeof raw === 'string' ? form.why?.(raw) : undefined
  return refuse(
    place,
    `${shown(raw)}${why === undefined ? ` is not ${form.what}` : `: ${why}`}`,
    `Write ${form.what}${example}.`,
  )
}

/** A member that must be true or false; false where it is absent. */
export function flagIn(parent: Place, name: string): boolean {
  const place = memberOf(parent, name)
  if (place.raw === undefined || typeof place.raw === 'boolean') return place.raw ?? false
  refuse(place, `"${name}" must be true or false`, `Write "${name}: true", or remove it.`)
  return false
}

/** A form of which there are only a few texts, compared without case. */
export const oneOf = (...texts: readonly string[]): Form => ({
  what: texts.map((text) => `"${text}"`).join(' or '),
  test: (text) => texts.includes(text.toUpperCase()),
})

const LONGEST_SHOWN = 60

function shown(raw: Json): string {
  const text = JSON.stringify(raw)
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text
}
