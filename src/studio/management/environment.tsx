/** An environment: the gateways that serve its proxies, what each has, and policies for all of them. */
import { useState } from 'preact/hooks'
import { isObject, type JsonObject } from '../../json/member.ts'
import { SideBySide } from '../side-by-side.tsx'
import { useKept } from '../use-kept.ts'
import type { Answer } from './api.ts'
import { mayChange, useAction, useLoaded, useManagement } from './context.ts'
import { CheckField, Failure } from './fields.tsx'
import { History } from './history.tsx'
import { useProxies } from './lists.ts'
import { Effects, Touched } from './overrides.tsx'
import { linkTo, PATHS } from './place.ts'
import { useAfterForm } from './policies/open-form.ts'
import { Policies } from './policies/policies.tsx'
import { textOf } from './proxy/draft.ts'
import { StateMark, stateOf } from './state.tsx'

/** The gateway that the server itself runs. */
const OWN_GATEWAY = 'local'

type EnvironmentProps = { readonly workspace: string; readonly name: string }

export function EnvironmentView({ workspace, name }: EnvironmentProps) {
  const { api } = useManagement()
  const path = PATHS.environment(workspace, name)
  const { value, problem, reload } = useLoaded(
    path,
    () => api.get(path),
    ({ type, data }) => data.workspace === workspace && (type.startsWith('environment.') || type.startsWith('proxy.')),
  )
  return (
    <>
      <h1>Environment {name}</h1>
      <Failure text={problem} />
      {value && <EditEnvironment {...{ workspace, name, stored: value, reload }} />}
    </>
  )
}

type Submitted = { readonly gateways: readonly string[]; readonly policies: JsonObject }

const submittedIn = ({ gateways, policies }: JsonObject): Submitted => ({
  gateways: Array.isArray(gateways) ? gateways.map(String) : [],
  policies: isObject(policies) ? policies : {},
})

function EditEnvironment({
  workspace,
  name,
  stored,
  reload,
}: EnvironmentProps & { readonly stored: Answer; reload(): void }) {
  const { api, session } = useManagement()
  const path = PATHS.environment(workspace, name)
  const [draft, setDraft] = useKept<(Submitted & { readonly etag: string }) | undefined>(`draft ${path}`, undefined)
  const { isBusy, problem, run } = useAction()
  const before = submittedIn(stored.body)
  const { gateways, policies } = draft ?? before
  const etag = draft?.etag ?? stored.etag ?? ''
  const mayEdit = mayChange(session, workspace)
  const state = stateOf(stored.body)
  const { proxies } = isObject(stored.body.status) ? stored.body.status : {}
  const isOld = draft !== undefined && draft.etag !== stored.etag
  const submit = async () => {
    await api.put(path, { body: { gateways, policies }, match: etag }).finally(reload)
    setDraft(undefined)
  }
  const [said, setSaid] = useState('')
  const start = useAfterForm(path, () => run(submit), setSaid)
  const remove = async () => {
    await api.remove(path, etag)
    location.hash = linkTo({ view: 'workspace', workspace })
  }
  return (
    <>
      <section aria-label="State" role="status">
        <p>
          <StateMark state={state} />{' '}
          {state.message !== '' && `${state.message.charAt(0).toUpperCase()}${state.message.slice(1)}.`}
        </p>
      </section>
      <Gateways
        {...{ workspace, name, gateways, mayEdit }}
        onChange={(next) => setDraft({ gateways: next, policies, etag })}
      />
      <h2>Policies for all proxies</h2>
      <p class="muted">All proxies of the environment share one budget of each, beside the limits of their own.</p>
      <Policies
        name={path}
        policies={policies}
        context="global"
        mayEdit={mayEdit}
        onChange={(next) => setDraft({ gateways, policies: next, etag })}
        bodyWith={(next) => ({ body: { policies: next }, pointer: '/policies' })}
      />
      {!draft && isObject(proxies) && <Touched {...{ workspace, proxies }} />}
      {mayEdit && (
        <section class="publishing" aria-label="Publish">
          {isOld && <p class="failure">Somebody else has changed this environment meanwhile: discard your changes.</p>}
          <p class="buttons">
            <button
              type="button"
              class="primary"
              disabled={isBusy || isOld}
              onClick={() => {
                setSaid('')
                start('submit')
              }}
            >
              Save and Submit
            </button>
            {draft && (
              <button type="button" onClick={() => setDraft(undefined)}>
                Discard changes
              </button>
            )}
            {name !== 'default' && (
              <button type="button" class="danger" disabled={isBusy} onClick={() => run(remove)}>
                Delete environment
              </button>
            )}
          </p>
          <p role="status">{said}</p>
          <Failure text={problem} />
          {draft ? (
            <>
              <h2>What it would do</h2>
              <Effects
                workspace={workspace}
                dryRun={() => api.put(`${path}?dryRun=true`, { body: { gateways, policies } })}
                inputs={[path, JSON.stringify([gateways, policies]), stored.etag ?? '']}
              />
              <SideBySide
                before={textOf({ ...before })}
                after={textOf({ gateways, policies })}
                beforeLabel="Stored"
                afterLabel="With your changes"
              />
            </>
          ) : (
            <p class="muted">
              No changes. What you change, and what it does to proxies, is shown before it is submitted.
            </p>
          )}
        </section>
      )}
      <EnvironmentHistory {...{ workspace, name, reload }} match={stored.etag} />
    </>
  )
}

type HistoryProps = EnvironmentProps & { readonly match: string | undefined; reload(): void }

function EnvironmentHistory({ workspace, name, match, reload }: HistoryProps) {
  const { api } = useManagement()
  return (
    <>
      <h2>History</h2>
      <History
        workspace={workspace}
        pathOf={(more) => PATHS.environmentHistory(workspace, name, more)}
        isTouchedBy={({ type, data }) =>
          type.startsWith('environment.') && data.workspace === workspace && data.name === name
        }
        match={match}
        onRestored={reload}
        effects={(restorePath) => (
          <Effects
            workspace={workspace}
            dryRun={() => api.restore(`${restorePath}?dryRun=true`, undefined)}
            inputs={[restorePath, match ?? '']}
          />
        )}
      />
    </>
  )
}

type GatewaysProps = EnvironmentProps & {
  readonly gateways: readonly string[]
  readonly mayEdit: boolean
  onChange(gateways: readonly string[]): void
}

function Gateways({ workspace, name, gateways, mayEdit, onChange }: GatewaysProps) {
  const { value: served = [] } = useProxies(workspace, name)
  const known = [...new Set([OWN_GATEWAY, ...gateways])]
  return (
    <section aria-labelledby="gateways">
      <h2 id="gateways">Gateways</h2>
      {gateways.length === 0 && <p>No gateway is named: proxies of this environment are stored, and not in force.</p>}
      {known.map((gateway) => (
        <div key={gateway} class="gateway">
          {mayEdit ? (
            <CheckField
              label={gateway === OWN_GATEWAY ? 'local: the nginx of this server' : gateway}
              checked={gateways.includes(gateway)}
              onChange={(isNamed) =>
                onChange(isNamed ? [...gateways, gateway] : gateways.filter((one) => one !== gateway))
              }
            />
          ) : (
            <strong>{gateway}</strong>
          )}
          {gateway === OWN_GATEWAY && gateways.includes(gateway) && (
            <ul aria-label="What it has">
              {served.length === 0 && <li class="muted">no proxy</li>}
              {served.map((proxy) => (
                <li key={`${proxy.name}${proxy.version}${JSON.stringify(proxy.proxyConfig)}`}>
                  {String(proxy.name)} {String(proxy.version)}, revision {stateOf(proxy).revision}:{' '}
                  <StateMark state={stateOf(proxy)} />
                </li>
              ))}
            </ul>
          )}
        </div>
      ))}
    </section>
  )
}
