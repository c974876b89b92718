/** Edit Proxy: what is changed, what it does, and the way into force. */
import { useState } from 'preact/hooks'
import type { JsonObject } from '../../../json/member.ts'
import { Scrolled } from '../../scrolled.tsx'
import { SideBySide } from '../../side-by-side.tsx'
import { Tabs } from '../../tabs.tsx'
import { useKept } from '../../use-kept.ts'
import type { Answer, Remark } from '../api.ts'
import { type Loaded, mayChange, useAction, useLoaded, useManagement } from '../context.ts'
import { Failure } from '../fields.tsx'
import { ProxyHistory } from '../history.tsx'
import { Overridden } from '../overrides.tsx'
import { linkTo, PATHS, type ProxyPlace, placeIn } from '../place.ts'
import { policiesOf, withPolicies } from '../policies/body.ts'
import { Policies } from '../policies/policies.tsx'
import { Requests } from '../requests.tsx'
import { StateText, stateOf } from '../state.tsx'
import { bodyIn, type Draft, draftKey, textOf } from './draft.ts'
import { Preview, SimulatedProxy } from './preview.tsx'
import { Publishing } from './publishing.tsx'
import { BodyText, SettingsForm } from './settings.tsx'

const TABS = ['Settings', 'Policies', 'JSON', 'nginx configuration', 'Simulation', 'History'] as const
type Tab = (typeof TABS)[number]

export function ProxyView({ place }: { readonly place: ProxyPlace }) {
  const { api } = useManagement()
  const { workspace, name } = place
  const loaded = useLoaded(
    PATHS.proxy(place),
    () => api.get(PATHS.proxy(place)),
    ({ type, data }) =>
      data.workspace === workspace &&
      (type.startsWith('environment.') || (type.startsWith('proxy.') && data.name === name)),
  )
  return (
    <>
      <h1>{name}</h1>
      <Failure text={loaded.problem} />
      {loaded.value && <EditProxy place={place} stored={loaded.value} reload={loaded.reload} />}
      {loaded.problem !== undefined && !loaded.value && (
        <>
          <LostDraft place={place} onStored={loaded.reload} />
          <ProxyHistory place={place} match={undefined} onRestored={loaded.reload} />
        </>
      )}
    </>
  )
}

type EditProps = { readonly place: ProxyPlace; readonly stored: Answer; readonly reload: Loaded<Answer>['reload'] }

function EditProxy({ place, stored, reload }: EditProps) {
  const { session } = useManagement()
  const key = PATHS.proxy(place)
  const [draft, setDraft] = useKept<Draft | undefined>(draftKey(place), undefined)
  const [tab, setTab] = useKept<Tab>(`tab ${key}`, 'Policies')
  const [remarks, setRemarks] = useState<readonly Remark[]>([])
  const before = bodyIn(stored.body)
  const body = draft?.body ?? before
  const etag = stored.etag ?? ''
  const mayEdit = mayChange(session, place.workspace)
  const change = (next: JsonObject) =>
    setDraft(textOf(next) === textOf(before) ? undefined : { etag, ...draft, body: next })
  return (
    <>
      <section aria-label="State" role="status">
        <StateText state={stateOf(stored.body)} workspace={place.workspace} />
        <Overridden status={stored.body.status} />
      </section>
      <Requests place={place} proxy={stored.body} />
      {draft && draft.etag !== etag && (
        <Meanwhile
          theirs={before}
          mine={draft.body}
          onTheirs={() => setDraft(undefined)}
          onMine={() => setDraft({ ...draft, etag, replaces: true })}
        />
      )}
      <div role="status">
        {draft?.replaces && draft.etag === etag && (
          <p>Nothing is replaced yet: Save &amp; Publish replaces theirs with yours.</p>
        )}
      </div>
      <Tabs label="Edit Proxy" names={TABS} chosen={tab} onChoose={setTab}>
        {tab === 'Settings' && <SettingsForm {...{ place, body, mayEdit, etag, remarks }} onChange={change} />}
        {tab === 'Policies' && (
          <Policies
            name={key}
            policies={policiesOf(body)}
            context="proxy"
            mayEdit={mayEdit}
            onChange={(policies) => change(withPolicies(body, policies))}
            bodyWith={(policies) => ({ body: withPolicies(body, policies), pointer: '/proxyConfig/policies' })}
          />
        )}
        {tab === 'JSON' && <BodyText body={body} mayEdit={mayEdit} onChange={change} />}
        {tab === 'nginx configuration' && <Preview body={body} before={before} />}
        {tab === 'Simulation' && <SimulatedProxy name={place.name} body={body} before={before} />}
        {tab === 'History' && <ProxyHistory place={place} match={etag} onRestored={reload} />}
      </Tabs>
      {mayEdit && (
        <Publishing {...{ place, draft, before, etag, remarks, reload }} onRemarks={setRemarks} onDraft={setDraft} />
      )}
    </>
  )
}

type MeanwhileProps = { readonly theirs: JsonObject; readonly mine: JsonObject; onTheirs(): void; onMine(): void }

/** A lost update, before it is one. */
function Meanwhile({ theirs, mine, onTheirs, onMine }: MeanwhileProps) {
  return (
    <section class="meanwhile" role="alert" aria-label="Changed meanwhile">
      <p>
        <strong>Somebody else has changed this proxy meanwhile.</strong> Your changes are not stored. This is the way
        from theirs to yours:
      </p>
      <SideBySide before={textOf(theirs)} after={textOf(mine)} beforeLabel="Theirs" afterLabel="Yours" />
      <p class="buttons">
        <button type="button" onClick={onTheirs}>
          Drop my changes
        </button>
        <button type="button" onClick={onMine}>
          Replace theirs with mine
        </button>
      </p>
    </section>
  )
}

type LostProps = { readonly place: ProxyPlace; onStored(): void }

/** Changes of a proxy that is not there any more, as somebody else has deleted it. */
function LostDraft({ place, onStored }: LostProps) {
  const { api, session } = useManagement()
  const [draft, setDraft] = useKept<Draft | undefined>(draftKey(place), undefined)
  const { isBusy, problem, run } = useAction()
  if (!draft) return null
  const store = async () => {
    const { body } = await api.post(PATHS.proxies(place.workspace), draft.body)
    setDraft(undefined)
    location.hash = linkTo({ view: 'proxy', ...placeIn(place.workspace, body) })
    // Where that is the place of before, nothing else reads it.
    onStored()
  }
  return (
    <section class="meanwhile" aria-label="Your changes">
      <p>
        <strong>Your changes are not stored.</strong> They are kept in this tab; with them the proxy is:
      </p>
      <Scrolled class="changes" label="The proxy with your changes">
        <pre>{textOf(draft.body)}</pre>
      </Scrolled>
      <Failure text={problem} />
      <p class="buttons">
        {mayChange(session, place.workspace) && (
          <button type="button" disabled={isBusy} onClick={() => run(store)}>
            Store it as a new proxy
          </button>
        )}
        <button type="button" disabled={isBusy} onClick={() => setDraft(undefined)}>
          Drop my changes
        </button>
      </p>
    </section>
  )
}
