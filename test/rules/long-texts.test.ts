/** Texts of megabytes: no regular expression that meets them may run out of stack. */
import { describe, expect, it } from 'vitest'
import { manifest } from '../../rules/gateway/manifest.ts'
import { splitByTemplate } from '../../src/files/discover/stdin.ts'
import { lint } from '../../src/lint/lint.ts'

const LENGTH = 10_000_000

describe('texts of megabytes', () => {
  it.each([
    ['gateway/zone-size-syntax', `{ key: a, rate: 1r/s, zoneSize: "${'1'.repeat(LENGTH)}" }`],
    ['gateway/key-too-long', `{ key: "$http_x${'-a'.repeat(LENGTH / 2)}", rate: 1r/s }`],
  ])('%s', (rule, limit) => {
    const { report, faults } = lint([{ file: 'a.yaml', text: manifest({ limits: [limit] }) }])
    expect(faults).toEqual([])
    expect(report.findings.map((finding) => finding.rule)).toContain(rule)
  })

  it('the path of a template', () => {
    const path = `shop${'/a'.repeat(LENGTH / 2)}`
    expect(splitByTemplate(`---\n# Source: ${path}\na: 1\n`, '-').map(({ file }) => file === path)).toEqual([true])
  })
})
