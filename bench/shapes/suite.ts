/**
 * Inputs of strangers: shapes that have made some linter's time grow with the square of their size, or faster. Each is
 * measured at one size and at four times that size.
 */
import { costOfEach } from '../../test/growth/cost.ts'
import type { Measured, Suite } from '../suite.ts'
import { FILE_SHAPES } from './files.ts'
import { openReviewShapes } from './reviews.ts'
import type { Shape } from './shape.ts'
import { SURFACE_SHAPES } from './surfaces.ts'
import { TEXT_SHAPES } from './texts.ts'

const TIMES = 4
const MOST = 5
const ROUNDS = 3
/** A shape above the bar is measured again before it is believed: what else the machine does only adds. */
const DOUBTS = 3

/** Milliseconds of the smaller work, and how many times that of the smallest: below, what does not grow counts more. */
const ENOUGH = 5
const GROWN = 3
/** Milliseconds for which a work is repeated: the clock may be a coarse one. */
const MEASURED = 30
const SMALLEST = 64
const LARGEST = 1 << 18

/** The growth of every shape; the figure is that of the worst one. */
export const SHAPE_SUITE: Suite = {
  name: 'shapes',
  what: `shapes of input, ${TIMES} times the size : the size, in processor time`,
  bar: String(MOST),
  async measure(): Promise<Measured> {
    const grown = (await growths()).sort((a, b) => b.ratio - a.ratio)
    const shown = grown.slice(0, 3).map(({ name, ratio, size }) => `${name} ${ratio.toFixed(1)} (from ${size})`)
    const worst = grown[0]?.ratio ?? 0
    const details = `of ${grown.length} shapes: ${shown.join(', ')}`
    return { figure: worst.toFixed(2), kept: worst <= MOST, details }
  },
}

/** How many times as much a shape of four times the size costs, and from which size on. */
type Growth = { readonly name: string; readonly ratio: number; readonly size: number }

/** Measures all shapes whose names have a part. Calls `onEach` with each. */
async function growths(part = '', onEach?: (growth: Growth) => void): Promise<Growth[]> {
  const reviews = await openReviewShapes()
  try {
    const shapes = Object.entries({ ...TEXT_SHAPES, ...SURFACE_SHAPES, ...FILE_SHAPES, ...reviews.shapes })
    const grown: Growth[] = []
    for (const [name, shape] of shapes) {
      if (!name.includes(part)) continue
      const one = { name, ...(await growth(shape)) }
      grown.push(one)
      onEach?.(one)
    }
    return grown
  } finally {
    reviews.close()
  }
}

async function growth(shape: Shape): Promise<Pick<Growth, 'ratio' | 'size'>> {
  const cost = async (some: number) => {
    const work = shape(some)
    return work ? await costOfEach(work, MEASURED) : Number.POSITIVE_INFINITY
  }
  let size = SMALLEST
  // What is compiled meanwhile counts for neither.
  await cost(size)
  const enough = Math.max(ENOUGH, GROWN * (await cost(size)))
  while (size < LARGEST && shape(2 * size * TIMES) && (await cost(size)) < enough) size *= 2
  const least = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY }
  const ratio = () => least.large / least.small
  for (let round = 0; round < ROUNDS || (round < ROUNDS * DOUBTS && ratio() > MOST); round++) {
    least.small = Math.min(least.small, await cost(size))
    least.large = Math.min(least.large, await cost(size * TIMES))
  }
  return { ratio: ratio(), size }
}
