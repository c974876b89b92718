/** The audit log: who changed what, the newest first. */
import { useEffect, useState } from 'preact/hooks'
import type { Json, JsonObject } from '../../json/member.ts'
import { SideBySide } from '../side-by-side.tsx'
import { itemsOf } from './api.ts'
import { useAction, useManagement } from './context.ts'
import { Failure, SelectField, TextField } from './fields.tsx'
import { PATHS } from './place.ts'

const ALL = 'everything'
const KINDS = [ALL, 'proxy', 'environment', 'workspace', 'hostnames', 'backends', 'user', 'token', 'sign-ins']

export function Audit() {
  const { api } = useManagement()
  const [asked, setAsked] = useState({ kind: ALL, workspace: '', by: '' })
  const [entries, setEntries] = useState<readonly JsonObject[]>([])
  const [more, setMore] = useState<{ readonly token?: string; readonly total: number }>({ total: 0 })
  const { isBusy, problem, run } = useAction()
  const read = async (before: readonly JsonObject[], token?: string) => {
    const { kind, ...texts } = asked
    const query = new URLSearchParams({
      pageSize: '50',
      ...(kind === ALL ? {} : { kind }),
      ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== '')),
      ...(token === undefined ? {} : { pageToken: token }),
    })
    const answer = await api.get(`${PATHS.audit}?${query}`)
    const { nextPageToken, total } = answer.body
    setEntries([...before, ...itemsOf(answer)])
    setMore({ total: Number(total), ...(typeof nextPageToken === 'string' ? { token: nextPageToken } : {}) })
  }
  useEffect(() => run(() => read([])), [asked.kind])
  return (
    <>
      <h1>Audit log</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          run(() => read([]))
        }}
      >
        <div class="fields">
          <SelectField
            label="About"
            value={asked.kind}
            options={KINDS}
            onChange={(kind) => setAsked({ ...asked, kind })}
          />
          <TextField
            label="Workspace"
            value={asked.workspace}
            onChange={(workspace) => setAsked({ ...asked, workspace })}
          />
          <TextField label="By" value={asked.by} onChange={(by) => setAsked({ ...asked, by })} />
        </div>
        <button type="submit" disabled={isBusy}>
          Show
        </button>
      </form>
      <Failure text={problem} />
      <p role="status">
        {entries.length} of {more.total} changes are shown.
      </p>
      <ul class="history" aria-label="Changes">
        {entries.map((entry) => (
          <li key={String(entry.id)}>
            <Entry entry={entry} />
          </li>
        ))}
      </ul>
      {more.token !== undefined && (
        <button type="button" disabled={isBusy} onClick={() => run(() => read(entries, more.token))}>
          Show more
        </button>
      )}
    </>
  )
}

const written = (value: Json | undefined): string =>
  value === undefined ? '' : `${JSON.stringify(value, undefined, 2)}\n`

function Entry({ entry }: { readonly entry: JsonObject }) {
  const { at, by, token, kind, workspace, name, action, request, before, after } = entry
  const who = by === '' ? 'the server' : `${by}${token === undefined ? '' : ` with the token ${token}`}`
  const what = [kind, name ?? '', workspace === undefined || workspace === name ? '' : `in ${workspace}`]
  return (
    <details>
      <summary>
        <time dateTime={String(at)}>{new Date(String(at)).toLocaleString()}</time>: {what.filter(Boolean).join(' ')}{' '}
        {String(action)} by {who}
      </summary>
      {request !== '' && <p class="muted">Request {String(request)}</p>}
      <SideBySide before={written(before)} after={written(after)} beforeLabel="Before" afterLabel="After" />
    </details>
  )
}
