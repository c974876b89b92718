/** Plans that are made together, and those that have to wait for each other. */
import type { TextEdit } from './edit.ts'
import type { EditPlan } from './edit-site.ts'

/** Edits, and the patches, by index, that they make. Several make the same edit where an anchor is mended. */
export type Unit = { readonly patches: readonly number[]; readonly edits: EditPlan }

export type Units = {
  readonly units: readonly Unit[]
  /** Patches that would edit what another one edits. */
  readonly late: ReadonlySet<number>
}

/** Groups plans, one for each patch that has one; `made` is what has its place already. */
export function unitsOf(plans: readonly (EditPlan | undefined)[], made: readonly Unit[] = []): Units {
  const places = createPlaces(made.flatMap(({ edits }) => edits))
  const units: Unit[] = []
  const late = new Set<number>()
  for (const unit of sharing(plans))
    if (unit.edits.every(places.isFree)) {
      unit.edits.forEach(places.take)
      units.push(unit)
    } else for (const patch of unit.patches) late.add(patch)
  return { units, late }
}

/** One unit for all plans that have an edit in common. */
function sharing(plans: readonly (EditPlan | undefined)[]): Iterable<Unit> {
  const byEdit = new Map<string, Unit>()
  const units = new Set<Unit>()
  for (const [index, plan] of plans.entries()) {
    if (!plan) continue
    const named = new Map(plan.map((edit) => [JSON.stringify(edit), edit]))
    const others = new Set([...named.keys()].map((name) => byEdit.get(name)).filter((unit) => unit !== undefined))
    const unit = {
      patches: [...[...others].flatMap(({ patches }) => patches), index],
      edits: [...new Map([...[...others].flatMap(({ edits }) => edits.map(nameEdit)), ...named]).values()],
    }
    for (const other of others) units.delete(other)
    units.add(unit)
    for (const edit of unit.edits) byEdit.set(JSON.stringify(edit), unit)
  }
  return units
}

const nameEdit = (edit: TextEdit): readonly [string, TextEdit] => [JSON.stringify(edit), edit]

/** What is edited already. */
function createPlaces(edits: readonly TextEdit[]) {
  const taken: TextEdit[] = []
  /** How many begin before an edit does, or where it begins and end no later. */
  const rank = ({ start, end }: TextEdit): number => {
    let [low, high] = [0, taken.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const other = taken[middle]
      if (other && (other.start < start || (other.start === start && other.end <= end))) low = middle + 1
      else high = middle
    }
    return low
  }
  const overlaps = (a: TextEdit, b: TextEdit | undefined): boolean =>
    b !== undefined && a.start < b.end && b.start < a.end
  const take = (edit: TextEdit): void => void taken.splice(rank(edit), 0, edit)
  edits.forEach(take)
  return {
    take,
    isFree: (edit: TextEdit): boolean => {
      const at = rank(edit)
      return !overlaps(edit, taken[at - 1]) && !overlaps(edit, taken[at])
    },
  }
}
