/** Finds the parts of a refused configuration that are to blame, and the largest one without them that it comes by. */
import { changedParts, type Forms, withParts } from './configuration.ts'
import type { Blamed, Verdict } from './words.ts'

/** How the blame for a refused part was found. */
type FoundBy = 'words' | 'search'

/** A part that is refused. */
export type Blame = {
  /** nginx's own words, with names of files relative to `nginx.conf`. */
  readonly words: string
  /** `words`: nginx names it, or what only it contains. `search`: it is refused alone beside all that is accepted. */
  readonly by: FoundBy
}

/** A refusal, and whom it names. */
type Refused = Extract<Verdict, { accepted: false }> & { readonly blamed: Blamed }

/** An attempt with some forms; `parts` are those that can be blamed. */
export type Attempt = (
  forms: Forms,
  parts: ReadonlySet<string>,
) => Promise<Extract<Verdict, { accepted: true }> | Refused>

/** Where to start from, and where to go. */
export type Task = {
  readonly base: Forms
  readonly wanted: Forms
  /** Parts that will probably be refused. */
  readonly suspects: ReadonlySet<string>
  readonly attempt: Attempt
}

/** What is accepted. Without `forms` not even the base is, for the reason in `words`. */
export type Settled =
  | { readonly forms: Forms; readonly refused: ReadonlyMap<string, Blame> }
  | { readonly forms?: undefined; readonly words: string; readonly port: boolean }

/**
 * Takes over as many of the changes from `base` to `wanted` as nginx accepts together. With k bad parts that nginx names
 * among n changes this takes k + 1 attempts; with k that it does not name at most 2 k ⌈log₂ n⌉ + 3 more. The last accepted
 * attempt was made with the forms that are returned.
 */
export async function settle(task: Task): Promise<Settled> {
  const { base, wanted, attempt } = task
  const refused = new Map<string, Blame>()
  const open = new Set(changedParts(base, wanted))
  let previous: { readonly part: string; readonly words: string } | undefined
  for (;;) {
    const verdict = await attempt(withParts(base, wanted, open), open)
    if (verdict.accepted) return { forms: withParts(base, wanted, open), refused }
    const { words, blamed, port = false } = verdict
    // Without the part that was blamed nginx says the same: it is another one.
    const mistaken = previous?.words === words ? previous.part : undefined
    if (mistaken !== undefined) {
      open.add(mistaken)
      refused.delete(mistaken)
    }
    if (blamed.part === undefined || mistaken !== undefined) {
      return port ? { words, port } : search(task, { open: [...open], refused, words, among: new Set(blamed.among) })
    }
    previous = { part: blamed.part, words }
    open.delete(blamed.part)
    refused.set(blamed.part, { words, by: 'words' })
  }
}

type Search = {
  readonly open: readonly string[]
  readonly refused: Map<string, Blame>
  /** Why all open parts together are refused. */
  readonly words: string
  /** Parts that have the word that nginx named. */
  readonly among: ReadonlySet<string>
}

/**
 * Halves the open parts until each bad one is alone. What is accepted becomes the base of the next attempt, so that parts
 * that are bad only together lose one of them.
 */
async function search(task: Task, { open, refused, words, among }: Search): Promise<Settled> {
  const { base, wanted, suspects, attempt } = task
  const first = await attempt(base, new Set())
  if (!first.accepted) return { words: first.words, port: first.port ?? false }
  let forms = base
  /** `known`: why all of them are refused beside what is accepted, where that has been tried. True where all are accepted. */
  const take = async (parts: readonly string[], known: string | undefined): Promise<boolean> => {
    const [part] = parts
    if (part === undefined) return true
    let reason = known
    if (reason === undefined) {
      const verdict = await attempt(withParts(forms, wanted, parts), new Set(parts))
      if (verdict.accepted) {
        forms = withParts(forms, wanted, parts)
        return true
      }
      const named = verdict.blamed.part
      if (named !== undefined && parts.length > 1 && verdict.words !== words) {
        refused.set(named, { words: verdict.words, by: 'words' })
        await take(
          parts.filter((other) => other !== named),
          undefined,
        )
        return false
      }
      reason = verdict.words
    }
    if (parts.length === 1) {
      refused.set(part, { words: reason, by: 'search' })
      return false
    }
    return takeHalves([parts.slice(0, parts.length >> 1), parts.slice(parts.length >> 1)], reason)
  }
  const takeHalves = async (halves: readonly [readonly string[], readonly string[]], reason: string) => {
    const isFirstGood = await take(halves[0], undefined)
    // With all of the first half accepted, the second beside it is what was refused just now.
    await take(halves[1], isFirstGood ? reason : undefined)
    return false
  }
  const isSuspect = (part: string) => suspects.has(part) || among.has(part)
  await takeHalves([open.filter((part) => !isSuspect(part)), open.filter(isSuspect)], words)
  return { forms, refused }
}
