/** Signing in, and choosing a password. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Api, BASE, type Provider, type Session, signsInElsewhere } from './api.ts'
import { useAction } from './context.ts'
import { Failure, TextField } from './fields.tsx'

type SignInProps = {
  readonly api: Api
  /** Who must sign in again; undefined: anybody. */
  readonly again?: string | undefined
  onSession(session: Session): void
}

/** User and password. */
export function SignIn({ api, again, onSession }: SignInProps) {
  const [user, setUser] = useState(again ?? '')
  const [password, setPassword] = useState('')
  const { isBusy, problem, run } = useAction()
  const form = useRef<HTMLFormElement>(null)
  const [providers, setProviders] = useState<readonly Provider[]>([])
  // Without an answer there is still the password.
  useEffect(() => void api.providers().then(setProviders, () => {}), [api])
  const [refusal] = useState(takeRefusal)
  useEffect(
    () => form.current?.querySelector<HTMLInputElement>(again === undefined ? 'input' : '[type=password]')?.focus(),
    [again],
  )
  return (
    <form
      ref={form}
      class="sign-in"
      onSubmit={(event) => {
        event.preventDefault()
        run(async () => onSession(await api.signIn(user, password)))
      }}
    >
      <h1>{again === undefined ? 'Sign in' : 'Sign in again'}</h1>
      {again !== undefined && <p>The session has ended. What you have typed is still there.</p>}
      <TextField label="User" value={user} onChange={setUser} autocomplete="username" required />
      <TextField
        label="Password"
        type="password"
        value={password}
        onChange={setPassword}
        autocomplete="current-password"
        required
      />
      <Failure text={problem || refusal} />
      <button type="submit" class="primary" disabled={isBusy}>
        Sign in
      </button>
      {providers.map(({ name, path }) => (
        <a key={path} class="button" href={`${BASE}${path}?${new URLSearchParams({ to: location.hash })}`}>
          Sign in with {name}
        </a>
      ))}
    </form>
  )
}

const REFUSALS: Readonly<Record<string, string>> = {
  expired: 'The sign-in took too long, or began in another window. Try again.',
  refused: 'The provider did not let you in. Try again, or ask an administrator.',
  'no-role': 'You are known to the provider, but have no role here. Ask an administrator.',
  unavailable: 'The provider does not answer as it should. Try again later.',
}

/** Why the provider has sent somebody back without a session; it is said once. */
function takeRefusal(): string {
  const query = new URLSearchParams(location.search)
  const reason = query.get('sign-in')
  if (reason === null) return ''
  history.replaceState(null, '', `${location.pathname}${location.hash}`)
  return REFUSALS[reason] ?? ''
}

type PasswordProps = {
  readonly api: Api
  readonly session: Session
  /** The password was changed, and somebody is signed in with it. */
  onSession(session: Session): void
}

/** Another password for oneself. */
export function ChangePassword({ api, session, onSession }: PasswordProps) {
  const [oldPassword, setOld] = useState('')
  const [password, setNew] = useState('')
  const [repeated, setRepeated] = useState('')
  const [done, setDone] = useState(false)
  const { isBusy, problem, run } = useAction()
  if (signsInElsewhere(session.user)) return <p>You sign in at a provider, which has your password and your roles.</p>
  const differs = repeated !== '' && repeated !== password
  const change = async () => {
    await api.put(`/users/${encodeURIComponent(session.user)}/password`, { body: { oldPassword, password } })
    // The session has ended with the old password.
    onSession(await api.signIn(session.user, password))
    setOld('')
    setNew('')
    setRepeated('')
    setDone(true)
  }
  return (
    <form
      class="sign-in"
      onSubmit={(event) => {
        event.preventDefault()
        if (!differs) run(change)
      }}
    >
      <h1>{session.mustChangePassword ? 'Choose a password' : 'Your password'}</h1>
      {session.mustChangePassword && <p>The password that you have is good for nothing but to choose another one.</p>}
      <TextField
        label="Password now"
        type="password"
        value={oldPassword}
        onChange={setOld}
        autocomplete="current-password"
        required
      />
      <TextField
        label="New password"
        type="password"
        value={password}
        onChange={setNew}
        autocomplete="new-password"
        hint="At least 12 characters; not the name of the user, and none of the most common ones."
        required
      />
      <TextField
        label="New password, again"
        type="password"
        value={repeated}
        onChange={setRepeated}
        autocomplete="new-password"
        said={differs ? [{ severity: 'error', text: 'These are two different passwords.' }] : []}
        required
      />
      <Failure text={problem} />
      <button type="submit" class="primary" disabled={isBusy}>
        Change password
      </button>
      <p role="status">{done && 'The password was changed.'}</p>
    </form>
  )
}
