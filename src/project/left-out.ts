/** What a question about manifests is answered without: documents that cannot be read or built, objects defined twice. */
import { fullName } from '../kubernetes/metadata.ts'
import { cachedBy } from '../world/cache.ts'
import type { ObjectsByKind } from '../world/objects.ts'
import { createLineIndex } from '../yaml/locate.ts'
import type { TextProblem } from '../yaml/parse/problem.ts'
import { type CollectedObjects, canBeLookedUp, type Origin } from './objects.ts'
import { eachOnce, fileOf, type NotJudged, type Source } from './source.ts'

/** What of the objects of a world does not count, each once, in the order of files and lines. */
export function leftOutOf(objects: CollectedObjects, byKind: ObjectsByKind): readonly NotJudged[] {
  const { broken, filledInLater, notBuilt } = objects
  const placeOf = createPlaces()
  const unreadable = broken.flatMap(({ source, document }) => {
    const [problem] = [...document.problems].sort((a, b) => a.start - b.start)
    return problem
      ? [{ ...placeOf(source, problem.start), code: 'unreadable' as const, reason: whyBroken(problem, document) }]
      : []
  })
  const files = new Set(unreadable.map(({ file }) => file))
  return eachOnce([
    ...unreadable,
    ...filledInLater.flatMap((one) =>
      'template' in one
        ? [
            {
              ...placeOf(one.source, one.document.start),
              code: 'template' as const,
              reason: whyTemplate(one.template),
            },
          ]
        : [],
    ),
    // A part that cannot be read has its reason already.
    ...notBuilt
      .filter(({ file }) => !files.has(file))
      .map(({ file, code, reason }) => ({ file, code, reason: `${reason}, so what it changes is left out` })),
    ...definedTwice(objects, byKind),
  ])
}

/** Why the objects of a document are left out, or which of its values count. */
function whyBroken({ code, reason }: TextProblem, { value }: Origin['document']): string {
  if (value === undefined) return `${reason}, so its objects are left out`
  return code === 'duplicate-key'
    ? `${reason}: the last of its values counts`
    : `${reason}: only what can be read counts`
}

const whyTemplate = (mark: string): string =>
  `a template (${mark}), so its objects are left out: pass what is rendered of it`

/** Where something begins; an object without a text has no lines. */
function createPlaces(): (source: Source, start: number) => Pick<NotJudged, 'file' | 'line'> {
  const linesOf = cachedBy((source: Source) => ('object' in source ? undefined : createLineIndex(source.text)))
  return (source, start) => {
    const line = linesOf(source)?.(start).line
    return { file: fileOf(source), ...(line === undefined ? {} : { line }) }
  }
}

/** Objects that cannot be looked up, as it is not known which of several exists. */
function definedTwice({ byKind: found }: CollectedObjects, byKind: ObjectsByKind): readonly NotJudged[] {
  return [...found.values()].flat().flatMap((one): NotJudged[] => {
    const { kind, namespace, name } = one.view.identity
    if (name === undefined || !canBeLookedUp(one) || !byKind.named(kind).index().isAmbiguous(kind, namespace, name))
      return []
    const title = `${kind} ${fullName({ namespace, name })}`
    return [{ file: fileOf(one.origin.source), code: 'ambiguous', reason: `${title} is left out: ${TWICE}` }]
  })
}

/** Why an object that is defined more than once is left out, and what to do. */
export const TWICE = 'it is defined more than once; pass only the paths that belong together'
