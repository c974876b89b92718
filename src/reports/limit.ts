/** What limits of every system do, in words. */
import { describeSeconds } from '../limits/rate.ts'
import type { BurstQueue, LimitDescription } from '../queries/limit.ts'

/** What happens to requests above the rate, as the end of a sentence. */
export function burstText(burst: number, { undelayed, delayed, maxDelaySeconds }: BurstQueue): string {
  if (burst === 0) return ', no burst'
  if (delayed === 0) return `; a burst of ${burst} passes at once`
  const wait = `delayed by up to ${describeSeconds(maxDelaySeconds)}`
  if (undelayed === 0) return `; a burst of ${burst} is ${wait}`
  return `; of a burst of ${burst}, ${undelayed} pass at once and ${delayed} are ${wait}`
}

/** What follows the status of a rejection. */
export const RESPONSES: Readonly<Record<LimitDescription['rejectResponse'], string>> = {
  sent: '',
  'closes-connection': ': nginx closes the connection without a response',
  'becomes-400': ', which the client receives as 400',
  'no-reason': ', without a reason phrase',
}
