/** What a shape of input is. */
import type { Work } from '../../test/growth/cost.ts'

/**
 * Makes the work for a size: what is done before it is called is not measured. Undefined for a size that is larger than
 * what is read at all.
 */
export type Shape = (size: number) => Work | undefined
