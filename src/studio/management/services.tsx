/** The workspaces. */
import { useState } from 'preact/hooks'
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
  const [name, setName] = useState('')
  const [requireIfMatch, setRequireIfMatch] = useState(false)
  const make = async () => {
    await api.post(PATHS.workspaces, { name, requireIfMatch })
    setName('')
    onMade()
  }
  return (
    <AddForm summary="Add Workspace" button="Add workspace" make={make}>
      <TextField label="Name" value={name} onChange={setName} required hint="Letters, digits, “.”, “_” and “-”." />
      <CheckField
        label="Refuse changes that do not say which version they change"
        checked={requireIfMatch}
        onChange={setRequireIfMatch}
      />
    </AddForm>
  )
}
