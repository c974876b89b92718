/** Tokens for programs: made, listed and revoked. The secret of one is shown once. */
import { useRef, useState } from 'preact/hooks'
import type { JsonObject } from '../../json/member.ts'
import { useKeptFields } from '../use-kept.ts'
import { AddForm } from './add-form.tsx'
import { allItems } from './api.ts'
import { mayChange, useAction, useLoaded, useManagement } from './context.ts'
import { Failure, SelectField, TextField } from './fields.tsx'
import { PATHS } from './place.ts'
import { Roles } from './users.tsx'

export function Tokens() {
  const { api, session } = useManagement()
  const tokens = useLoaded(
    'tokens',
    () => allItems(api, PATHS.tokens),
    () => false,
  )
  const workspaces = useLoaded(
    'workspaces',
    () => allItems(api, PATHS.workspaces),
    ({ type }) => type.startsWith('workspace.'),
  )
  const roles = mayChange(session)
    ? ['administrator', 'reader', ...(workspaces.value ?? []).map(({ name }) => `editor:${name}`)]
    : session.roles
  return (
    <>
      <h1>Tokens</h1>
      <p>
        Programs send a token instead of a password. It may no more than its maker, and neither tokens nor users nor
        passwords are managed with it.
      </p>
      <Failure text={tokens.problem} />
      {tokens.value?.length === 0 && <p>There is no token yet.</p>}
      <ul class="cards" aria-label="Tokens">
        {tokens.value?.map((token) => (
          <li key={String(token.name)}>
            <Token token={token} onRevoked={tokens.reload} />
          </li>
        ))}
      </ul>
      <NewToken roles={roles} onMade={tokens.reload} />
    </>
  )
}

const when = (at: unknown): string => new Date(String(at)).toLocaleString()

function Token({ token, onRevoked }: { readonly token: JsonObject; onRevoked(): void }) {
  const { api } = useManagement()
  const { isBusy, problem, run } = useAction()
  const name = String(token.name)
  const roles = Array.isArray(token.roles) ? token.roles.map(String) : []
  const hasEnded = Date.parse(String(token.expires)) <= Date.now()
  return (
    <>
      <div>
        <strong>{name}</strong> <span class="muted">{roles.join(', ')}</span>
        <br />
        <small class="muted">
          of {String(token.createdBy)}; {hasEnded ? 'expired' : 'expires'} {when(token.expires)};{' '}
          {token.lastUsed === undefined ? 'never used' : `last used about ${when(token.lastUsed)}`}
        </small>
        <Failure text={problem} />
      </div>
      <button
        type="button"
        class="danger"
        disabled={isBusy}
        onClick={() => run(() => api.remove(PATHS.token(name)).finally(onRevoked))}
      >
        Revoke {name}
      </button>
    </>
  )
}

const LIVES: Readonly<Record<string, number>> = { '7 days': 7, '30 days': 30, '90 days': 90, 'a year': 365 }
const DAY = 24 * 60 * 60_000

function NewToken({ roles, onMade }: { readonly roles: readonly string[]; onMade(): void }) {
  const { api } = useManagement()
  const { fields, set, forget } = useKeptFields(`add ${PATHS.tokens}`, NO_TOKEN)
  const { name, held, life } = fields
  // Kept nowhere else.
  const [made, setMade] = useState<{ readonly name: string; readonly secret: string }>()
  const secret = useRef<HTMLDivElement>(null)
  const make = async () => {
    const expires = new Date(Date.now() + (LIVES[life] ?? 1) * DAY).toISOString()
    const { body } = await api.post(PATHS.tokens, { name, roles: [...held], expires })
    setMade({ name, secret: String(body.secret) })
    forget()
    onMade()
    requestAnimationFrame(() => secret.current?.querySelector('input')?.select())
  }
  return (
    <>
      <div role="status" ref={secret}>
        {made && (
          <TextField
            label={`Secret of ${made.name}`}
            value={made.secret}
            onChange={() => {}}
            autocomplete="off"
            hint="It is shown only now: copy it. A program sends it as “Authorization: Bearer SECRET”."
          />
        )}
      </div>
      <AddForm name={PATHS.tokens} summary="Add Token" button="Make token" make={make}>
        <TextField label="Name" value={name} onChange={(next) => set({ name: next })} autocomplete="off" required />
        <SelectField
          label="Expires in"
          value={life}
          options={Object.keys(LIVES)}
          onChange={(next) => set({ life: next })}
        />
        <Roles roles={roles} held={held} onChange={(next) => set({ held: next })} />
      </AddForm>
    </>
  )
}

const NO_TOKEN = { name: '', held: [] as readonly string[], life: '90 days' }
