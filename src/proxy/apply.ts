/** Puts one wanted configuration into force, as far as nginx accepts it. */
import { composeFiles, type Forms, type Wanted, withParts } from './configuration.ts'
import { DriverFailure } from './failure.ts'
import type { Instance } from './instance.ts'
import { type Attempt, type Blame, type Settled, settle } from './settle.ts'
import { blame } from './words.ts'

/** A part that nginx refused. */
type RefusedPart = Blame & {
  readonly part: string
  /** What is in force of it: its last accepted form, or nothing. */
  readonly keeps: 'last-accepted' | 'nothing'
}

/** What came of a wanted configuration. */
export type Result =
  /** It is in force, but for the refused parts. */
  | { readonly result: 'applied'; readonly refused: readonly RefusedPart[] }
  /** The old configuration is in force. `refused` are the parts that nginx named; none where it refuses what all have in common. */
  | { readonly result: 'refused'; readonly words: string; readonly refused: readonly RefusedPart[] }

/** Applies a configuration. Throws failures. */
export async function applyTo(instance: Instance, wanted: Wanted): Promise<Result> {
  await instance.takeUp()
  const result = await (wanted.whole ? allOrNothing(instance, wanted) : inParts(instance, wanted))
  // The old configuration stays, also where its nginx has died.
  if (result.result === 'refused') await instance.restore()
  return result
}

/** Attempts to test, or to load. */
const attempting =
  (instance: Instance, wanted: Wanted, how: 'test' | 'load'): Attempt =>
  async (forms, parts) => {
    const files = composeFiles(wanted, forms)
    const verdict = await instance[how](files, forms)
    return verdict.accepted ? verdict : { ...verdict, blamed: blame(verdict.words, files, parts) }
  }

async function allOrNothing(instance: Instance, wanted: Wanted): Promise<Result> {
  const parts = new Set(wanted.forms.keys())
  const last = instance.accepted() ?? new Map()
  for (const how of ['test', 'load'] as const) {
    const verdict = await attempting(instance, wanted, how)(wanted.forms, parts)
    if (verdict.accepted) continue
    const { words, blamed, port = false } = verdict
    const refused = new Map<string, Blame>(blamed.part === undefined ? [] : [[blamed.part, { words, by: 'words' }]])
    return { ...refusedWhole({ words, port }), refused: listRefused(refused, last) }
  }
  return { result: 'applied', refused: [] }
}

async function inParts(instance: Instance, wanted: Wanted): Promise<Result> {
  const last = instance.accepted()
  const none: Forms = new Map()
  const first = await settleBoth(instance, wanted, { base: last ?? none, goal: wanted.forms })
  if (first.forms) return { result: 'applied', refused: listRefused(first.refused, first.forms) }
  if (last === undefined || first.port) return refusedWhole(first)
  // What all parts have in common does not go with the old forms: first without any, then with those that it goes with.
  const bare = await settleBoth(instance, wanted, { base: none, goal: wanted.forms })
  if (!bare.forms) return refusedWhole(bare)
  const goal = withParts(bare.forms, last, bare.refused.keys())
  const again = await settleBoth(instance, wanted, { base: bare.forms, goal })
  return { result: 'applied', refused: listRefused(bare.refused, again.forms ?? bare.forms) }
}

type Way = { readonly base: Forms; readonly goal: Forms }

/** Settles by `nginx -t`, which disturbs nothing, and then by loading: that alone is the proof. */
async function settleBoth(instance: Instance, wanted: Wanted, { base, goal }: Way): Promise<Settled> {
  const suspects = wanted.suspects ?? new Set<string>()
  const tested = await settle({ base, wanted: goal, suspects, attempt: attempting(instance, wanted, 'test') })
  if (!tested.forms) return tested
  const attempt = attempting(instance, wanted, 'load')
  const loaded = await settle({ base, wanted: tested.forms, suspects, attempt })
  return loaded.forms ? { ...loaded, refused: new Map([...tested.refused, ...loaded.refused]) } : loaded
}

/** Throws where an address is in use and no part is to blame: that has nothing to do with the configuration. */
function refusedWhole({ words, port }: { readonly words: string; readonly port: boolean }): Result {
  if (port) throw new DriverFailure('port', words)
  return { result: 'refused', words, refused: [] }
}

const listRefused = (refused: ReadonlyMap<string, Blame>, forms: Forms): readonly RefusedPart[] =>
  [...refused].map(([part, why]) => ({ part, ...why, keeps: forms.has(part) ? 'last-accepted' : 'nothing' }))
