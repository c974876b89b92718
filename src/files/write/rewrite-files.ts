/** Writes fixed texts over the files that they were read from. */
import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { readRegularFile } from '../../disk/read-regular-file.ts'
import { decodeText, encodeText } from '../../yaml/decode.ts'
import { MAX_FILE_BYTES } from '../discover/file-tree.ts'
import { describeSystemError, type InputProblem } from '../input-problem.ts'
import { commitDraft, discardDraft, type FileDraft, isTargetUnchanged, syncDraft, writeDraft } from './replace-file.ts'
import { checkWithinTree, type Tree } from './within-tree.ts'

/** A file to rewrite. */
export type Rewrite = {
  /** As the report names it. */
  readonly file: string
  /** Absolute path; a link is followed and stays a link. */
  readonly path: string
  /** The text that was read from it. */
  readonly before: string
  readonly after: string
}

/** How many files are synced to the disk at once. */
const BATCH = 64

/**
 * Rewrites files: writes drafts, syncs them to the disk, renames them. A file is left as it is where it is read-only or
 * has another content by now. Other hard links to a file keep the old text, as with editors. Returns what was not
 * written. A signal that ends the process takes effect between two files; no draft is left behind.
 */
export async function rewriteFiles(rewrites: readonly Rewrite[], tree: Tree): Promise<readonly InputProblem[]> {
  const problems: InputProblem[] = []
  const signals = deferSignals()
  // Files that are synced together share the commits of the disk's journal. Node reads this when the first one waits.
  process.env.UV_THREADPOOL_SIZE ??= String(BATCH)
  const attempt = <Value>({ file }: Rewrite, step: () => Value): Value | undefined => {
    try {
      return step()
    } catch (error) {
      problems.push({ file, reason: error instanceof NotFixed ? error.message : describeSystemError(error) })
      return undefined
    }
  }
  try {
    for (let from = 0; from < rewrites.length && !signals.hasCome(); from += BATCH) {
      const batch = rewrites.slice(from, from + BATCH)
      const drafts = batch.flatMap((rewrite) => {
        const draft = attempt(rewrite, () => draftOf(rewrite, tree))
        return draft ? [{ rewrite, draft }] : []
      })
      const synced = await Promise.allSettled(drafts.map(({ draft }) => syncDraft(draft)))
      for (const [index, { rewrite, draft }] of drafts.entries())
        attempt(rewrite, () => finish(draft, { synced: synced[index], isStopping: signals.hasCome() }))
    }
    return problems
  } finally {
    signals.release()
  }
}

/** Why a file is not rewritten, as a message for the user. */
class NotFixed extends Error {}

const CHANGED = 'changed while it was checked, so it is not fixed: run it again'
const ANY_WRITE_BIT = 0o222

function draftOf({ path, before, after }: Rewrite, tree: Tree): FileDraft | undefined {
  checkWithinTree(path, tree)
  const target = realpathSync.native(path)
  const old = statSync(target)
  // Root can write read-only files, but they were made read-only on purpose.
  if ((old.mode & ANY_WRITE_BIT) === 0 || !isWritable(target)) throw new NotFixed('read-only, so it is not fixed')
  const bytes = readRegularFile(target, MAX_FILE_BYTES)
  const { text } = decodeText(bytes)
  if (text === after) return undefined
  if (text !== before) throw new NotFixed(CHANGED)
  const draft = writeDraft(target, encodeText(after, bytes), old)
  if (draft.keepsOwner) return draft
  discardDraft(draft)
  throw new NotFixed('it belongs to another user or group, which would change, so it is not fixed')
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

type End = { readonly synced: PromiseSettledResult<void> | undefined; readonly isStopping: boolean }

/** Puts a draft in its place, unless the file has changed since it was read. */
function finish(draft: FileDraft, { synced, isStopping }: End): void {
  let isReady = false
  try {
    if (synced?.status === 'rejected') throw synced.reason
    if (isStopping) return
    if (!isTargetUnchanged(draft)) throw new NotFixed(CHANGED)
    isReady = true
  } finally {
    if (!isReady) discardDraft(draft)
  }
  commitDraft(draft)
}

/** Holds back the signals that end the process until `release`, which sends the first of them again. */
function deferSignals() {
  const come: NodeJS.Signals[] = []
  const defer = (signal: NodeJS.Signals) => void come.push(signal)
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  for (const name of names) process.on(name, defer)
  return {
    hasCome: () => come.length > 0,
    release: () => {
      for (const name of names) process.off(name, defer)
      const [signal] = come
      if (signal) process.kill(process.pid, signal)
    },
  }
}
