import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blocksOf } from '../../src/simulate/core/line-blocks.ts'
import { LONGEST_LINE } from '../../src/simulate/core/log-reading.ts'
import { createRangeReader, rangesOf } from '../../src/simulate/logs/blocks.ts'
import { BrokenLog } from '../../src/simulate/logs/gunzip.ts'
import { type LogInput, openLogFile, openLogStream } from '../../src/simulate/logs/log-input.ts'
import { createFolder } from '../files/folder.ts'
import { holds } from '../support/holds.ts'

const write = (content: string | Uint8Array, name = 'access.log'): string =>
  join(createFolder({ [name]: content }), name)

/** The text of a file, read in parts of so many bytes. */
function inParts(text: string, block: number): readonly string[] {
  const descriptor = openSync(write(text), 'r')
  const read = createRangeReader()
  const parts = rangesOf(Buffer.byteLength(text), block).map((range) => Buffer.from(read(descriptor, range)).toString())
  closeSync(descriptor)
  return parts
}

const lines = fc
  .array(fc.string({ unit: 'grapheme-ascii', maxLength: 30 }), { maxLength: 40 })
  .map((all) => all.join('\n'))

const size = fc.integer({ min: 1, max: 60 })

describe('a file in parts', () => {
  it('gives every line once and whole, wherever the parts are cut', () =>
    holds(lines, size, (text, block) => {
      const parts = inParts(text, block)
      expect(parts.join('')).toBe(text)
      for (const part of parts.slice(0, -1))
        expect(part === '' || part.endsWith('\n') || text.endsWith(part)).toBe(true)
    }))

  it('gives lines of 100 kB whole', () => {
    const text = `a\n${'b'.repeat(100_000)}\nc\n`
    expect(inParts(text, 1000).filter((part) => part !== '')).toEqual([`a\n${'b'.repeat(100_000)}\n`, 'c\n'])
  })

  it('cuts a line that never ends', () => {
    const parts = inParts(`a\n${'b'.repeat(3 * LONGEST_LINE)}\nc\n`, LONGEST_LINE)
    expect(parts.map((part) => part.length < 3 * LONGEST_LINE)).not.toContain(false)
    expect(parts.at(-1)).toBe('c\n')
  })
})

const collect = async (blocks: AsyncIterable<Uint8Array>): Promise<string[]> => {
  const all: string[] = []
  for await (const block of blocks) all.push(Buffer.from(block).toString())
  return all
}

/** Bytes in pieces of a size. */
const inChunks = (bytes: Uint8Array, size: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size))

describe('a stream in blocks', () => {
  it('gives every line once and whole', async () =>
    await fc.assert(
      fc.asyncProperty(lines, size, size, async (text, chunk, block) => {
        const blocks = await collect(blocksOf(inChunks(Buffer.from(text), chunk), block))
        expect(blocks.join('')).toBe(text)
        for (const one of blocks.slice(0, -1)) expect(one.endsWith('\n')).toBe(true)
      }),
    ))

  it('cuts a line that never ends', async () => {
    const long = Array.from({ length: 48 }, () => Buffer.alloc(65_536, 'b'))
    const blocks = await collect(blocksOf([Buffer.from('a\n'), ...long, Buffer.from('bb\nc\n')]))
    expect(blocks.at(0)?.startsWith('a\n')).toBe(true)
    expect(blocks.join('').length).toBeLessThan(2 * LONGEST_LINE + 65_540)
    expect(blocks.at(-1)).toBe('c\n')
  })
})

/** The text of a log, up to where reading it fails, and why it does. */
async function contentOf({ blocks }: LogInput): Promise<{ text: string; error?: unknown }> {
  let text = ''
  try {
    for await (const block of blocks(() => {})) text += Buffer.from(block).toString()
  } catch (error) {
    return { text, error }
  }
  return { text }
}

describe('opens', () => {
  const text = Array.from({ length: 5000 }, (_, index) => `line ${index}\n`).join('')
  const packed = gzipSync(text)

  it('a file, with its first lines', async () => {
    const input = await openLogFile(write(text), 'access.log')
    expect(input).toMatchObject({ name: 'access.log', size: text.length, isShort: true })
    expect(input.sample).toHaveLength(50)
    expect(await contentOf(input)).toEqual({ text })
  })

  it('a packed file, also of several members, whatever its name', async () => {
    const both = Buffer.concat([packed, gzipSync('last\n')])
    const input = await openLogFile(write(both, 'access.log.1'), 'access.log.1')
    expect(input.path).toBeUndefined()
    expect(input.sample[0]).toBe('line 0')
    expect(await contentOf(input)).toEqual({ text: `${text}last\n` })
  })

  it('a stream, packed or not', async () => {
    for (const bytes of [Buffer.from(text), packed]) {
      const input = await openLogStream(inChunks(bytes, 1000), '-')
      expect(input.sample[0]).toBe('line 0')
      expect(await contentOf(input)).toEqual({ text })
    }
  })

  const long = 'b'.repeat(30_000)
  it.each([
    ['nothing', '', [''], true],
    ['a short log, whose last line may lack its end', 'a\nb', ['a', 'b'], true],
    ['a long log, of whose first bytes the last line is cut off', `${long}\n${long}\n${long}\n`, [long, long], false],
  ])('%s', async (_, content, sample, isShort) => {
    expect(await openLogFile(write(content), 'x')).toMatchObject({ sample, size: content.length, isShort })
    const stream = await openLogStream(content === '' ? [] : [Buffer.from(content)], '-')
    expect([stream.sample[0], stream.isShort]).toEqual([sample[0], isShort])
    expect(await openLogFile(write(gzipSync(content)), 'x')).toMatchObject({ sample: content === '' ? [] : sample })
  })

  it('a packed file that is cut off, up to there', async () => {
    const noise = Array.from({ length: 60_000 }, (_, index) => `${(index * 2_654_435_761) % 4_294_967_296}\n`).join('')
    const input = await openLogFile(write(gzipSync(noise).subarray(0, -1000), 'cut.gz'), 'cut.gz')
    const { text: whole, error } = await contentOf(input)
    expect(error).toEqual(new BrokenLog('the packed data is cut off'))
    expect(noise.startsWith(whole) && whole.endsWith('\n')).toBe(true)
    expect(whole.length).toBeGreaterThan(noise.length * 0.99)
  })

  const wrongChecksum = 'its checksum does not match, so some of its lines may be wrong'
  it.each([
    ['behind the packed data is something else, which is not read', [packed, Buffer.from('x')]],
    ['behind the packed data is something else, which is not read', [packed, Buffer.from(text)]],
    ['the packed data is cut off', [packed.subarray(0, -3)]],
    ['the packed data is cut off', [packed, packed.subarray(0, 12)]],
    ['the packed data is damaged', [packed.subarray(0, -4), Buffer.alloc(4)]],
    [`the packed data is damaged: ${wrongChecksum}`, [packed.subarray(0, -8), Buffer.alloc(4), packed.subarray(-4)]],
    ['the packed data is damaged', [packed, gzipSync('a').subarray(0, 10), Buffer.alloc(9, 7)]],
  ])('all lines although %s', async (problem, parts) => {
    for (const size of [1, 7, 100_000]) {
      const input = await openLogStream(inChunks(Buffer.concat(parts), size), '-')
      expect(await contentOf(input)).toEqual({ text, error: new BrokenLog(problem) })
    }
  })

  it('a packed file with a name, and with zeros behind it', async () => {
    const named = Buffer.concat([packed.subarray(0, 3), Buffer.from([8 + 4]), packed.subarray(4, 10)])
    const extra = Buffer.from('\x03\x00abcaccess.log\x00', 'latin1')
    const input = await openLogStream([named, extra, packed.subarray(10), Buffer.alloc(700)], '-')
    expect(await contentOf(input)).toEqual({ text })
  })

  it('no file that is not there', () =>
    expect(openLogFile(join(createFolder(), 'nowhere'), 'nowhere')).rejects.toMatchObject({ code: 'ENOENT' }))
})

it('no more of a stream is read than its format needs, before it is asked for', async () => {
  let pulled = 0
  const chunks = (function* () {
    for (; pulled < 100; pulled += 1) yield Buffer.alloc(16 * 1024, 'a\n')
  })()
  await openLogStream(chunks, 'stdin')
  expect(pulled).toBe(3)
})
