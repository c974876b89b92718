/** The text of a baseline: one line a finding, sorted, so that its diffs say what changed. */
import { isObject } from '../../json/member.ts'
import type { Known } from './baseline.ts'

const VERSION = 1

/** What a text holds, or why it is no baseline: the end of a sentence that begins with the file. */
export type BaselineOutcome = { readonly known: readonly Known[] } | { readonly problem: string }

/** Writes a baseline. */
export function writeBaseline(known: readonly Known[]): string {
  const lines = known.map(({ file, rule, object, pointer, message, count }) =>
    JSON.stringify({ file, rule, object, pointer, message, count }),
  )
  const list = lines.length === 0 ? '[]' : `[\n    ${lines.join(',\n    ')}\n  ]`
  return `{\n  "version": ${VERSION},\n  "findings": ${list}\n}\n`
}

/** Reads a baseline. Never throws. */
export function readBaseline(text: string): BaselineOutcome {
  const value = parse(text)
  if (value === undefined) {
    const reason = /^<{7} /m.test(text) ? 'has conflict markers of Git' : 'is no JSON'
    return { problem: `${reason}; mend it, or remove it and write it anew` }
  }
  if (!isObject(value) || !('version' in value)) return { problem: 'is no baseline of sluice' }
  if (value.version !== VERSION)
    return {
      problem: `is a baseline of version ${JSON.stringify(value.version)}, and this sluice reads version ${VERSION}; use the sluice that wrote it, or remove it and write it anew`,
    }
  const { findings } = value
  if (!Array.isArray(findings)) return { problem: 'is a baseline without "findings"; remove it and write it anew' }
  const known: Known[] = []
  for (const [index, entry] of findings.entries()) {
    if (!isKnown(entry))
      return { problem: `is a baseline whose finding ${index + 1} is not one that sluice wrote; mend it` }
    known.push(entry)
  }
  return { known }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}

const TEXTS = ['file', 'rule', 'object', 'pointer', 'message'] as const

const isKnown = (entry: unknown): entry is Known =>
  isObject(entry) &&
  TEXTS.every((member) => typeof entry[member] === 'string') &&
  typeof entry.count === 'number' &&
  Number.isSafeInteger(entry.count) &&
  entry.count > 0
