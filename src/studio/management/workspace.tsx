/** A workspace: its proxies with their states, and its environments. */
import { useState } from 'preact/hooks'
import { BODY, INGRESS } from '../../api-management/fields.ts'
import type { JsonObject } from '../../json/member.ts'
import { useKeptFields } from '../use-kept.ts'
import { AddForm } from './add-form.tsx'
import { mayChange, useAction, useLoaded, useManagement } from './context.ts'
import { CheckField, Failure, SelectField, saidAt, TextField } from './fields.tsx'
import { namesOf, useEnvironments } from './lists.ts'
import { linkTo, PATHS, placeIn } from './place.ts'
import { ProxyList } from './proxy-list.tsx'

type WorkspaceProps = { readonly workspace: string }

export function WorkspaceView({ workspace }: WorkspaceProps) {
  const { session } = useManagement()
  const mayEdit = mayChange(session, workspace)
  const environments = useEnvironments(workspace)
  return (
    <>
      <h1>{workspace}</h1>
      <Proxies workspace={workspace} mayEdit={mayEdit} environments={namesOf(environments.value)} />
      <Environments workspace={workspace} mayEdit={mayEdit} loaded={environments} />
      {mayChange(session) && <Settings workspace={workspace} />}
    </>
  )
}

type PartProps = WorkspaceProps & { readonly mayEdit: boolean }

function Proxies({ workspace, mayEdit, environments }: PartProps & { readonly environments: readonly string[] }) {
  const [made, setMade] = useState(0)
  return (
    <section aria-labelledby="proxies">
      <h2 id="proxies">API proxies</h2>
      <ProxyList key={workspace} workspace={workspace} made={made} />
      {mayEdit && (
        <NewProxy workspace={workspace} environments={environments} onMade={() => setMade((before) => before + 1)} />
      )}
    </section>
  )
}

type NewProxyProps = WorkspaceProps & { readonly environments: readonly string[]; onMade(): void }

function NewProxy({ workspace, environments, onMade }: NewProxyProps) {
  const { api } = useManagement()
  const at = PATHS.proxies(workspace)
  const { fields, set: change, forget } = useKeptFields(`add ${at}`, EMPTY_PROXY)
  const set = (name: keyof typeof EMPTY_PROXY) => (value: string) => change({ [name]: value })
  const make = async () => {
    const { body } = await api.post(at, bodyOf(fields))
    forget()
    onMade()
    location.hash = linkTo({ view: 'proxy', ...placeIn(workspace, body) })
  }
  return (
    <AddForm name={at} summary="Add Proxy" button="Add proxy" make={make}>
      {(remarks) => (
        <>
          <TextField label="Name" value={fields.name} onChange={set('name')} required />
          <TextField
            label="Hostname"
            value={fields.hostname}
            said={saidAt(remarks, '/proxyConfig/hostname')}
            onChange={set('hostname')}
            hint="Empty: any."
          />
          <TextField
            label="Base path"
            value={fields.basePath}
            said={saidAt(remarks, '/proxyConfig/ingress/basePath')}
            onChange={set('basePath')}
            required
          />
          <TextField label="Version" value={fields.version} onChange={set('version')} required />
          <SelectField
            label="Environment"
            value={fields.environment}
            options={environments}
            onChange={set('environment')}
          />
          <TextField
            label="Backend host"
            value={fields.host}
            said={saidAt(remarks, '/proxyConfig/backends')}
            onChange={set('host')}
            placeholder="10.0.0.1"
          />
          <TextField
            label="Backend port"
            value={fields.port}
            onChange={set('port')}
            inputMode="numeric"
            placeholder="8080"
          />
        </>
      )}
    </AddForm>
  )
}

const EMPTY_PROXY = {
  name: '',
  hostname: '',
  basePath: INGRESS.basePath.default,
  version: BODY.version.default,
  environment: BODY.environment.default,
  host: '',
  port: '',
}

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

type EnvironmentsProps = PartProps & { readonly loaded: ReturnType<typeof useEnvironments> }

function Environments({ workspace, mayEdit, loaded: { value, problem, reload } }: EnvironmentsProps) {
  const { api } = useManagement()
  const at = PATHS.environments(workspace)
  const { fields, set, forget } = useKeptFields(`add ${at}`, { name: '' })
  const make = async () => {
    await api.post(at, { ...fields, gateways: [] })
    forget()
    reload()
  }
  return (
    <section aria-labelledby="environments">
      <h2 id="environments">Environments</h2>
      <Failure text={problem} />
      <ul class="cards">
        {value?.map(({ name: environment, gateways }) => (
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
        <AddForm name={at} summary="Add Environment" button="Add environment" make={make}>
          <TextField label="Name" value={fields.name} onChange={(name) => set({ name })} required />
        </AddForm>
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
