import { expect, it } from 'vitest'
import { createReadingProgress, describeReading } from '../../src/cli/simulate/progress.ts'

it.each([
  [{ lines: 1_000_000, bytes: 25, total: 100, seconds: 2 }, '1,000,000 lines, 500,000 per second, 25 %, 6 s left'],
  [{ lines: 1000, bytes: 1, total: 1000, seconds: 1 }, '1,000 lines, 1,000 per second, 0 %, 16 min 39 s left'],
  [{ lines: 1000, bytes: 500, total: undefined, seconds: 1 }, '1,000 lines, 1,000 per second'],
])('describes the progress: %j', (state, words) => expect(describeReading(state)).toBe(words))

/** What is written on a stream while 20 lines are read, within two seconds. */
function writtenOn(isTTY: boolean): readonly string[] {
  let time = 0
  const written: string[] = []
  const stderr = { isTTY, isFile: false, columns: 80, write: (text: string) => void written.push(text) }
  const progress = createReadingProgress({ stderr, now: () => time }, 100)
  progress.onBytes(50)
  progress.onLines(10)
  time = 2000
  progress.onLines(20)
  progress.clear()
  return written
}

it('writes on a terminal after a second, and removes its line', () =>
  expect(writtenOn(true)).toEqual(['\r20 lines, 10 per second, 50 %, 2 s left\x1b[K', '\r\x1b[K']))

it('writes nothing elsewhere', () => expect(writtenOn(false)).toEqual([]))
