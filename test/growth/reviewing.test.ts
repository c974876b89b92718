/** A review takes time in proportion to its object, whatever is wrong with that: over a socket, all in this thread. */
import { afterAll, it } from 'vitest'
import { openReviewShapes } from '../../bench/shapes/reviews.ts'
import { expectLinearEach } from './growth.ts'

const reviews = await openReviewShapes()
afterAll(() => reviews.close())

it.each(Object.entries(reviews.shapes))('a review of %s', (_, prepare) => expectLinearEach(prepare, 64))
