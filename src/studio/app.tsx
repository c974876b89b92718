/** The frame around every view: where one is, and where one can go. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ViewProps } from './view.ts'

type View = {
  readonly title: string
  /** Below the folder of the page. */
  readonly path: '' | 'playground'
  load(): Promise<ComponentType<ViewProps>>
}

const VIEWS: readonly View[] = [
  { title: 'Services', path: '', load: async () => (await import('./management/management.tsx')).Management },
  {
    title: 'Playground',
    path: 'playground',
    load: async () => (await import('./playground/playground.tsx')).Playground,
  },
]

const viewOf = (pathname: string): View | undefined =>
  VIEWS.find(({ path }) => path !== '' && pathname.endsWith(`/${path}`)) ?? VIEWS[0]

export function App() {
  const view = viewOf(location.pathname)
  const fragment = useFragment()
  const [loaded, setLoaded] = useState<{ readonly Shown?: ComponentType<ViewProps>; readonly failed?: string }>({})
  useEffect(() => {
    if (!view) return
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
        <nav aria-label="Views">
          {VIEWS.map(({ title, path }) => (
            <a key={title} href={`./${path}`} aria-current={view?.path === path ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
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
