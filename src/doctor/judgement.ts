/** What a check says. */
import type { Evidence, Known } from './evidence.ts'

/** From good to bad; `unknown`: what it takes to judge could not be read. */
const STATUSES = ['ok', 'unknown', 'warning', 'failure'] as const
export type Status = (typeof STATUSES)[number]

/** What was found, in a sentence without a full stop, and what to do: commands and edits. */
export type Judgement = { readonly status: Status; readonly message: string; readonly remedy?: string }

/** One check: a judgement of what was read; undefined where there is nothing of it to judge. */
export type Check = {
  /** `webhook/rules` */
  readonly id: string
  /** What is checked. */
  readonly title: string
  judge(evidence: Evidence): Judgement | undefined
}

export const ok = (message: string): Judgement => ({ status: 'ok', message })
export const warning = (message: string, remedy: string): Judgement => ({ status: 'warning', message, remedy })
export const failure = (message: string, remedy: string): Judgement => ({ status: 'failure', message, remedy })
export const unknown = (message: string, remedy?: string): Judgement =>
  remedy === undefined ? { status: 'unknown', message } : { status: 'unknown', message, remedy }

/** Several judgements as one, with the messages and remedies of the worst status. */
export function worstOf(judgements: readonly Judgement[]): Judgement {
  const status = STATUSES.findLast((one) => judgements.some((judgement) => judgement.status === one)) ?? 'ok'
  const worst = judgements.filter((judgement) => judgement.status === status)
  const message = [...new Set(worst.map((judgement) => judgement.message))].join('; ')
  const remedies = [...new Set(worst.flatMap(({ remedy }) => remedy ?? []))]
  return remedies.length > 0 ? { status, message, remedy: remedies.join('; ') } : { status, message }
}

/** Judges something where it was read; else it is unknown, or what `absent` says. */
export function whereFound<Value>(
  known: Known<Value>,
  what: string,
  absent: Judgement | undefined,
  judge: (value: Value) => Judgement | undefined,
): Judgement | undefined {
  if (known.state === 'found') return judge(known.value)
  return known.state === 'absent' ? absent : unknown(`${what} cannot be read: ${known.reason}`)
}
