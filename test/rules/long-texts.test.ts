/** Texts of megabytes: no regular expression that meets them may run out of stack. */
import { describe, expect, it } from 'vitest'
import { manifest } from '../../rules/gateway/manifest.ts'
import { splitByTemplate } from '../../src/files/discover/stdin.ts'
import { lint } from '../../src/lint/lint.ts'

const LENGTH = 10_000_000

describe('texts of megabytes', () => {
  it('a zoneSize of digits, and words with hyphens behind the name of a header', () => {
    const limits = [
      `{ key: a, rate: 1r/s, zoneSize: "${'1'.repeat(LENGTH)}" }`,
      `{ key: "$http_x${'-a'.repeat(LENGTH / 2)}", rate: 1r/s }`,
    ]
    const { report, faults } = lint([{ file: 'a.yaml', text: manifest({ limits }) }])
    expect(faults).toEqual([])
    const rules = report.findings.map(({ rule }) => rule)
    expect(rules).toEqual(expect.arrayContaining(['gateway/zone-size-syntax', 'gateway/key-too-long']))
  })

  it('the path of a template', () => {
    const path = `shop${'/a'.repeat(LENGTH / 2)}`
    expect(splitByTemplate(`---\n# Source: ${path}\na: 1\n`, '-').map(({ file }) => file === path)).toEqual([true])
  })
})
