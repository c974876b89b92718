/** What a reader of the outcome must know: what could not be simulated, what was assumed. Loud ones come first. */
import type { SimulatedLimit } from '../core/plan.ts'

export type Note =
  /** A limit that is not simulated, for the traffic does not tell these variables. */
  | { readonly type: 'unknown-variables'; readonly limit: SimulatedLimit; readonly unknown: readonly string[] }
  | { readonly type: 'text'; readonly text: string; readonly loud?: boolean }

/** How the traffic could be made to tell a variable. */
export type TrafficName = 'log' | 'shape'

/** Notes as sentences, each once. */
export function noteTexts(notes: readonly Note[], traffic: TrafficName): readonly string[] {
  const texts = notes.map((note) => ({ text: textOf(note, traffic), loud: note.type !== 'text' || note.loud === true }))
  const sorted = [...texts.filter(({ loud }) => loud), ...texts.filter(({ loud }) => !loud)]
  return [...new Set(sorted.map(({ text }) => text))]
}

function textOf(note: Note, traffic: TrafficName): string {
  if (note.type === 'text') return note.text
  const { policy, index, key } = note.limit
  const names = note.unknown.map((name) => `$${name}`).join(', ')
  const [first = ''] = note.unknown
  return (
    `${policy.namespace}/${policy.name} rules[${index}] is not simulated: the ${traffic} does not tell ${names} ` +
    `of its key ${key}; --set ${first}=VALUE would give all requests one value`
  )
}
