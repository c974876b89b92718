/** The frame around the view, which is loaded when it is shown: the frame is there at once. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { ViewProps } from './view.ts'

const loadPlayground = async (): Promise<ComponentType<ViewProps>> =>
  (await import('./playground/playground.tsx')).Playground

export function App() {
  const fragment = useFragment()
  const [loaded, setLoaded] = useState<{ readonly Shown?: ComponentType<ViewProps>; readonly failed?: string }>({})
  useEffect(() => {
    document.title = 'Playground – sluice'
    loadPlayground().then(
      (Shown) => setLoaded({ Shown }),
      () => setLoaded({ failed: 'This part of the page could not be loaded. Load the page again.' }),
    )
  }, [])
  const { Shown, failed } = loaded
  return (
    <>
      <button type="button" class="skip" onClick={focusMain}>
        Skip to content
      </button>
      <header class="frame">
        <strong class="brand">sluice</strong>
        <span class="muted">rate limits of NGINX, before they are applied</span>
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
