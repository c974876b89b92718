/** Who changed a proxy or an environment, when and how; and the way back. */
import { isObject, type JsonObject } from '../../json/member.ts'
import { Scrolled } from '../scrolled.tsx'
import { itemsOf } from './api.ts'
import { mayChange, useAction, useLoaded, useManagement } from './context.ts'
import type { ServerEvent } from './events.ts'
import { Failure } from './fields.tsx'
import { PATHS, type ProxyPlace } from './place.ts'

type HistoryProps = {
  readonly workspace: string
  /** The path of the history with another one behind it. */
  pathOf(more: string): string
  /** True for an event about what this is the history of. */
  isTouchedBy(event: ServerEvent): boolean
  /** The `ETag` of what is stored; undefined where there is nothing any more. */
  readonly match: string | undefined
  onRestored(): void
}

/** The history of a proxy. */
export function ProxyHistory({
  place,
  ...props
}: { readonly place: ProxyPlace } & Pick<HistoryProps, 'match' | 'onRestored'>) {
  const isTouchedBy = ({ type, data }: ServerEvent) =>
    type.startsWith('proxy.') && data.workspace === place.workspace && data.name === place.name
  const { workspace } = place
  return <History {...{ workspace, isTouchedBy, ...props }} pathOf={(more) => PATHS.history(place, more)} />
}

export function History({ workspace, pathOf, isTouchedBy, match, onRestored }: HistoryProps) {
  const { api, session } = useManagement()
  const path = pathOf('')
  const { value, problem, reload } = useLoaded(
    `history ${path}`,
    () => api.get(`${path}${path.includes('?') ? '&' : '?'}pageSize=100`),
    isTouchedBy,
  )
  const { isBusy, problem: refused, run } = useAction()
  const entries = value ? itemsOf(value) : []
  const restore = async (revision: number) => {
    await api.restore(pathOf(`/${revision}/restore`), match)
    reload()
    onRestored()
  }
  return (
    <section aria-label="History">
      <Failure text={problem ?? refused} />
      <ol class="history">
        {entries.map((entry, index) => (
          <li key={String(entry.revision)}>
            <Entry entry={entry} />
            {mayChange(session, workspace) && index > 0 && entry.action !== 'deleted' && (
              <button type="button" disabled={isBusy} onClick={() => run(() => restore(Number(entry.revision)))}>
                Go back to revision {String(entry.revision)}
              </button>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}

function Entry({ entry: { revision, at, by, action, diff } }: { readonly entry: JsonObject }) {
  const text = isObject(diff) && typeof diff.text === 'string' ? diff.text : ''
  return (
    <details>
      <summary>
        Revision {String(revision)}: {String(action)} by {String(by)}{' '}
        <time dateTime={String(at)}>{new Date(String(at)).toLocaleString()}</time>
      </summary>
      {text !== '' && (
        <Scrolled class="changes" label={`Changes of revision ${revision}`}>
          <pre>{text}</pre>
        </Scrolled>
      )}
    </details>
  )
}
