/** A workspace: its proxies with their states, and its environments. */
import { useState } from 'preact/hooks'
import { isObject, type JsonObject } from '../../json/member.ts'
import { allItems, itemsOf } from './api.ts'
import { mayChange, useAction, useLoaded, useManagement } from './context.ts'
import { CheckField, Failure, SelectField, TextField } from './fields.tsx'
import { linkTo, PATHS, type ProxyPlace } from './place.ts'
import { StateMark, stateOf } from './state.tsx'

type WorkspaceProps = { readonly workspace: string }

export function WorkspaceView({ workspace }: WorkspaceProps) {
  const { session } = useManagement()
  const mayEdit = mayChange(session, workspace)
  return (
    <>
      <h1>{workspace}</h1>
      <Proxies workspace={workspace} mayEdit={mayEdit} />
      <Environments workspace={workspace} mayEdit={mayEdit} />
      {mayChange(session) && <Settings workspace={workspace} />}
    </>
  )
}

/** Where a proxy of the API is edited. */
function placeIn(workspace: string, { name, version, proxyConfig }: JsonObject): ProxyPlace {
  const hostname = isObject(proxyConfig) ? proxyConfig.hostname : undefined
  return {
    workspace,
    name: String(name),
    hostname: typeof hostname === 'string' ? hostname : '',
    version: String(version),
  }
}

type PartProps = WorkspaceProps & { readonly mayEdit: boolean }

function Proxies({ workspace, mayEdit }: PartProps) {
  const { api } = useManagement()
  const { value, problem, reload } = useLoaded(
    `proxies ${workspace}`,
    () => allItems(api, PATHS.proxies(workspace)),
    ({ type, data }) => data.workspace === workspace && (type.startsWith('proxy.') || type.startsWith('environment.')),
  )
  const [part, setPart] = useState('')
  const found = value?.filter(({ name }) => String(name).toLowerCase().includes(part.trim().toLowerCase())) ?? []
  return (
    <section aria-labelledby="proxies">
      <h2 id="proxies">API proxies</h2>
      <Failure text={problem} />
      {value?.length === 0 && <p>There is no proxy yet.</p>}
      {value !== undefined && value.length > FEW && <TextField label="Find" value={part} onChange={setPart} />}
      {found.length > MOST_SHOWN && (
        <p role="status">
          {MOST_SHOWN} of {found.length.toLocaleString()} are shown: find the others by a part of their name.
        </p>
      )}
      {found.length > 0 && (
        <div class="scroll">
          <table>
            <thead>
              <tr>
                {['Name', 'Hostname', 'Version', 'Environment', 'State'].map((title) => (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ))}
                <td />
              </tr>
            </thead>
            <tbody>
              {found.slice(0, MOST_SHOWN).map((proxy) => (
                <ProxyRow
                  key={JSON.stringify(placeIn(workspace, proxy))}
                  place={placeIn(workspace, proxy)}
                  proxy={proxy}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {mayEdit && <NewProxy workspace={workspace} onMade={reload} />}
    </section>
  )
}

/** Proxies that are found by the eye, and that a page shows at once. */
const FEW = 20
const MOST_SHOWN = 200

function ProxyRow({ place, proxy }: { readonly place: ProxyPlace; readonly proxy: JsonObject }) {
  const state = stateOf(proxy)
  return (
    <tr>
      <th scope="row">{place.name}</th>
      <td>{place.hostname || <span class="muted">any</span>}</td>
      <td>{place.version}</td>
      <td>{state.environment}</td>
      <td>
        <StateMark state={state} />
      </td>
      <td>
        <a class="button" href={linkTo({ view: 'proxy', ...place })}>
          Edit Proxy
        </a>
      </td>
    </tr>
  )
}

function NewProxy({ workspace, onMade }: WorkspaceProps & { onMade(): void }) {
  const { api } = useManagement()
  const environments = useLoaded(
    `environments ${workspace}`,
    () => api.get(PATHS.environments(workspace)),
    ({ type }) => type.startsWith('environment.'),
  )
  const [fields, setFields] = useState(EMPTY_PROXY)
  const { isBusy, problem, run } = useAction()
  const set = (name: keyof typeof EMPTY_PROXY) => (value: string) =>
    setFields((before) => ({ ...before, [name]: value }))
  const make = async () => {
    const { body } = await api.post(PATHS.proxies(workspace), bodyOf(fields))
    setFields(EMPTY_PROXY)
    onMade()
    location.hash = linkTo({ view: 'proxy', ...placeIn(workspace, body) })
  }
  const names = environments.value ? itemsOf(environments.value).map(({ name }) => String(name)) : []
  return (
    <details class="new">
      <summary>Add Proxy</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          run(make)
        }}
      >
        <TextField label="Name" value={fields.name} onChange={set('name')} required />
        <TextField label="Hostname" value={fields.hostname} onChange={set('hostname')} hint="Empty: any." />
        <TextField label="Base path" value={fields.basePath} onChange={set('basePath')} required />
        <TextField label="Version" value={fields.version} onChange={set('version')} required />
        <SelectField label="Environment" value={fields.environment} options={names} onChange={set('environment')} />
        <TextField label="Backend host" value={fields.host} onChange={set('host')} placeholder="10.0.0.1" />
        <TextField
          label="Backend port"
          value={fields.port}
          onChange={set('port')}
          inputMode="numeric"
          placeholder="8080"
        />
        <Failure text={problem} />
        <button type="submit" class="primary" disabled={isBusy}>
          Add proxy
        </button>
      </form>
    </details>
  )
}

const EMPTY_PROXY = { name: '', hostname: '', basePath: '/', version: 'v1', environment: 'default', host: '', port: '' }

function bodyOf({ name, hostname, basePath, version, environment, host, port }: typeof EMPTY_PROXY): JsonObject {
  const target = { hostname: host, ...(port === '' ? {} : { listener: { port: Number(port) } }) }
  return {
    name,
    version,
    environment,
    proxyConfig: {
      ...(hostname === '' ? {} : { hostname }),
      ingress: { basePath },
      ...(host === '' ? {} : { backends: [{ serviceName: name, serviceTargets: [target] }] }),
    },
  }
}

function Environments({ workspace, mayEdit }: PartProps) {
  const { api } = useManagement()
  const { value, problem, reload } = useLoaded(
    `environments ${workspace}`,
    () => api.get(PATHS.environments(workspace)),
    ({ type, data }) => data.workspace === workspace && type.startsWith('environment.'),
  )
  const [name, setName] = useState('')
  const { isBusy, problem: refused, run } = useAction()
  const make = async () => {
    await api.post(PATHS.environments(workspace), { name, gateways: [] })
    setName('')
    reload()
  }
  return (
    <section aria-labelledby="environments">
      <h2 id="environments">Environments</h2>
      <Failure text={problem} />
      <ul class="cards">
        {value &&
          itemsOf(value).map(({ name: environment, gateways }) => (
            <li key={String(environment)}>
              <a href={linkTo({ view: 'environment', workspace, environment: String(environment) })}>
                {String(environment)}
              </a>{' '}
              <span class="muted">
                {Array.isArray(gateways) && gateways.length > 0 ? `on ${gateways.join(', ')}` : 'no gateway'}
              </span>
            </li>
          ))}
      </ul>
      {mayEdit && (
        <details class="new">
          <summary>Add Environment</summary>
          <form
            onSubmit={(event) => {
              event.preventDefault()
              run(make)
            }}
          >
            <TextField label="Name" value={name} onChange={setName} required />
            <Failure text={refused} />
            <button type="submit" class="primary" disabled={isBusy}>
              Add environment
            </button>
          </form>
        </details>
      )}
    </section>
  )
}

/** What administrators do with a workspace. */
function Settings({ workspace }: WorkspaceProps) {
  const { api } = useManagement()
  const { value, reload } = useLoaded(
    `workspace ${workspace}`,
    () => api.get(PATHS.workspace(workspace)),
    ({ type, data }) => data.workspace === workspace && type === 'workspace.changed',
  )
  const [force, setForce] = useState(false)
  const { isBusy, problem, run } = useAction()
  if (!value) return null
  return (
    <details class="new">
      <summary>Settings of the workspace</summary>
      <CheckField
        label="Refuse changes that do not say which version they change"
        checked={value.body.requireIfMatch === true}
        onChange={(requireIfMatch) =>
          run(async () => {
            await api.put(PATHS.workspace(workspace), { body: { requireIfMatch }, match: value.etag })
            reload()
          })
        }
      />
      <CheckField label="Delete its proxies, too" checked={force} onChange={setForce} />
      <Failure text={problem} />
      <button
        type="button"
        class="danger"
        disabled={isBusy}
        onClick={() =>
          run(async () => {
            await api.remove(`${PATHS.workspace(workspace)}${force ? '?force=true' : ''}`, value.etag)
            location.hash = linkTo({ view: 'services' })
          })
        }
      >
        Delete workspace
      </button>
    </details>
  )
}
