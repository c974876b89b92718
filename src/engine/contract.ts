/** What a rule must not do, found out when it reports. */
import { parentPointer, valueAt } from '../json/pointer.ts'
import type { Finding, Subject } from './finding.ts'
import type { AnyRule, Message, PatchOperation, Place } from './rule.ts'

/** A rule that reads, reports or points beside what it declared: a fault of the rule, not of the subject. */
export class LyingRule extends Error {
  constructor(rule: string, lie: string) {
    super(`rule ${rule} ${lie}`)
    this.name = 'LyingRule'
  }
}

/** The message of that id; throws where the rule declares none. */
export function checkedMessage(rule: AnyRule, message: string): Message {
  const known: Message | undefined = Object.hasOwn(rule.messages, message) ? rule.messages[message] : undefined
  if (known === undefined) throw new LyingRule(rule.id, `reports "${message}", which is none of its messages`)
  return known
}

/** Throws where a rule mends without saying so. */
export function checkPatch(rule: AnyRule, patch: readonly PatchOperation[] | undefined): void {
  if (patch && !rule.fix) throw new LyingRule(rule.id, 'mends without declaring "fix"')
}

/** The place in the subject; throws where nothing is there, or where it belongs to another object. */
export function checkedPlace(rule: AnyRule, subject: Subject, at: Place): Pick<Finding, 'pointer' | 'range'> {
  if (typeof at === 'object' && 'start' in at) {
    if ('object' in subject.view) throw new LyingRule(rule.id, 'points into a text, but judges an object')
    return { pointer: '', range: { start: at.start, end: at.end } }
  }
  const pointer = typeof at === 'string' ? at : at.pointer
  const raw = typeof at === 'string' ? undefined : at.raw
  const root = 'object' in subject.view ? subject.view.object : undefined
  const value = valueAt(root, pointer)
  if (value === undefined && valueAt(root, parentPointer(pointer)) === undefined)
    throw new LyingRule(rule.id, `points to "${pointer}", where nothing is`)
  if (raw !== undefined && raw !== value) throw new LyingRule(rule.id, `reports "${pointer}" of another object`)
  return { pointer }
}
