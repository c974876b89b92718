/** What nginx writes into its error log about limits. Source: nginx `limit_req_log_level`, measured. */
import type { Decision } from './bucket.ts'

/** The levels that `limit_req_log_level` takes, from the quietest to the loudest. */
export const RECORD_LEVELS = ['info', 'notice', 'warn', 'error'] as const
export type RecordLevel = (typeof RECORD_LEVELS)[number]

/** The level of records about delayed requests: one below that of rejected ones; info stays. */
export const DELAY_LEVEL: Readonly<Record<RecordLevel, RecordLevel>> = {
  error: 'warn',
  warn: 'notice',
  notice: 'info',
  info: 'info',
}

/** One record of the error log, without time, process and request. */
export type LogRecord = { readonly level: RecordLevel; readonly text: string }

/** The record that nginx writes about a decision where `limit_req_log_level` is `level`; undefined for one that passes. */
export function recordOf({ outcome, limit, excess }: Decision, level: RecordLevel): LogRecord | undefined {
  if (limit === undefined) return undefined
  const dryRun = outcome.endsWith('_DRY_RUN') ? ', dry run' : ''
  const amount = `${Math.floor(excess / 1000)}.${String(excess % 1000).padStart(3, '0')}`
  if (outcome.startsWith('REJECTED')) {
    return { level, text: `limiting requests${dryRun}, excess: ${amount} by zone "${limit.zone.name}"` }
  }
  return {
    level: DELAY_LEVEL[level],
    text: `delaying request${dryRun}, excess: ${amount}, by zone "${limit.zone.name}"`,
  }
}
