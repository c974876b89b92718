/** The contract of a rule, enforced when it reads and reports. */
import { parentPointer, valueAt } from '../json/pointer.ts'
import type { Finding, Subject } from './finding.ts'
import type { AnyRule, FindingPlace, Message, PatchOperation } from './rule.ts'

/** A rule that reads, reports or points beside what it declares: a fault in the rule, not in the subject. */
export class RuleContractError extends Error {
  constructor(rule: string, breach: string) {
    super(`rule ${rule} ${breach}`)
    this.name = 'RuleContractError'
  }
}

/** The message of that id; throws where the rule declares none. */
export function checkMessage(rule: AnyRule, message: string): Message {
  const known: Message | undefined = Object.hasOwn(rule.messages, message) ? rule.messages[message] : undefined
  if (known === undefined) throw new RuleContractError(rule.id, `reports "${message}", which is none of its messages`)
  return known
}

/** Throws where a rule fixes without declaring it. */
export function checkPatch(rule: AnyRule, patch: readonly PatchOperation[] | undefined): void {
  if (patch && !rule.fix) throw new RuleContractError(rule.id, 'reports a patch without declaring "fix"')
}

/** The place in the subject; throws where nothing is there, or where it belongs to another object. */
export function checkPlace(rule: AnyRule, subject: Subject, at: FindingPlace): Pick<Finding, 'pointer' | 'range'> {
  if (typeof at === 'object' && 'start' in at) {
    if (subject.object) throw new RuleContractError(rule.id, 'points into a text, but judges an object')
    return { pointer: '', range: { start: at.start, end: at.end } }
  }
  const pointer = typeof at === 'string' ? at : at.pointer
  const raw = typeof at === 'string' ? undefined : at.raw
  const value = valueAt(subject.object, pointer)
  if (value === undefined && valueAt(subject.object, parentPointer(pointer)) === undefined)
    throw new RuleContractError(rule.id, `points to "${pointer}", where nothing is`)
  if (raw !== undefined && raw !== value) throw new RuleContractError(rule.id, `reports "${pointer}" of another object`)
  return { pointer }
}
