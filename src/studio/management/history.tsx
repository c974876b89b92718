/** Who changed a proxy or an environment, when and how; and the way back. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
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
  /** Shows what going back would do. */
  effects?(restorePath: string): ComponentChildren
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

export function History({ workspace, pathOf, isTouchedBy, match, onRestored, effects }: HistoryProps) {
  const { api, session } = useManagement()
  const path = pathOf('')
  const { value, problem, reload } = useLoaded(
    `history ${path}`,
    () => api.get(`${path}${path.includes('?') ? '&' : '?'}pageSize=100`),
    isTouchedBy,
  )
  const { isBusy, problem: refused, run } = useAction()
  const entries = value ? itemsOf(value) : []
  const restorePath = (revision: unknown) => pathOf(`/${revision}/restore`)
  const isOlder = (entry: JsonObject, index: number) => index > 0 && entry.action !== 'deleted'
  const restore = async (revision: number) => {
    await api.restore(restorePath(revision), match)
    reload()
    onRestored()
  }
  return (
    <section aria-label="History">
      <Failure text={problem ?? refused} />
      <ol class="history">
        {entries.map((entry, index) => (
          <li key={String(entry.revision)}>
            <Entry
              entry={entry}
              effects={isOlder(entry, index) ? effects?.bind(undefined, restorePath(entry.revision)) : undefined}
            />
            {mayChange(session, workspace) && isOlder(entry, index) && (
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

type EntryProps = { readonly entry: JsonObject; readonly effects: (() => ComponentChildren) | undefined }

function Entry({ entry: { revision, at, by, action, diff }, effects }: EntryProps) {
  const [isOpen, setIsOpen] = useState(false)
  const text = isObject(diff) && typeof diff.text === 'string' ? diff.text : ''
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        Revision {String(revision)}: {String(action)} by {String(by)}{' '}
        <time dateTime={String(at)}>{new Date(String(at)).toLocaleString()}</time>
      </summary>
      {text !== '' && (
        <Scrolled class="changes" label={`Changes of revision ${revision}`}>
          <pre>{text}</pre>
        </Scrolled>
      )}
      {isOpen && effects && (
        <>
          <h3>If you go back to revision {String(revision)}</h3>
          {effects()}
        </>
      )}
    </details>
  )
}
