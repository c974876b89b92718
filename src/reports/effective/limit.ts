/** One limit as a block of rows. */

import { describeSeconds } from '../../limits/rate.ts'
import { describeBytes } from '../../limits/size.ts'
import type { LimitAnswer, PolicyName, QueueAnswer, RefusalAnswer } from '../../queries/limit.ts'
import { escapeUnsafe } from '../characters.ts'
import { counted, listed, type RowLayout, row } from '../rows.ts'

/** Writes the block of a limit; `position` counts from 1 in the order in which nginx looks at limits. */
export function limitBlock(limit: LimitAnswer, position: number, layout: RowLayout): readonly string[] {
  const { policy, rule, level, sharedWith } = limit
  const where = level === 'gateway' ? 'on the Gateway' : 'on the route'
  const name = escapeUnsafe(`${policy.namespace}/${policy.name} rules[${rule}]`)
  const number = `${position}.`.padEnd(3)
  const head = `${' '.repeat(layout.indent)}${number}${layout.paint('strong', name)}, ${where}`
  const inner = { ...layout, indent: layout.indent + 3 }
  const rows = [
    ['limit', limitWords(limit)],
    ['refused', refusalWords(limit)],
    ['recorded', recordWords(limit)],
    ['zone', zoneWords(limit)],
    ...(sharedWith.length > 0 ? [['shared', `one budget with ${listed(sharedWith)}`]] : []),
    ...keyNotes(limit).map((note) => ['note', note]),
  ]
  return [head, ...rows.flatMap(([label = '', text = '']) => row(label, text, inner))]
}

const limitWords = ({ rate, key, burst, queue }: LimitAnswer): string =>
  `${rate} by ${keyWords(key)}, ${queueWords(burst, queue)}`

/** A key; a text without variables stands in quotes. */
export const keyWords = (key: string): string => (key.includes('$') ? key : `"${key}"`)

function queueWords(burst: number, { atOnce, waiting, longestWait }: QueueAnswer): string {
  if (burst === 0) return 'no burst'
  const wait = `${counted(waiting, 'request')} of it ${waiting === 1 ? 'waits' : 'wait'} up to ${describeSeconds(longestWait)}`
  if (waiting === 0) return `a burst of ${burst} passes at once`
  return atOnce === 0
    ? `a burst of ${burst} waits up to ${describeSeconds(longestWait)}`
    : `a burst of ${burst}: ${wait}`
}

const EFFECTS: Readonly<Record<RefusalAnswer['effect'], string>> = {
  sent: '',
  'closes-connection': ': the connection is closed without an answer',
  'becomes-400': ', which the client sees as 400',
  'no-reason': ', without a reason phrase',
}

function refusalWords({ refusal, policy }: LimitAnswer): string {
  const { enforced, code, effect, grpc, codeFrom, dryRunFrom } = refusal
  if (!enforced)
    return `nobody: a dry run${setElsewhere(dryRunFrom, policy)} counts and records, and lets everything pass`
  const forGrpc = grpc === null ? '' : `; gRPC clients take it for ${grpc}`
  return `${code}${setElsewhere(codeFrom, policy)}${EFFECTS[effect]}${forGrpc}`
}

/** Where a setting comes from, unless from the policy itself. */
function setElsewhere(from: PolicyName | null, { namespace, name }: PolicyName): string {
  if (from === null) return ' (the default)'
  return from.namespace === namespace && from.name === name ? '' : ` (set by ${from.namespace}/${from.name})`
}

function recordWords({ records: { refused, delayed, from }, refusal, policy }: LimitAnswer): string {
  const delays = delayed === null ? '' : `, delays at ${delayed}`
  const dry = refusal.enforced ? '' : ', with the words "dry run"'
  return `in the error log: refusals at ${refused}${delays}${setElsewhere(from, policy)}${dry}`
}

function zoneWords({ zone }: LimitAnswer): string {
  if (!zone) return 'of a size that cannot be read'
  const keys = zone.keys === null ? '' : `, ${zone.keys === 1 ? '' : 'up to '}${counted(zone.keys, 'key')}`
  return `${zone.name}, ${describeBytes(zone.bytes)}${keys}`
}

function keyNotes({ counts, shared }: LimitAnswer): readonly string[] {
  if (counts === null) return ['nginx cannot read the key, or does not know its variables']
  if (counts === 'none') return ['the key is always empty: nobody is limited']
  if (shared) return ['all clients share one bucket']
  return counts === 'some' ? ['requests without a value for the key are not limited'] : []
}
