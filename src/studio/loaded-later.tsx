/** Parts of the view that are loaded when they are first shown, so that the first view stays small. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** A component that loads the one it stands for. Until then, and where that fails, it says so. */
export function loadedLater<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  return function LoadedLater(props: Props) {
    const [Shown, setShown] = useState<ComponentType<Props>>()
    const [hasFailed, setHasFailed] = useState(false)
    useEffect(() => {
      load().then(
        (loaded) => setShown(() => loaded),
        () => setHasFailed(true),
      )
    }, [])
    if (Shown) return <Shown {...props} />
    return (
      <p role="status">{hasFailed ? 'This part of the page could not be loaded. Load the page again.' : 'Loading …'}</p>
    )
  }
}
