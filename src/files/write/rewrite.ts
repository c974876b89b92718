/** Writes new texts over files that were read: each file is the old one or the new one, whole, at any moment. */
import { randomUUID } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { decodeText, encodeText } from '../../yaml/decode.ts'
import { codeOf, type InputProblem, reasonOf } from '../problem.ts'

/** A file to write anew. */
export type Rewrite = {
  /** As the report names it. */
  readonly file: string
  /** Where it is; a link is followed and stays a link. */
  readonly path: string
  /** What was read from it. */
  readonly before: string
  readonly after: string
}

/** A new text beside the file that it will replace. */
type Draft = Rewrite & {
  readonly target: string
  readonly place: string
  readonly descriptor: number
  readonly was: Stats
}

const WRITABLE_BY_ANYBODY = 0o222
const MODE = 0o7777

/** So many files wait for the disk at once. */
const BATCH = 64

/**
 * Writes files: beside their place first, then to the disk, then renamed. A file that is read-only, or that says
 * something else by now, is left as it is. Names that are hard links to a file keep its old text, as they do under
 * editors. Answers what was not written; a signal to end is obeyed between files, with nothing left lying about.
 */
export async function rewriteFiles(rewrites: readonly Rewrite[]): Promise<readonly InputProblem[]> {
  const problems: InputProblem[] = []
  const signals = holdSignals()
  // Files that wait for the disk together share its journal's commits. Node starts its threads when the first waits.
  process.env.UV_THREADPOOL_SIZE ??= String(BATCH)
  const attempt = <Value>({ file }: Rewrite, step: () => Value): Value | undefined => {
    try {
      return step()
    } catch (error) {
      problems.push({ file, reason: error instanceof Refusal ? error.message : reasonOf(error) })
      return undefined
    }
  }
  try {
    for (let from = 0; from < rewrites.length && !signals.hasCome(); from += BATCH) {
      const batch = rewrites.slice(from, from + BATCH)
      const drafts = batch.flatMap((rewrite) => attempt(rewrite, () => writeDraft(rewrite)) ?? [])
      const errors = await Promise.all(drafts.map(settle))
      for (const [index, draft] of drafts.entries())
        attempt(draft, () => finish(draft, { error: errors[index], isWanted: !signals.hasCome() }))
    }
    return problems
  } finally {
    signals.release()
  }
}

/** Why a file is not written, for people. */
class Refusal extends Error {}

function writeDraft(rewrite: Rewrite): Draft | undefined {
  const target = realpathSync.native(rewrite.path)
  const was = statSync(target)
  // Whoever is root may write what is read-only, and means it to stay as it is all the same.
  if ((was.mode & WRITABLE_BY_ANYBODY) === 0 || !isWritable(target)) throw new Refusal('read-only, so it is not fixed')
  const bytes = readFileSync(target)
  const { text } = decodeText(bytes)
  if (text === rewrite.after) return undefined
  if (text !== rewrite.before) throw new Refusal(CHANGED)
  const place = join(dirname(target), `.sluice-${randomUUID()}`)
  const descriptor = openSync(place, 'wx', was.mode & MODE)
  const draft = { ...rewrite, target, place, descriptor, was }
  try {
    writeFileSync(descriptor, encodeText(rewrite.after, bytes))
    keepRights(draft)
    return draft
  } catch (error) {
    closeSync(descriptor)
    rmSync(place, { force: true })
    throw error
  }
}

const CHANGED = 'changed while it was judged, so it is not fixed: run it again'

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Gives a draft the owner and the mode of its file. Only root can give a file away. */
function keepRights({ descriptor, was }: Draft): void {
  const is = fstatSync(descriptor)
  try {
    if (is.uid !== was.uid || is.gid !== was.gid) fchownSync(descriptor, was.uid, was.gid)
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error
  }
  if (is.mode !== was.mode) fchmodSync(descriptor, was.mode & MODE)
}

const flush = promisify(fsync)

/** Waits until the disk has a draft; answers the error where it never will. */
const settle = ({ descriptor }: Draft): Promise<unknown> => flush(descriptor).catch((error: unknown) => error)

type End = { readonly error: unknown; readonly isWanted: boolean }

/** Puts a draft in its place, unless the file there has changed since; else it goes. */
function finish({ target, place, descriptor, was }: Draft, { error, isWanted }: End): void {
  try {
    closeSync(descriptor)
    if (error !== undefined) throw error
    if (!isWanted) return
    const { ino, mtimeMs, size } = statSync(target)
    if (ino !== was.ino || mtimeMs !== was.mtimeMs || size !== was.size) throw new Refusal(CHANGED)
    renameSync(place, target)
  } finally {
    rmSync(place, { force: true })
  }
}

/** Holds back signals that end the process; they are obeyed when it is told to go on. */
function holdSignals() {
  const come: NodeJS.Signals[] = []
  const hold = (signal: NodeJS.Signals) => void come.push(signal)
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const name of names) process.on(name, hold)
  return {
    hasCome: () => come.length > 0,
    release: () => {
      for (const name of names) process.off(name, hold)
      const [signal] = come
      if (signal) process.kill(process.pid, signal)
    },
  }
}
