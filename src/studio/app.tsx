/** The frame around the view, which is loaded when it is shown: the frame is there at once. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ViewProps } from './view.ts'

type View = {
  readonly title: string
  /** Below the folder of the page. */
  readonly path: '' | 'playground'
  load(): Promise<ComponentType<ViewProps>>
}

const PLAYGROUND: View = {
  title: 'Playground',
  path: 'playground',
  load: async () => (await import('./playground/playground.tsx')).Playground,
}

const MANAGEMENT: View = {
  title: 'API management',
  path: '',
  load: async () => (await import('./management/management.tsx')).Management,
}

/** The server says in its page whether it has the management API. */
const VIEWS: readonly View[] = 'api' in document.body.dataset ? [MANAGEMENT, PLAYGROUND] : [PLAYGROUND]

const viewOf = (pathname: string): View => VIEWS.find(({ path }) => pathname.endsWith(`/${path}`)) ?? PLAYGROUND

export function App() {
  const view = viewOf(location.pathname)
  const fragment = useFragment()
  const [loaded, setLoaded] = useState<{ readonly Shown?: ComponentType<ViewProps>; readonly failed?: string }>({})
  useEffect(() => {
    document.title = `${view.title} – sluice`
    view.load().then(
      (Shown) => setLoaded({ Shown }),
      () => setLoaded({ failed: 'This part of the page could not be loaded. Load the page again.' }),
    )
  }, [view])
  const { Shown, failed } = loaded
  return (
    <>
      <button type="button" class="skip" onClick={focusMain}>
        Skip to content
      </button>
      <header class="frame">
        <strong class="brand">sluice</strong>
        {VIEWS.length > 1 ? (
          <nav aria-label="Views">
            {VIEWS.map(({ title, path }) => (
              <a key={title} href={`./${path}`} aria-current={view.path === path ? 'page' : undefined}>
                {title}
              </a>
            ))}
          </nav>
        ) : (
          <span class="muted">rate limits of NGINX, before they are applied</span>
        )}
      </header>
      <main id="main" tabIndex={-1}>
        {Shown ? <Shown fragment={fragment} /> : <p role="status">{failed ?? 'Loading …'}</p>}
      </main>
    </>
  )
}

/** No link to `#main`: the fragment belongs to the view. */
function focusMain(): void {
  document.getElementById('main')?.focus()
}

function useFragment(): string {
  const [fragment, setFragment] = useState(location.hash.slice(1))
  useEffect(() => {
    const follow = () => setFragment(location.hash.slice(1))
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return fragment
}
