/** The workspaces. */
import { useKeptFields } from '../use-kept.ts'
import { AddForm } from './add-form.tsx'
import { allItems } from './api.ts'
import { mayChange, useLoaded, useManagement } from './context.ts'
import { CheckField, Failure, TextField } from './fields.tsx'
import { linkTo, PATHS } from './place.ts'

export function Services() {
  const { api, session } = useManagement()
  const { value, problem, reload } = useLoaded(
    'workspaces',
    () => allItems(api, PATHS.workspaces),
    ({ type }) => type.startsWith('workspace.'),
  )
  return (
    <>
      <h1>Services</h1>
      <Failure text={problem} />
      {value?.length === 0 && <p>There is no workspace yet. A workspace holds the API proxies of a team.</p>}
      <ul class="cards" aria-label="Workspaces">
        {value?.map(({ name }) => (
          <li key={String(name)}>
            <a href={linkTo({ view: 'workspace', workspace: String(name) })}>{String(name)}</a>
          </li>
        ))}
      </ul>
      {mayChange(session) && <NewWorkspace onMade={reload} />}
    </>
  )
}

function NewWorkspace({ onMade }: { onMade(): void }) {
  const { api } = useManagement()
  const { fields, set, forget } = useKeptFields(`add ${PATHS.workspaces}`, { name: '', requireIfMatch: false })
  const make = async () => {
    await api.post(PATHS.workspaces, { ...fields })
    forget()
    onMade()
  }
  return (
    <AddForm name={PATHS.workspaces} summary="Add Workspace" button="Add workspace" make={make}>
      <TextField
        label="Name"
        value={fields.name}
        onChange={(name) => set({ name })}
        required
        hint="Letters, digits, “.”, “_” and “-”."
      />
      <CheckField
        label="Refuse changes that do not say which version they change"
        checked={fields.requireIfMatch}
        onChange={(requireIfMatch) => set({ requireIfMatch })}
      />
    </AddForm>
  )
}
