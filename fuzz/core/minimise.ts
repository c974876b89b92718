/** Makes an input smaller as long as it shows the same mistake. */
import type { Input } from './target.ts'

/** Milliseconds for one input. */
const PATIENCE = 20_000

/** The smallest input that was found for which `isBad` holds, as it does for the given one. */
export async function minimise(input: Input, isBad: (input: Input) => Promise<boolean>): Promise<Input> {
  const end = performance.now() + PATIENCE
  let best = input
  search: while (performance.now() < end) {
    for (const smaller of smallerOnes(best)) {
      if (performance.now() > end) break
      if (await isBad(smaller)) {
        best = smaller
        continue search
      }
    }
    break
  }
  return best
}

/** Inputs with something left out, those with the most left out first. */
function smallerOnes(input: Input): Iterable<Input> {
  if (typeof input === 'string') return parts(input.length, (from, to) => input.slice(0, from) + input.slice(to))
  if (Array.isArray(input)) return smallerLists(input)
  return typeof input === 'object' && input !== null ? smallerObjects(input) : []
}

function* smallerLists(list: Input[]): Generator<Input> {
  yield* parts(list.length, (from, to) => [...list.slice(0, from), ...list.slice(to)])
  for (const [index, item] of list.entries()) for (const smaller of smallerOnes(item)) yield list.with(index, smaller)
}

function* smallerObjects(object: { [member: string]: Input }): Generator<Input> {
  const members = Object.entries(object)
  for (const name of Object.keys(object)) yield Object.fromEntries(members.filter(([other]) => other !== name))
  for (const [name, value] of members)
    for (const smaller of smallerOnes(value)) yield withMember(members, name, smaller)
}

const withMember = (members: readonly [string, Input][], name: string, value: Input): Input =>
  Object.fromEntries(members.map(([other, old]) => [other, other === name ? value : old]))

function* parts(length: number, without: (from: number, to: number) => Input): Generator<Input> {
  for (let size = length; size >= 1; size = Math.floor(size / 2))
    for (let from = 0; from < length; from += size) yield without(from, Math.min(length, from + size))
}
