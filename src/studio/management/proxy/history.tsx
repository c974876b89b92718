/** Who changed a proxy, when and how; and the way back. */
import { isObject, type JsonObject } from '../../../json/member.ts'
import { Scrolled } from '../../scrolled.tsx'
import { itemsOf } from '../api.ts'
import { mayChange, useAction, useLoaded, useManagement } from '../context.ts'
import { Failure } from '../fields.tsx'
import { PATHS, type ProxyPlace } from '../place.ts'

type HistoryProps = {
  readonly place: ProxyPlace
  /** The `ETag` of the stored proxy; undefined where there is none any more. */
  readonly match: string | undefined
  onRestored(): void
}

export function History({ place, match, onRestored }: HistoryProps) {
  const { api, session } = useManagement()
  const { value, problem, reload } = useLoaded(
    `history ${PATHS.proxy(place)}`,
    () => api.get(`${PATHS.history(place)}&pageSize=100`),
    ({ type, data }) => type.startsWith('proxy.') && data.workspace === place.workspace && data.name === place.name,
  )
  const { isBusy, problem: refused, run } = useAction()
  const entries = value ? itemsOf(value) : []
  const restore = async (revision: number) => {
    await api.restore(PATHS.history(place, `/${revision}/restore`), match)
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
            {mayChange(session, place.workspace) && index > 0 && entry.action !== 'deleted' && (
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
