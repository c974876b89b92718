/** API management: who is signed in, and the view that the address names. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { forgetAll } from '../kept.ts'
import type { ViewProps } from '../view.ts'
import { createApi, type Session, wordsOf } from './api.ts'
import { Audit } from './audit.tsx'
import { ManagementContext, mayChange } from './context.ts'
import { EnvironmentView } from './environment.tsx'
import { followEvents, type ServerEvent } from './events.ts'
import { Failure } from './fields.tsx'
import { linkTo, type Place, placeOf } from './place.ts'
import { ProxyView } from './proxy/proxy.tsx'
import { Services } from './services.tsx'
import { ChangePassword, SignIn } from './sign-in.tsx'
import { Tokens } from './tokens.tsx'
import { Users } from './users.tsx'
import { WorkspaceView } from './workspace.tsx'

/** Undefined: not known yet; null: nobody. */
type Known = Session | null | undefined

export function Management({ fragment }: ViewProps) {
  const [session, setSession] = useState<Known>()
  /** True: the views stay, with what was typed, until the same user has signed in again. */
  const [hasEnded, setHasEnded] = useState(false)
  const [problem, setProblem] = useState('')
  const api = useMemo(() => createApi(() => setHasEnded(true)), [])
  const ask = useCallback(() => {
    setProblem('')
    api.session().then(
      (found) => setSession(found ?? null),
      (error: unknown) => setProblem(wordsOf(error)),
    )
  }, [api])
  useEffect(ask, [ask])
  const signedIn = useCallback((next: Session) => {
    setSession(next)
    setHasEnded(false)
  }, [])
  if (session === undefined)
    return (
      <>
        <Failure text={problem} />
        {problem === '' ? <p role="status">Loading …</p> : <TryAgain onClick={ask} />}
      </>
    )
  if (session === null) return <SignIn api={api} onSession={signedIn} />
  if (session.mustChangePassword) return <ChangePassword api={api} session={session} onSession={signedIn} />
  return (
    <>
      {hasEnded && <SignIn key={session.user} api={api} again={session.user} onSession={signedIn} />}
      <div hidden={hasEnded}>
        <SignedIn
          key={session.user}
          {...{ api, session, hasEnded }}
          place={placeOf(fragment)}
          onSession={signedIn}
          onEnd={() => setHasEnded(true)}
          onSignOut={() => setSession(null)}
        />
      </div>
    </>
  )
}

const TryAgain = ({ onClick }: { onClick(): void }) => (
  <button type="button" onClick={onClick}>
    Try again
  </button>
)

type SignedInProps = {
  readonly api: ReturnType<typeof createApi>
  readonly session: Session
  readonly hasEnded: boolean
  readonly place: Place
  onSession(session: Session): void
  onEnd(): void
  onSignOut(): void
}

function SignedIn({ api, session, hasEnded, place, onSession, onEnd, onSignOut }: SignedInProps) {
  const [isReachable, setIsReachable] = useState(true)
  const listeners = useRef(new Set<(event: ServerEvent) => void>())
  const subscribe = useCallback((listener: (event: ServerEvent) => void) => {
    listeners.current.add(listener)
    return () => void listeners.current.delete(listener)
  }, [])
  const end = useRef(onEnd)
  end.current = onEnd
  useEffect(() => {
    if (hasEnded) return
    return followEvents({
      onEvent: (event) => {
        for (const listener of listeners.current) listener(event)
      },
      onReachable: setIsReachable,
      async isSignedIn() {
        const found = await api.session()
        if (!found) end.current()
        return found !== undefined
      },
    })
  }, [api, hasEnded])
  const management = useMemo(() => ({ api, session, subscribe }), [api, session, subscribe])
  const signOut = () => {
    forgetAll()
    const { signOutAt } = session
    const end = signOutAt === undefined ? onSignOut : () => location.assign(signOutAt)
    api.signOut().then(end, onSignOut)
  }
  return (
    <ManagementContext.Provider value={management}>
      <div role="alert">
        {!isReachable && (
          <p class="failure">
            The server does not answer. What is shown may be old; it is asked again until it answers.
          </p>
        )}
      </div>
      <Breadcrumbs place={place} session={session} onSignOut={signOut} />
      {place.view === 'account' ? (
        <ChangePassword api={api} session={session} onSession={onSession} />
      ) : (
        <Shown key={linkTo(place)} place={place} />
      )}
    </ManagementContext.Provider>
  )
}

function Shown({ place }: { readonly place: Exclude<Place, { view: 'account' }> }) {
  switch (place.view) {
    case 'services':
      return <Services />
    case 'workspace':
      return <WorkspaceView workspace={place.workspace} />
    case 'environment':
      return <EnvironmentView workspace={place.workspace} name={place.environment} />
    case 'proxy':
      return <ProxyView place={place} />
    case 'users':
      return <Users />
    case 'tokens':
      return <Tokens />
    case 'audit':
      return <Audit />
  }
}

type BreadcrumbsProps = { readonly place: Place; readonly session: Session; onSignOut(): void }

/** Where one is, who one is, and the way out. */
function Breadcrumbs({ place, session, onSignOut }: BreadcrumbsProps) {
  return (
    <div class="where">
      <nav aria-label="Where">
        <a href={linkTo({ view: 'services' })} aria-current={place.view === 'services' ? 'page' : undefined}>
          Services
        </a>
        {'workspace' in place && (
          <>
            {' / '}
            <a
              href={linkTo({ view: 'workspace', workspace: place.workspace })}
              aria-current={place.view === 'workspace' ? 'page' : undefined}
            >
              {place.workspace}
            </a>
          </>
        )}
      </nav>
      <span class="who">
        {mayChange(session) && <a href={linkTo({ view: 'audit' })}>Audit log</a>}
        {mayChange(session) && <a href={linkTo({ view: 'users' })}>Users</a>}
        <a href={linkTo({ view: 'tokens' })}>Tokens</a>
        <a href={linkTo({ view: 'account' })}>{session.user}</a>
        <button type="button" onClick={onSignOut}>
          Sign out
        </button>
      </span>
    </div>
  )
}
