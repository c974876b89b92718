/** The state of a proxy: whether nginx has it. */
import { isObject, type JsonObject } from '../../json/member.ts'
import { linkTo } from './place.ts'

/** A state as the API tells it. */
export type ProxyState = {
  readonly state: string
  readonly reason: string
  readonly message: string
  readonly revision: number
  readonly environment: string
  readonly isDry: boolean
}

export function stateOf({ status }: JsonObject): ProxyState {
  const { state, reason, message, revision, environment, dryRun } = isObject(status) ? status : {}
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  return {
    state: text(state),
    reason: text(reason),
    message: text(message),
    revision: Number(revision),
    environment: text(environment),
    isDry: dryRun === true,
  }
}

const WORDS: Readonly<Record<string, string>> = {
  SUCCESS: 'In force',
  FAILED: 'Failed',
  Publishing: 'Publishing …',
  NoGateway: 'No gateway',
  NoAddress: 'No address',
  NoProxies: 'No proxies',
}

/** In one or two words. */
const stateWords = ({ state, reason }: Pick<ProxyState, 'state' | 'reason'>): string =>
  WORDS[state] ?? WORDS[reason] ?? 'Publishing …'

export function StateMark({ state }: { readonly state: ProxyState }) {
  return (
    <span class={`state ${state.state.toLowerCase()}`}>
      {stateWords(state)}
      {state.isDry && ', dry run'}
    </span>
  )
}

/** At length, with what is to be done. */
export function StateText({ state, workspace }: { readonly state: ProxyState; readonly workspace: string }) {
  const { environment, reason, message, revision, isDry } = state
  return (
    <p>
      <StateMark state={state} />{' '}
      {state.state === 'SUCCESS'
        ? `nginx has revision ${revision}.`
        : message !== '' && `${message.charAt(0).toUpperCase()}${message.slice(1)}.`}
      {isDry && ' Policies in dry run count, and reject and delay nothing.'}
      {state.state === 'FAILED' && ' The last form that nginx accepted stays in force.'}
      {reason === 'NoGateway' && (
        <>
          {' '}
          Stored it is. Let the environment{' '}
          <a href={linkTo({ view: 'environment', workspace, environment })}>{environment}</a> name the gateway “local”,
          and see that the server runs an nginx (--nginx-dir).
        </>
      )}
    </p>
  )
}
