/** What `sluice try` writes: events for people or for programs, and beside them lines for people. */
import type { LimitedRequest } from '../../live/limited.ts'
import { commandFor } from '../../live/listeners.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import type { LiveEvent } from '../../reports/live/events.ts'
import { type EventContext, eventText, type LimitedTotals, NONE_LIMITED, requestText } from '../../reports/live/text.ts'
import type { Io } from '../core/io.ts'
import { wantsColor } from '../core/terminal.ts'
import type { TryArgs, TryOptions } from './flags.ts'
import type { Trying } from './session.ts'
import type { Voice } from './tell.ts'

/** What is said, and how. */
export type Screen = Voice & {
  onLimited(request: LimitedRequest): void
  /** Is told of each limited request too. Returns what ends that. */
  onEachLimited(listener: (request: LimitedRequest) => void): () => void
  /** Shows how to send requests. */
  invite(trying: Trying): void
}

/** Throws {@link InputError} for a wrong `--color`. */
export function createScreen(io: Io, args: TryArgs, { format }: TryOptions): Screen {
  const color = wantsColor(args.value('color'), io.stdout, io)
  let totals: LimitedTotals = NONE_LIMITED
  const listeners = new Set<(request: LimitedRequest) => void>()
  const emit = (event: LiveEvent, context: EventContext = {}) => {
    if (format === 'json') io.stdout.write(`${JSON.stringify(event)}\n`, 'json')
    // As in the text of lint.
    else if (event.event !== 'finding' || event.severity !== 'info')
      io.stdout.write(eventText(event, context, { color, width: io.stdout.columns }))
  }
  const note = (text: string) => io.stderr.write(`note: ${escapeUnsafe(text)}\n`)
  return {
    emit,
    note,
    fail: (text) => io.stderr.write(`sluice: ${escapeUnsafe(text)}\n`),
    onLimited(request) {
      totals = { ...totals, [request.outcome]: totals[request.outcome] + 1 }
      emit({ event: 'limited', ...request }, { totals })
      for (const listener of listeners) listener(request)
    },
    onEachLimited(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    invite({ gateways }) {
      const commands = [...gateways.values()].flatMap(([sample]) => (sample ? [commandFor(sample)] : []))
      if (format === 'text') for (const command of commands) io.stdout.write(requestText(command, { color }))
      io.stderr.write('watching the files; Ctrl-C ends\n')
    },
  }
}
