/** What a finding is called from one run to the next, wherever its lines have moved. */
import type { ReportedFinding } from '../report.ts'

/** A pointer without the numbers of list items, as an item that is put in front moves the others. */
export const fieldOf = (pointer: string): string => pointer.replace(/\/\d+(?=\/|$)/g, '/*')

/** A message without the numbers of list items, which it may name: `rules[0] has no field`. */
export const withoutPlaces = (message: string): string => message.replace(/\[\d+\]/g, '[*]')

/**
 * The identity of a finding without its place: rule, file, object, field and message. The numbers of list items do not
 * count, as an item that is put in front moves the others. Two findings may have the same.
 */
const identityOf = ({ rule, file, object, pointer, message }: ReportedFinding): string =>
  JSON.stringify([rule, file, object.kind, object.namespace, object.name, fieldOf(pointer), withoutPlaces(message)])

/** Fingerprints, one a finding, in 16 hexadecimal digits: of its identity, and of how many had the same before it. */
export function fingerprintsOf(findings: readonly ReportedFinding[]): readonly string[] {
  const seen = new Map<string, number>()
  return findings.map((finding) => {
    const identity = identityOf(finding)
    const before = seen.get(identity) ?? 0
    seen.set(identity, before + 1)
    return hash(before === 0 ? identity : `${identity}#${before}`)
  })
}

/** FNV-1a of UTF-16 units, twice with different start values. It distinguishes texts; it does not resist attacks. */
const hash = (text: string): string => half(text, 0x811c9dc5) + half(text, 0x01000193)

function half(text: string, basis: number): string {
  let state = basis
  for (let index = 0; index < text.length; index++) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193)
  // What the last characters changed must reach the upper digits, too.
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35)
  return ((state ^ (state >>> 16)) >>> 0).toString(16).padStart(8, '0')
}
