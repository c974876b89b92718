/** The settings of a proxy as fields, and all of it as text. */
import { useState } from 'preact/hooks'
import type { JsonObject } from '../../../json/member.ts'
import { keep } from '../../kept.ts'
import { type Remark, wordsOf } from '../api.ts'
import { useAction, useManagement } from '../context.ts'
import { Failure, SelectField, saidAt, TextField } from '../fields.tsx'
import { namesOf, useEnvironments } from '../lists.ts'
import { linkTo, PATHS, type ProxyPlace } from '../place.ts'
import { draftKey, readBody, settingsOf, textOf, withSettings } from './draft.ts'

type SettingsProps = {
  readonly place: ProxyPlace
  readonly body: JsonObject
  readonly mayEdit: boolean
  readonly etag: string
  /** What the server said when it was to be stored. */
  readonly remarks: readonly Remark[]
  onChange(body: JsonObject): void
}

export function SettingsForm({ place, body, mayEdit, etag, remarks, onChange }: SettingsProps) {
  const { api } = useManagement()
  const { workspace } = place
  const environments = namesOf(useEnvironments(workspace).value)
  const { isBusy, problem, run } = useAction()
  const settings = settingsOf(body)
  const set = (change: Partial<typeof settings>) => onChange(withSettings(body, { ...settings, ...change }))
  const remove = async () => {
    await api.remove(PATHS.proxy(place), etag)
    keep(draftKey(place), undefined)
    location.hash = linkTo({ view: 'workspace', workspace })
  }
  return (
    <fieldset class="plain" disabled={!mayEdit}>
      <div class="fields">
        <TextField
          label="Hostname"
          value={settings.hostname}
          said={saidAt(remarks, '/proxyConfig/hostname')}
          hint="Empty: any."
          onChange={(hostname) => set({ hostname })}
        />
        <TextField
          label="Base path"
          value={settings.basePath}
          said={saidAt(remarks, '/proxyConfig/ingress/basePath')}
          hint="The version is put in front, unless the tab JSON says otherwise."
          onChange={(basePath) => set({ basePath })}
        />
        <SelectField
          label="Environment"
          value={settings.environment}
          said={saidAt(remarks, '/environment')}
          options={environments}
          onChange={(environment) => set({ environment })}
        />
      </div>
      <p class="muted">Backends and all the rest are in the tab JSON.</p>
      <Failure text={problem} />
      {mayEdit && (
        <button type="button" class="danger" disabled={isBusy} onClick={() => run(remove)}>
          Delete proxy
        </button>
      )}
    </fieldset>
  )
}

type BodyProps = { readonly body: JsonObject; readonly mayEdit: boolean; onChange(body: JsonObject): void }

export function BodyText({ body, mayEdit, onChange }: BodyProps) {
  const [text, setText] = useState(() => textOf(body))
  const [problem, setProblem] = useState('')
  const write = (next: string) => {
    setText(next)
    try {
      onChange(readBody(next))
      setProblem('')
    } catch (error) {
      setProblem(wordsOf(error))
    }
  }
  return (
    <div class="field">
      <label for="body">Body of the proxy</label>
      <textarea
        id="body"
        rows={20}
        spellcheck={false}
        readOnly={!mayEdit}
        value={text}
        aria-invalid={problem === '' ? undefined : true}
        aria-describedby="body-problem"
        onInput={({ currentTarget }) => write(currentTarget.value)}
      />
      <small id="body-problem" class="said error">
        {problem}
      </small>
    </div>
  )
}
