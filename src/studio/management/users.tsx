/** The users: their roles and passwords. */
import { useState } from 'preact/hooks'
import type { Json, JsonObject } from '../../json/member.ts'
import { useKept, useKeptFields } from '../use-kept.ts'
import { AddForm } from './add-form.tsx'
import { allItems, signsInElsewhere } from './api.ts'
import { useAction, useLoaded, useManagement } from './context.ts'
import { CheckField, Failure, TextField } from './fields.tsx'
import { PATHS } from './place.ts'

export function Users() {
  const { api } = useManagement()
  const users = useLoaded(
    'users',
    () => allItems(api, PATHS.users),
    () => false,
  )
  const workspaces = useLoaded(
    'workspaces',
    () => allItems(api, PATHS.workspaces),
    ({ type }) => type.startsWith('workspace.'),
  )
  const roles = ['administrator', 'reader', ...(workspaces.value ?? []).map(({ name }) => `editor:${name}`)]
  return (
    <>
      <h1>Users</h1>
      <Failure text={users.problem} />
      <ul class="cards" aria-label="Users">
        {users.value?.map((user) => (
          <li key={String(user.name)}>
            <User user={user} roles={roles} onChanged={users.reload} />
          </li>
        ))}
      </ul>
      <NewUser roles={roles} onMade={users.reload} />
    </>
  )
}

type RolesProps = {
  readonly roles: readonly string[]
  readonly held: readonly string[]
  onChange(held: readonly string[]): void
}

/** Roles to choose. */
export function Roles({ roles, held, onChange }: RolesProps) {
  return (
    <fieldset class="plain">
      <legend>Roles</legend>
      {[...new Set([...roles, ...held])].map((role) => (
        <CheckField
          key={role}
          label={role}
          checked={held.includes(role)}
          onChange={(has) => onChange(has ? [...held, role] : held.filter((one) => one !== role))}
        />
      ))}
    </fieldset>
  )
}

/** Roles that are not stored yet, and the version of the user that they were chosen for. */
type KeptRoles = { readonly revision: Json | undefined; readonly held: readonly string[] }

type UserProps = { readonly user: JsonObject; readonly roles: readonly string[]; onChanged(): void }

function User({ user, roles, onChanged }: UserProps) {
  const { api, session } = useManagement()
  const name = String(user.name)
  const stored = Array.isArray(user.roles) ? user.roles.map(String) : []
  const [kept, setKept] = useKept<KeptRoles | undefined>(`roles ${PATHS.user(name)}`, undefined)
  const held = kept?.revision === user.revision ? kept?.held : undefined
  const [password, setPassword] = useState('')
  const [done, setDone] = useState('')
  const { isBusy, problem, run } = useAction()
  const match = `"${user.revision}"`
  const isElsewhere = signsInElsewhere(name)
  const act = (words: string, action: () => Promise<unknown>) =>
    run(async () => {
      // One that is refused may have changed meanwhile.
      await action().finally(onChanged)
      setDone(words)
      setKept(undefined)
      setPassword('')
    })
  return (
    <details>
      <summary>
        <strong>{name}</strong> <span class="muted">{stored.join(', ') || 'no role'}</span>
      </summary>
      {isElsewhere ? (
        <p>Signs in at the provider, which has the password and the roles.</p>
      ) : (
        <>
          <Roles
            roles={roles}
            held={held ?? stored}
            onChange={(next) => setKept({ revision: user.revision, held: next })}
          />
          <button
            type="button"
            disabled={isBusy}
            onClick={() =>
              act('The roles were changed.', () =>
                api.put(PATHS.user(name), { body: { roles: [...(held ?? stored)] }, match }),
              )
            }
          >
            Change roles of {name}
          </button>
        </>
      )}
      {name !== session.user && (
        <>
          {!isElsewhere && (
            <TextField
              label={`New password of ${name}`}
              type="password"
              autocomplete="new-password"
              value={password}
              onChange={setPassword}
              hint="It must be changed at the next sign-in."
            />
          )}
          <p class="buttons">
            {!isElsewhere && (
              <button
                type="button"
                disabled={isBusy}
                onClick={() =>
                  act('The password was changed.', () =>
                    api.put(`${PATHS.user(name)}/password`, { body: { password, mustChangePassword: true } }),
                  )
                }
              >
                Change password of {name}
              </button>
            )}
            <button
              type="button"
              class="danger"
              disabled={isBusy}
              onClick={() => act('', () => api.remove(PATHS.user(name)))}
            >
              Delete {name}
            </button>
          </p>
        </>
      )}
      <Failure text={problem} />
      <p role="status">{done}</p>
    </details>
  )
}

function NewUser({ roles, onMade }: { readonly roles: readonly string[]; onMade(): void }) {
  const { api } = useManagement()
  const { fields, set, forget } = useKeptFields(`add ${PATHS.users}`, NO_USER)
  const { name, held } = fields
  // Passwords are kept nowhere.
  const [password, setPassword] = useState('')
  const make = async () => {
    await api.post(PATHS.users, { name, password, roles: [...held], mustChangePassword: true })
    forget()
    setPassword('')
    onMade()
  }
  return (
    <AddForm name={PATHS.users} summary="Add User" button="Add user" make={make}>
      <TextField label="Name" value={name} onChange={(next) => set({ name: next })} autocomplete="off" required />
      <TextField
        label="First password"
        type="password"
        value={password}
        onChange={setPassword}
        autocomplete="new-password"
        hint="At least 12 characters, and none of the most common ones. It must be changed at the first sign-in."
        required
      />
      <Roles roles={roles} held={held} onChange={(next) => set({ held: next })} />
    </AddForm>
  )
}

const NO_USER = { name: '', held: [] as readonly string[] }
