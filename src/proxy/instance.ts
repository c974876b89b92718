/** One nginx and its folder: tests and loads configurations, and remembers which one was accepted. */
import type { ConfigurationFile, Forms } from './configuration.ts'
import { DriverFailure } from './failure.ts'
import type { Slot } from './folder.ts'
import { findMaster, isOwnMaster, type MasterOptions, reload, start } from './master.ts'
import { isAlive, type ProcessIdentity } from './processes.ts'
import { runProgram } from './program.ts'
import { type Verdict, wordsOfTest } from './words.ts'

/** What it took. */
export type Cost = {
  /** Runs of `nginx -t`. */
  readonly tests: number
  /** Signals to a running nginx. */
  readonly reloads: number
  readonly starts: number
}

/** The points at which a driver may be killed and another one goes on; for tests. */
export type Step = 'locked' | 'staged' | 'tested' | 'noted' | 'pointed' | 'started' | 'signalled' | 'loaded' | 'kept'

export type InstanceOptions = Omit<MasterOptions, 'onStep'> & { onStep(step: Step): void }

/** Everything throws failures. */
export type Instance = {
  /** Finds out what a driver before this one has left, or a step that was not finished, and brings it to a known state. */
  takeUp(): Promise<void>
  /** Asks `nginx -t`. It does not see what zones that exist already do not allow: only {@link Instance.load} does. */
  test(files: readonly ConfigurationFile[]): Promise<Verdict>
  /** Starts or reloads. Where it is refused, nginx is left with the configuration before. */
  load(files: readonly ConfigurationFile[], forms: Forms): Promise<Verdict>
  /** Starts nginx with what was accepted last, where none runs. */
  restore(): Promise<void>
  /** The forms that were accepted last, be it by an nginx that has ended; undefined where there are none. */
  accepted(): Forms | undefined
  /** The nginx that runs. */
  master(): ProcessIdentity | undefined
  /** True where an nginx runs, and with what was accepted last. */
  isKnown(): boolean
  /** The nginx that was started or taken up last, dead or alive; undefined where the last start failed. */
  started(): ProcessIdentity | undefined
  /** What it took since this was asked the last time. */
  takeCost(): Cost
}

const NO_COST: Cost = { tests: 0, reloads: 0, starts: 0 }
const OTHER: Readonly<Record<Slot, Slot>> = { a: 'b', b: 'a' }

/** What is known of an nginx. */
type Now = { master: ProcessIdentity | undefined; accepted: Slot | undefined; cost: Cost }

export function createInstance(options: InstanceOptions): Instance {
  const { folder, onStep } = options
  const { master, accepted } = folder.state()
  const isOwn = master && isAlive(master) && isOwnMaster(master, folder)
  const now: Now = { master: isOwn ? master : undefined, accepted, cost: NO_COST }
  const acceptedForms = () => (now.accepted === undefined ? undefined : folder.forms(now.accepted))
  return {
    async takeUp() {
      const { trying, accepted } = folder.state()
      if (living(now) && trying === undefined) return
      now.master = findMaster(folder)
      if (!now.master) return
      for (const slot of [trying, accepted])
        if (slot !== undefined && folder.forms(slot) && (await loadSlot(now, slot, options)).accepted) return
      now.accepted = undefined
    },
    async test(files) {
      const { slot, isInForce } = stage(now, files, options)
      if (isInForce) return { accepted: true }
      count(now, 'tests')
      const verdict = checkFolder(await testSlot(slot, options))
      onStep('tested')
      return verdict
    },
    async load(files, forms) {
      const { slot, isInForce } = stage(now, files, options)
      folder.complete(slot, forms)
      return isInForce ? { accepted: true } : loadSlot(now, slot, options)
    },
    async restore() {
      if (!living(now) && now.accepted !== undefined && acceptedForms()) await loadSlot(now, now.accepted, options)
    },
    accepted: acceptedForms,
    master: () => living(now),
    isKnown: () => living(now) !== undefined && folder.state().trying === undefined,
    started: () => now.master,
    takeCost() {
      const taken = now.cost
      now.cost = NO_COST
      return taken
    },
  }
}

const living = ({ master }: Now) => (master && isAlive(master) ? master : undefined)

function count(now: Now, what: keyof Cost): void {
  now.cost = { ...now.cost, [what]: now.cost[what] + 1 }
}

/** The slot that holds the files: the one in force, or else the free one, which gets them. */
function stage(now: Now, files: readonly ConfigurationFile[], { folder, onStep }: InstanceOptions) {
  const { accepted } = now
  if (accepted !== undefined && living(now) && folder.holds(accepted, files)) return { slot: accepted, isInForce: true }
  const slot = accepted === undefined ? 'a' : OTHER[accepted]
  folder.stage(slot, files)
  onStep('staged')
  return { slot, isInForce: false }
}

async function loadSlot(now: Now, slot: Slot, options: InstanceOptions): Promise<Verdict> {
  const { folder, onStep } = options
  const old = now.accepted
  folder.saveState({ master: now.master, accepted: old, trying: slot })
  onStep('noted')
  folder.point(slot)
  onStep('pointed')
  const verdict = await signalOrStart(now, options).catch((failure: unknown) => {
    // A signal that is obeyed later leads to the old configuration. The next application finds out what came of this one.
    if (old !== undefined) folder.point(old)
    throw failure
  })
  if (verdict.accepted) {
    onStep('loaded')
    now.accepted = slot
  } else if (old !== undefined) {
    folder.point(old)
    // New workers that crash have taken the place of the old ones.
    if (living(now) && verdict.words.startsWith('worker process ')) await signalOrStart(now, options)
  }
  folder.saveState({ master: now.master, accepted: now.accepted })
  onStep('kept')
  return verdict
}

async function signalOrStart(now: Now, options: InstanceOptions): Promise<Verdict> {
  const running = living(now)
  count(now, running ? 'reloads' : 'starts')
  const verdict = checkFolder(running ? await reload(running, options) : await start(options))
  if (!running) now.master = verdict.accepted ? findMaster(options.folder) : undefined
  return verdict
}

async function testSlot(slot: Slot, { folder, program, limits }: InstanceOptions): Promise<Verdict> {
  const args = ['-t', '-q', '-p', folder.path, '-c', folder.mainFile(slot), '-e', 'stderr']
  const { code, signal, output } = await runProgram(program, args, limits.test)
  if (code === 0) return { accepted: true }
  const ending = signal === null ? `nginx -t ended with code ${code}` : `nginx -t ended on ${signal}`
  return { accepted: false, words: wordsOfTest(output, folder.path) || ending }
}

/** ENOSPC, EROFS, EDQUOT in words of nginx about a file that it cannot write: no part is to blame. Source: errno(3). */
const ABOUT_FOLDER = /\((?:28|30|122): [^()]*\)/

function checkFolder(verdict: Verdict): Verdict {
  if (!verdict.accepted && ABOUT_FOLDER.test(verdict.words)) throw new DriverFailure('folder', verdict.words)
  return verdict
}
