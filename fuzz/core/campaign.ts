/** Asks one target about random inputs until its time is over, and measures what each takes. */
import { createRandom } from '../../bench/random.ts'
import { minimise } from './minimise.ts'
import type { Input, OpenTarget, Problem, Target } from './target.ts'

/** An input for which something does not hold, as small as it could be made. */
export type Find = Problem & { readonly target: string; readonly seed: number; readonly input: Input }

/** What a campaign has found. */
export type Campaign = {
  readonly inputs: number
  readonly milliseconds: number
  /** One for each kind of mistake. */
  readonly finds: readonly Find[]
}

/** Milliseconds of processor time for one input; an input that needs more gets two more chances, as the machine is shared. */
const MOST_TIME = 1000
const CHANCES = 3

/** Bytes that may be kept after the inputs of a campaign: that many, and this many times the largest input. */
const MOST_MEMORY = 150 * 2 ** 20
const MEMORY_FACTOR = 200

/** How many inputs are made before they are checked: many where another program is asked about all of them at once. */
const BATCH = 20
const PREPARED_BATCH = 500

/** Every input has its own random numbers, so that the same seed makes the same inputs, however many there are. */
const randomFor = (seed: number, index: number) => createRandom(Math.imul(seed + index, 0x9e3779b1) ^ (seed >>> 7))

/** Fuzzes a target. Finds of the same kind are reported once. */
export async function fuzz(target: Target, seed: number, milliseconds: number): Promise<Campaign> {
  const opened = await target.open()
  const length = opened.prepare ? PREPARED_BATCH : BATCH
  const finds = new Map<string, Find>()
  const add = (problem: Problem, input: Input) =>
    finds.set(problem.what, { ...problem, target: target.name, seed, input })
  const before = keptMemory()
  let [inputs, largest, took] = [0, 0, 0]
  while (took < milliseconds) {
    const start = performance.now()
    const first = inputs
    const batch = Array.from({ length }, (_, index) => target.make(randomFor(seed, first + index)))
    const asked = await askAll(opened, batch, start + milliseconds - took)
    inputs += asked.inputs
    took += performance.now() - start
    largest = Math.max(largest, ...batch.map(sizeOf))
    for (const [what, input] of asked.bad) if (!finds.has(what)) add(...(await smallest(opened, what, input)))
  }
  for (const problem of (await opened.close?.()) ?? []) add(problem, null)
  const kept = keptMemory() - before
  if (kept > MOST_MEMORY + MEMORY_FACTOR * largest)
    add({ what: 'memory', detail: `${kept} bytes are kept after inputs of at most ${largest}` }, null)
  return { inputs, milliseconds: took, finds: [...finds.values()] }
}

/** Checks inputs until a time. Returns how many, and those for which something does not hold. */
async function askAll(opened: OpenTarget, batch: readonly Input[], end: number) {
  opened.prepare?.(batch)
  const bad: (readonly [string, Input])[] = []
  for (const [index, input] of batch.entries()) {
    for (const { what } of await problemsOf(opened, input)) bad.push([what, input])
    if (performance.now() > end) return { inputs: index + 1, bad }
  }
  return { inputs: batch.length, bad }
}

/** The smallest input with the same mistake. */
async function smallest(opened: OpenTarget, what: string, input: Input): Promise<[Problem, Input]> {
  const again = async (smaller: Input) => (await problemsOf(opened, smaller)).find((problem) => problem.what === what)
  const least = await minimise(input, async (smaller) => (await again(smaller)) !== undefined)
  return [(await again(least)) ?? { what, detail: 'not every time' }, least]
}

/** Everything that does not hold for an input: that it throws and takes too long as well: `most` milliseconds. */
export async function problemsOf(opened: OpenTarget, input: Input, most = MOST_TIME): Promise<readonly Problem[]> {
  let least = Number.POSITIVE_INFINITY
  let problems: readonly Problem[] = []
  for (let chance = 0; chance < CHANCES && least > most; chance++) {
    const began = process.threadCpuUsage()
    try {
      problems = await opened.check(input)
    } catch (error) {
      problems = [{ what: `exception ${firstLine(error)}`, detail: stackOf(error) }]
    }
    const { user, system } = process.threadCpuUsage(began)
    least = Math.min(least, (user + system) / 1000)
  }
  return least > most ? [...problems, { what: 'time', detail: `${Math.round(least)} ms` }] : problems
}

/** Numbers and quoted words vary from one input to the next. */
const firstLine = (error: unknown): string =>
  String(error)
    .split('\n', 1)
    .join('')
    .replace(/"(?:[^"\\]|\\.)*"|\d+/g, '…')
    .slice(0, 100)
const stackOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error))

const sizeOf = (input: Input): number => (typeof input === 'string' ? input : JSON.stringify(input)).length

/** Bytes in use after a collection, where the process has `--expose-gc`. */
function keptMemory(): number {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
