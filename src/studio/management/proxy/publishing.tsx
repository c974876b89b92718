/** The way of a changed proxy into force: what changes, and what came of it. */
import { useState } from 'preact/hooks'
import { isObject, type JsonObject } from '../../../json/member.ts'
import { SideBySide } from '../../side-by-side.tsx'
import { type Api, ApiProblem, type Remark } from '../api.ts'
import { useAction, useManagement } from '../context.ts'
import { Failure } from '../fields.tsx'
import { linkTo, PATHS, type ProxyPlace } from '../place.ts'
import { useAfterForm } from '../policies/open-form.ts'
import { stateOf } from '../state.tsx'
import { type Draft, textOf } from './draft.ts'

type PublishingProps = {
  readonly place: ProxyPlace
  readonly draft: Draft | undefined
  /** The stored proxy, and its version. */
  readonly before: JsonObject
  readonly etag: string
  /** What the server said when it was to be stored. */
  readonly remarks: readonly Remark[]
  reload(): void
  onRemarks(remarks: readonly Remark[]): void
  onDraft(draft: Draft | undefined): void
}

export function Publishing(props: PublishingProps) {
  const { place, draft, before, etag, remarks, onDraft } = props
  const { isBusy, problem, done, start, clear } = useSaving(props)
  const isOld = draft !== undefined && draft.etag !== etag
  const discard = () => {
    clear()
    onDraft(undefined)
  }
  return (
    <section class="publishing" aria-label="Publish">
      <p class="buttons">
        <button type="button" class="primary" disabled={isBusy || isOld} onClick={() => start('save')}>
          Save &amp; Publish
        </button>
        <button type="button" disabled={isBusy || isOld} onClick={() => start('submit')}>
          Save and Submit
        </button>
        {draft && (
          <button type="button" onClick={discard}>
            Discard changes
          </button>
        )}
        <span role="status">{done}</span>
      </p>
      <Failure text={problem} />
      {problem !== '' && remarks.length > 0 && (
        <ul aria-label="Why it was refused">
          {remarks.map(({ pointer, message, remedy }) => (
            <li key={pointer + message}>
              <code>{pointer}</code>: {message}. {remedy}
            </li>
          ))}
        </ul>
      )}
      <h2>Changes</h2>
      {draft ? (
        <SideBySide
          before={textOf(before)}
          after={textOf(draft.body)}
          beforeLabel="Stored"
          afterLabel="With your changes"
        />
      ) : (
        <p class="muted">None. What you change in {place.name} is shown here before it is published.</p>
      )}
    </section>
  )
}

/** `save`: the proxy. `submit`: also its environment, to all of its gateways. */
type What = 'save' | 'submit'

function useSaving({ place, draft, reload, onDraft, onRemarks }: PublishingProps) {
  const { api } = useManagement()
  const action = useAction()
  const [done, setDone] = useState('')
  const save = async () => {
    if (!draft) return
    onRemarks([])
    try {
      const { body } = await api.put(PATHS.proxy(place), { body: draft.body, match: draft.etag })
      onDraft(undefined)
      follow(place, body)
    } catch (error) {
      if (error instanceof ApiProblem) onRemarks(error.remarks)
      throw error
    } finally {
      // A refused one may have been changed meanwhile.
      reload()
    }
  }
  const submit = async () => {
    await save()
    setDone(await submitEnvironment(api, place))
  }
  const act = (what: What) => {
    if (what === 'save' && !draft) setDone('There is nothing to save.')
    else action.run(what === 'save' ? save : submit)
  }
  const start = useAfterForm(PATHS.proxy(place), act, setDone)
  return {
    ...action,
    done,
    start(what: What) {
      setDone('')
      start(what)
    },
    clear() {
      action.clear()
      onRemarks([])
    },
  }
}

/** Gives the environment of a proxy to its gateways once more. Resolves to what was done, in words. */
async function submitEnvironment(api: Api, place: ProxyPlace): Promise<string> {
  const { environment } = stateOf((await api.get(PATHS.proxy(place))).body)
  const at = PATHS.environment(place.workspace, environment)
  const { body, etag: match } = await api.get(at)
  const { gateways = [], policies = {} } = body
  await api.put(at, { body: { gateways, policies }, match })
  return Array.isArray(gateways) && gateways.length > 0
    ? `Submitted to ${gateways.join(', ')}.`
    : `Stored. The environment ${environment} names no gateway, so nothing is in force.`
}

/** A proxy is known by its hostname and version, too. */
function follow(place: ProxyPlace, { proxyConfig, version }: JsonObject): void {
  const hostname = isObject(proxyConfig) && typeof proxyConfig.hostname === 'string' ? proxyConfig.hostname : ''
  if (hostname.toLowerCase() !== place.hostname.toLowerCase() || version !== place.version)
    location.hash = linkTo({ view: 'proxy', ...place, hostname, version: String(version) })
}
