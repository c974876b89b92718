/** What the traffic does not tell and routes ask for, in words. */
import { unknownPatterns } from '../../gateway/routing/router.ts'
import type { LogKind } from '../../traffic/log.ts'
import { columnsOf } from '../../traffic/log.ts'
import type { Variables } from '../../traffic/variables.ts'
import type { Scenario } from '../core/plan.ts'
import { headerVariable } from '../core/request-reader.ts'
import type { Note } from '../report/notes.ts'

const text = (text: string, loud = false): Note => ({ type: 'text', text, loud })
const list = (items: readonly string[], most = 3): string =>
  items.length > most ? `${items.slice(0, most).join(', ')} and ${items.length - most} more` : items.join(', ')

/** What the rows of a scenario ask for and the traffic does not tell. */
export function routingNotes({ rows }: Scenario, variables: Variables): readonly Note[] {
  const hostnames = [...new Set(rows.map(({ hostname }) => hostname))].filter((hostname) => hostname !== '')
  const headers = [...new Set(rows.flatMap((row) => row.headers.map(({ name }) => name)))]
  const unknownHeaders = headers.filter((name) => !variables(headerVariable(name)))
  const parameters = rows.some(({ query }) => query.length > 0) && !variables('args')
  const patterns = unknownPatterns(rows)
  return [
    ...(hostnames.length > 1 && !variables('host')
      ? [
          text(
            `the traffic has no host, so routes of ${list(hostnames)} are told apart by path alone; --host NAME says whose it is`,
            true,
          ),
        ]
      : []),
    ...(rows.some(({ method }) => method !== undefined) && !variables('request_method')
      ? [text('the traffic has no method: matches that ask for one are never met', true)]
      : []),
    ...(unknownHeaders.length > 0
      ? [
          text(
            `the traffic does not tell the header ${list(unknownHeaders)}: matches that ask for it are never met; --set ${headerVariable(unknownHeaders[0] ?? '')}=VALUE gives it to all requests`,
            true,
          ),
        ]
      : []),
    ...(parameters ? [text('the traffic has no query: matches that ask for a parameter are never met', true)] : []),
    ...patterns.map((pattern) =>
      text(`the regular expression ${pattern} cannot be followed here: its match is never met`, true),
    ),
  ]
}

/** What a log's times hide. */
export function timeNotes(kind: LogKind, spread: 'even' | 'none'): readonly Note[] {
  if (!kind.fine) {
    const what =
      spread === 'even'
        ? 'the requests of each second are spread over it evenly (--spread none has them come at once)'
        : 'all requests of a second come at its beginning (--spread even spreads them)'
    return [text(`the log's times are whole seconds: ${what}`)]
  }
  if (columnsOf(kind).has('request_time')) return []
  return [text('the log has no $request_time: requests count as having come when they were logged, at their end')]
}
