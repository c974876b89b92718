/** Parts of logs to read, and how one is read: by whichever thread has time. */
import { closeSync, openSync } from 'node:fs'
import type { Batch } from '../core/batch.ts'
import { createRangeReader, type Range } from './blocks.ts'
import { createEncoder } from './encoder.ts'
import type { EncoderOptions } from './encoder-options.ts'

/** A part of a file, or whole lines at hand. */
export type Task =
  | { readonly type: 'range'; readonly path: string; readonly range: Range }
  | { readonly type: 'bytes'; readonly bytes: Uint8Array<ArrayBuffer> }

/** Reads tasks one after another. */
export type TaskReader = {
  read(task: Task): Batch
  close(): void
}

/** A reader that keeps the file of the last task open. */
export function createTaskReader(options: EncoderOptions): TaskReader {
  const encode = createEncoder(options)
  const readRange = createRangeReader()
  let open: { readonly path: string; readonly descriptor: number } | undefined
  const close = (): void => {
    if (open) closeSync(open.descriptor)
    open = undefined
  }
  const descriptorOf = (path: string): number => {
    if (open?.path !== path) {
      close()
      open = { path, descriptor: openSync(path, 'r') }
    }
    return open.descriptor
  }
  return {
    read: (task) => encode(task.type === 'bytes' ? task.bytes : readRange(descriptorOf(task.path), task.range)),
    close,
  }
}
