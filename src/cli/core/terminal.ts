/** What a terminal gets and a file does not: colours and progress. */
import { InputError, type Io, type Output } from './io.ts'

/** The values of `--color`. */
export const WHEN: readonly string[] = ['auto', 'always', 'never']

/**
 * Whether a stream gets colours: `--color`, then NO_COLOR and FORCE_COLOR, then whether it is a terminal.
 * Throws {@link InputError} for a value other than auto, always, never.
 */
export function wantsColor(when: string | undefined, { isTTY }: Output, { env }: Io): boolean {
  if (when !== undefined && !WHEN.includes(when))
    throw new InputError(`--color must be one of ${WHEN.join(', ')}; got "${when}"`)
  if (when === 'always' || when === 'never') return when === 'always'
  if (env.NO_COLOR) return false
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false'
  return isTTY && env.TERM !== 'dumb'
}

/** A line that shows how far a run is, once it takes more than a second. */
export type Progress = {
  /** Counts one more; the count starts again with another verb. */
  step(verb: string): void
  /** Removes the line. */
  clear(): void
}

/** Milliseconds until the line appears, and between two updates. */
const DELAY = 1000
const INTERVAL = 100

/** Progress on a terminal, in what is counted; on anything else nothing. */
export function createProgress({ stderr, now }: Pick<Io, 'stderr' | 'now'>, counted = 'files'): Progress {
  if (!stderr.isTTY) return { step: () => {}, clear: () => {} }
  let count = 0
  let current = ''
  let shown = false
  let next = now() + DELAY
  return {
    step: (verb) => {
      count = verb === current ? count + 1 : 1
      current = verb
      if (now() < next) return
      next = now() + INTERVAL
      shown = true
      stderr.write(`\r${verb} ${count.toLocaleString('en')} ${counted} …\x1b[K`, 'exact')
    },
    clear: () => {
      if (shown) stderr.write('\r\x1b[K', 'exact')
      shown = false
    },
  }
}
