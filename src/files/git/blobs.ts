/** Contents of files in a repository, from one `git cat-file --batch` that is asked again and again. */
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { complaintOf, type Git } from './git.ts'

/** Hears of each blob that was asked for: its bytes, or undefined where it is missing or larger than is read. */
export type OnBlob = (id: string, bytes: Buffer | undefined) => void

export type Blobs = {
  /** Reads blobs in the order of their ids. Rejects with a {@link GitFailure} where Git gives up. */
  read(ids: readonly string[], onBlob: OnBlob): Promise<void>
  /** Ends the program, where it was started. */
  close(): void
}

/** Git could not do what it is there for. The message is one line for people. */
export class GitFailure extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'GitFailure'
  }
}

/** Prepares the reader; Git is started when the first blob is asked for. */
export function createBlobs(git: Git, mostBytes: number): Blobs {
  let program: ChildProcessWithoutNullStreams | undefined
  return {
    async read(ids, onBlob) {
      if (ids.length === 0) return
      program ??= git.start('cat-file', '--batch')
      await exchange(program, ids, { onBlob, mostBytes })
    },
    close: () => void program?.stdin.end(),
  }
}

type Reading = { readonly onBlob: OnBlob; readonly mostBytes: number }

function exchange(program: ChildProcessWithoutNullStreams, ids: readonly string[], reading: Reading): Promise<void> {
  return new Promise((resolve, reject) => {
    const complaints: Buffer[] = []
    let left = ids.length
    const parse = createParser(reading.mostBytes, (id, bytes) => {
      reading.onBlob(id, bytes)
      left -= 1
    })
    const onComplaint = (chunk: Buffer) => complaints.push(chunk)
    const fail = (error?: unknown) => {
      const stderr = Buffer.concat(complaints).toString()
      const reason = complaintOf({ code: 1, stdout: Buffer.alloc(0), stderr })
      stop(() => reject(new GitFailure(`Git cannot read its files: ${reason || error || 'it ended early'}`)))
    }
    const onData = (chunk: Buffer) => {
      parse(chunk)
      if (left === 0) stop(resolve)
    }
    const stop = (then: () => void) => {
      program.stdout.off('data', onData)
      program.stderr.off('data', onComplaint)
      program.off('close', fail)
      then()
    }
    program.on('error', fail)
    program.on('close', fail)
    program.stdin.on('error', () => {})
    program.stdout.on('data', onData)
    program.stderr.on('data', onComplaint)
    program.stdin.write(`${ids.join('\n')}\n`)
  })
}

const LINE_FEED = 10

/** Parses `ID blob SIZE`, a line break, the bytes and a line break; or `ID missing`. Chunks end anywhere. */
function createParser(mostBytes: number, onBlob: OnBlob): (chunk: Buffer) => void {
  let header = ''
  let blob: { readonly id: string; readonly size: number; readonly parts: Buffer[]; seen: number } | undefined
  const finish = ({ id, size, parts }: NonNullable<typeof blob>) => {
    onBlob(id, size > mostBytes ? undefined : Buffer.concat(parts))
    blob = undefined
  }
  const readHeader = (chunk: Buffer, from: number): number => {
    const end = chunk.indexOf(LINE_FEED, from)
    header += chunk.toString('latin1', from, end === -1 ? undefined : end)
    if (end === -1) return chunk.length
    const [id = '', type, size] = header.split(' ')
    header = ''
    if (type === 'missing' || size === undefined) onBlob(id, undefined)
    else blob = { id, size: Number(size), parts: [], seen: 0 }
    return end + 1
  }
  return (chunk) => {
    let at = 0
    while (at < chunk.length) {
      if (!blob) {
        at = readHeader(chunk, at)
        continue
      }
      const end = Math.min(chunk.length, at + blob.size - blob.seen)
      if (blob.size <= mostBytes && end > at) blob.parts.push(chunk.subarray(at, end))
      blob.seen += end - at
      at = end
      // The line break behind the bytes is taken along with them.
      if (blob.seen === blob.size && at < chunk.length) {
        at += 1
        finish(blob)
      }
    }
  }
}
