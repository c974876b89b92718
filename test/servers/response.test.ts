import { describe, expect, it } from 'vitest'
import { fitted, shortened } from '../../src/admission/response.ts'

describe('a warning', () => {
  it('keeps its end where its middle is too long', () => {
    const line = shortened('x'.repeat(500), ' [gateway/name]')
    expect(line).toHaveLength(119)
    expect(line).toMatch(/^x+… \[gateway\/name\]$/)
  })

  it('is one line, and cuts no character in two', () => {
    expect(shortened('a\r\nb\u0000c')).toBe('a  b c')
    const line = shortened('😀'.repeat(100))
    expect(Buffer.from(line).toString()).toBe(line)
  })
})

describe('warnings', () => {
  it('are handed on as they are while they fit', () => {
    const few = ['a', 'b']
    expect(fitted(few)).toBe(few)
  })

  it.each(['x', 'ä', '😀'])('of many "%s" stay under 4096 bytes and count those left out', (character) => {
    const many = Array.from({ length: 300 }, () => character.repeat(50))
    const shown = fitted(many)
    expect(Buffer.byteLength(shown.join(''))).toBeLessThanOrEqual(4096)
    expect(shown.at(-1)).toBe(`and ${301 - shown.length} more findings; "sluice lint" lists them all`)
  })
})
