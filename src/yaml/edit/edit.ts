/** Edits of a text by offset: apply them, and choose those that do not overlap. */

/** Replaces the text between two UTF-16 offsets, end exclusive. */
export type TextEdit = { readonly start: number; readonly end: number; readonly text: string }

/** Edits that belong together. */
export type EditPlan = readonly TextEdit[]

/** Sorts by offset; edits with the same range keep their order. */
export const inTextOrder = (edits: readonly TextEdit[]): readonly TextEdit[] =>
  [...edits].sort((a, b) => a.start - b.start || a.end - b.end)

/** Whether two of some edits change the same characters. */
export function hasOverlap(edits: readonly TextEdit[]): boolean {
  let at = 0
  return inTextOrder(edits).some(({ start, end }) => {
    const overlaps = start < at
    at = end
    return overlaps
  })
}

/** Applies edits; those that insert at one offset do so in their order. Throws where two overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const parts: string[] = []
  let at = 0
  for (const edit of inTextOrder(edits)) {
    if (edit.start < at) throw new Error(`two edits overlap at ${edit.start}`)
    parts.push(text.slice(at, edit.start), edit.text)
    at = edit.end
  }
  return parts.join('') + text.slice(at)
}

/** Edits with the indexes of the patches that need them. Several patches share an edit where it changes an anchor. */
export type EditGroup = { readonly patches: readonly number[]; readonly edits: EditPlan }

/** Groups of which no two overlap, and the patches that do not fit beside them. */
type EditGroups = {
  readonly groups: readonly EditGroup[]
  /** Indexes of patches whose edits overlap those of another patch, also of one that shares an edit with them. */
  readonly deferred: ReadonlySet<number>
}

/** Groups the plans of patches, of which the undefined ones have none; `accepted` are edits to keep clear of. */
export function groupPlans(plans: readonly (EditPlan | undefined)[], accepted: readonly EditGroup[] = []): EditGroups {
  const ranges = createRanges(accepted.flatMap(({ edits }) => edits))
  const groups: EditGroup[] = []
  const deferred = new Set<number>()
  for (const group of joinShared(plans))
    if (!hasOverlap(group.edits) && group.edits.every(ranges.isFree)) {
      group.edits.forEach(ranges.occupy)
      groups.push(group)
    } else for (const patch of group.patches) deferred.add(patch)
  return { groups, deferred }
}

/** One group for all plans that have an edit in common. */
function joinShared(plans: readonly (EditPlan | undefined)[]): Iterable<EditGroup> {
  const byEdit = new Map<string, EditGroup>()
  const groups = new Set<EditGroup>()
  for (const [index, plan] of plans.entries()) {
    if (!plan) continue
    const own = plan.map(withKey)
    const others = new Set(own.map(([key]) => byEdit.get(key)).filter((group) => group !== undefined))
    const keyed = new Map([...[...others].flatMap(({ edits }) => edits.map(withKey)), ...own])
    const group = {
      patches: [...[...others].flatMap(({ patches }) => patches), index],
      edits: [...keyed.values()],
    }
    for (const other of others) groups.delete(other)
    groups.add(group)
    for (const key of keyed.keys()) byEdit.set(key, group)
  }
  return groups
}

const withKey = (edit: TextEdit): readonly [key: string, TextEdit] => [`${edit.start} ${edit.end} ${edit.text}`, edit]

/** The ranges that edits occupy. */
function createRanges(edits: readonly TextEdit[]) {
  const occupied: TextEdit[] = []
  /** How many edits begin before this one, or at its start and end no later. */
  const rank = ({ start, end }: TextEdit): number => {
    let [low, high] = [0, occupied.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const other = occupied[middle]
      if (other && (other.start < start || (other.start === start && other.end <= end))) low = middle + 1
      else high = middle
    }
    return low
  }
  const overlaps = (a: TextEdit, b: TextEdit | undefined): boolean =>
    b !== undefined && a.start < b.end && b.start < a.end
  const occupy = (edit: TextEdit): void => void occupied.splice(rank(edit), 0, edit)
  edits.forEach(occupy)
  return {
    occupy,
    isFree: (edit: TextEdit): boolean => {
      const at = rank(edit)
      return !overlaps(edit, occupied[at - 1]) && !overlaps(edit, occupied[at])
    },
  }
}
