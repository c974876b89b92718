/**
 * How large what kustomize builds may get: each copy can double an object, each path can nest it deeper, and each base can
 * build on another one.
 */
import { isObject, type Json } from '../json/member.ts'
import { MAX_DEPTH } from '../yaml/parse/problem.ts'
import { BuildFailure } from './failure.ts'
import { isList } from './traced.ts'

/** Values that one copy may have. */
const LARGEST_COPY = 10_000

/** Kustomizations that may build on one another: many more are deeper than the stack is. */
const MOST_BASES = 500

/** Throws {@link BuildFailure} for a kustomization below too many others. */
export function rejectDeepBase(above: readonly string[], file: string): void {
  if (above.length >= MOST_BASES)
    throw new BuildFailure(file, `more than ${MOST_BASES} kustomizations build on one another`)
}

/** Throws {@link BuildFailure} for a path with more names than objects may have levels. */
export function rejectLongPath(path: readonly string[], file: string): void {
  if (path.length > MAX_DEPTH) throw tooDeep(file)
}

/** Throws {@link BuildFailure} where a copy of a value to a path is nested too deeply or very large. */
export function rejectLargeCopy(value: Json, path: readonly string[], file: string): void {
  let [level, count] = [path.length, 0]
  // Level by level, so that no value is deeper than the stack is.
  for (let values: readonly Json[] = [value]; values.length > 0; values = values.flatMap(childrenOf)) {
    count += values.length
    if (level > MAX_DEPTH) throw tooDeep(file)
    if (count > LARGEST_COPY) throw new BuildFailure(file, `copies more than ${LARGEST_COPY} values at once`)
    level++
  }
}

const childrenOf = (value: Json): readonly Json[] =>
  isList(value) ? value : isObject(value) ? Object.values(value).map((member) => member ?? null) : []

const tooDeep = (file: string): BuildFailure =>
  new BuildFailure(file, `would build an object that is nested deeper than ${MAX_DEPTH} levels`)
